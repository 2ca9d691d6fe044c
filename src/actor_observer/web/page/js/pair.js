// One pair: both videos side by side, in step by a clock; curves, map and marks under them.
import { get } from "./api.js";
import { Clock } from "./clock.js";
import { h, say, seconds, wait } from "./dom.js";
import { Line } from "./line.js";
import { Marks } from "./marks.js";
import { Nudge } from "./nudge.js";
import { lay } from "./pair/layout.js";
import { Others } from "./pair/others.js";
import { RestsOn } from "./pair/rests_on.js";
import { SPEEDS, keysOf } from "./pair_keys.js";
import { InStep } from "./player.js";
import { Screen } from "./screen.js";
import { Sound } from "./sound.js";
import { NAMES, best, differ, trust } from "./trust.js";

const ABSENT = { before: "has not begun", after: "has ended" };
const WHO = { third: "The observer’s video", first: "The actor’s video" };

export async function open({ me, parts, values, show, bind }) {
  const id = parts[0];
  const pair = await get("/api/pair", { id });
  const room = new Room(me, pair);
  room.begin = values.has("t") ? Number(values.get("t")) : null; // a link with a time in it opens there
  room.show(show);
  bind(keysOf(room));
  room.load();
  return () => room.close();
}

class Room {
  constructor(me, pair) {
    this.me = me;
    this.pair = pair;
    this.screens = { third: new Screen(pair.takes.third.id, "Observer’s video"), first: new Screen(pair.takes.first.id, "Actor’s video") };
    this.step = new InStep(this.screens.third.video, this.screens.first.video);
    this.marks = new Marks(pair.id, me.rights.includes("mark"));
    this.lines = {
      third: new Line("third", pair.takes.third, (time) => this.go("third", time)),
      first: new Line("first", pair.takes.first, (time) => this.go("first", time)),
    };
    this.sound = new Sound(this.screens, this.lines, pair.takes);
    this.nudging = new Nudge(pair.id, () => this.screens.first.fps, (clock) => { this.clocks.hand = clock; this.useClock("hand"); });
    this.active = "third";
    this.clocks = {};
    for (const [name, anchors] of Object.entries(pair.clocks)) this.clocks[name] = new Clock(anchors);
    this.align = pair.align;
    this.chosen = false; // whether somebody chose the clock; else it is the best one known
    this.clockName = best({ ...this.clocks, marks: null }, this.align, this.marks);
    this.alive = true;
    window.studio = this; // for tests and the curious
  }

  close() {
    this.alive = false;
    this.step.close();
    this.sound.close();
    this.rest?.close();
    this.others?.close();
    this.marks.close();
    for (const view of ["third", "first"]) {
      this.screens[view].close();
      this.lines[view].close();
    }
    delete window.studio;
  }

  show(show) {
    show(...lay(this));
    this.neighbours();
    this.step.addEventListener("time", () => this.tick());
    this.step.addEventListener("change", () => this.changed());
    this.marks.addEventListener("change", () => this.marked());
    this.marks.addEventListener("chosen", ({ detail }) => this.goBoth(detail.third, detail.first));
    this.activate("third");
    this.drawClocks();
  }

  async neighbours() {
    const found = await get("/api/neighbours", { id: this.pair.id });
    for (const which of ["before", "after"]) {
      if (!found[which]) continue;
      this[which].hidden = false;
      this[which].href = `#/pair/${encodeURIComponent(found[which])}`;
    }
  }

  async load() {
    await Promise.all([this.screens.third.load(), this.screens.first.load(), this.marks.load()]).catch((error) => say(error.message, true));
    if (!this.alive) return;
    this.useClock(best(this.clocks, this.align, this.marks), false);
    this.step.seek(Number.isFinite(this.begin) && this.begin !== null ? this.begin : this.step.shared?.[0] ?? 0);
    this.sound.draw().catch(() => {}); // a line without loudness is no harm
    this.gather().catch((error) => say(error.message, true));
    const seen = await get("/api/seen", { id: this.pair.id });
    if (!this.alive) return;
    if (seen.state === "done") this.seen(seen);
    else if (seen.state === "none" || seen.state === "failed") {
      this.mapPlace.replaceChildren(h("p", { class: "faint" }, "The model has not looked at this pair yet."),
        h("button", { type: "button", onclick: () => this.look() }, "Let the model look (A)"));
    } else this.look();
    document.body.dataset.pair = this.pair.id;
  }

  // The other cameras of this event, and what was measured beside them.
  async gather() {
    const found = await get("/api/event", { id: this.pair.id });
    if (!this.alive || (!found.others.length && !found.measured)) return;
    this.others = new Others(this, found);
    this.othersPlace.replaceChildren(this.others.element);
    await this.others.load();
  }

  async look() {
    const bar = h("progress", { max: "1", value: "0", "aria-label": "The model looks" });
    const words = h("p", { class: "faint" }, "The model looks at both videos …");
    this.mapPlace.replaceChildren(words, bar);
    for (;;) {
      const state = await get("/api/seen", { id: this.pair.id, start: true });
      if (!this.alive) return;
      if (state.state === "done") return this.seen(state);
      if (state.state === "failed") return this.mapPlace.replaceChildren(h("p", { class: "bad" }, state.error));
      bar.value = state.progress;
      words.textContent = state.state === "waiting" ? "Others are looked at first …" : `The model looks at both videos: ${Math.round(100 * state.progress)} %`;
      await wait(600);
    }
  }

  seen(seen) {
    if (!seen.third) return this.look();
    this.lines.third.curve = seen.third;
    this.lines.first.curve = seen.first;
    for (const line of Object.values(this.lines)) line.draw();
    this.rest = new RestsOn(seen, this);
    this.mapPlace.replaceChildren(this.rest.element);
    if (seen.align.clock) this.clocks.align = Clock.parse(seen.align.clock);
    this.align = seen.align;
    this.screens.third.boxes = seen.align.wearer ?? [];
    this.settle();
  }

  // See what an offset looks like: third = offset + rate · first. It is kept only where somebody then shifts it by hand.
  tryOffset(offset, rate = 1) {
    this.clocks.tried = new Clock([[offset, 0], [offset + rate * 100, 100]]);
    this.useClock("tried");
    if (this.step.shared) this.step.seek(Math.min(Math.max(this.step.time, this.step.shared[0]), this.step.shared[1]));
    say(`Trying an offset of ${seconds(offset)}`);
  }

  // The best clock that is known, unless somebody chose one.
  settle() {
    const name = this.chosen && this.clocks[this.clockName] ? this.clockName : best(this.clocks, this.align, this.marks);
    if (name !== this.clockName && this.step.clock) this.useClock(name, false);
    else this.drawClocks();
  }

  marked() {
    for (const line of Object.values(this.lines)) {
      line.marks = this.marks.list;
      line.chosen = this.marks.chosen;
      line.draw();
    }
    if (this.marks.clock) this.clocks.marks = new Clock(this.marks.clock);
    else delete this.clocks.marks;
    if (this.clockName === "marks" && this.clocks.marks) this.step.clock = this.clocks.marks;
    else if (this.clockName === "marks") this.chosen = false;
    if (this.clocks[this.clockName]) this.drawClocks(); // a first mark does not move what somebody is looking at
    else this.settle();
  }

  drawClocks() {
    this.clockPlace.replaceChildren(...Object.keys(NAMES).filter((name) => this.clocks[name]).map((name) =>
      h("button", { type: "button", "aria-pressed": String(name === this.clockName), "data-clock": name, onclick: () => this.useClock(name) }, NAMES[name])));
    this.differ.textContent = differ(this.clocks, this.clockName, this.pair.takes.third.length);
    const [words, sure] = trust(this.clockName, this.align, this.marks);
    this.trust.textContent = words;
    this.trust.classList.toggle("good", sure);
    this.trust.classList.toggle("unsure", !sure);
    this.drawShared();
    this.rest?.clocks(this.clocks, this.clockName);
  }

  useClock(name, chosen = true) {
    this.clockName = name;
    this.chosen = chosen;
    this.step.setClock(this.clocks[name]);
    this.nudging.clock = this.clocks[name];
    this.drawClocks();
  }

  // The stretch that both show, on both lines.
  drawShared() {
    const { clock } = this.step;
    if (!clock || !this.step.lengths[0] || !this.step.lengths[1]) return;
    const shared = this.step.shared ?? [0, 0];
    this.lines.third.shared = shared;
    this.lines.first.shared = this.step.shared ? shared.map((time) => clock.toFirst(time)) : [0, 0];
    for (const line of Object.values(this.lines)) line.draw();
  }

  nextClock() {
    const names = Object.keys(NAMES).filter((name) => this.clocks[name]);
    this.useClock(names[(names.indexOf(this.clockName) + 1) % names.length]);
    say(`Clock: ${NAMES[this.clockName]}`);
  }

  mark() {
    return this.here((third, first) => this.marks.add(third, first));
  }

  // Do something with the two moments on screen; where one video shows nothing, there is no such moment.
  here(act) {
    for (const view of ["third", "first"]) {
      if (this.screens[view].broken) return say(`${WHO[view]} does not play here: there is nothing to mark.`, true);
      if (this.step.absent(view)) return say(`${WHO[view]} ${ABSENT[this.step.absent(view)]} here: there is nothing to mark.`, true);
    }
    return act(this.step.third.currentTime, this.step.first.currentTime);
  }

  find() {
    const view = this.active;
    location.hash = `#/search?${new URLSearchParams({ take: this.pair.takes[view].id, time: this.step[view].currentTime.toFixed(2) })}`;
  }

  faster() {
    this.step.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, SPEEDS.indexOf(this.step.speed) + 1)]);
  }

  activate(view) {
    this.active = view;
    this.thirdSide.classList.toggle("active", view === "third");
    this.firstSide.classList.toggle("active", view === "first");
  }

  // A link that opens this pair at this moment, in third-person seconds.
  share() {
    const address = `${location.origin}/#/pair/${encodeURIComponent(this.pair.id)}?t=${this.step.time.toFixed(2)}`;
    history.replaceState(null, "", address); // it stands in the address bar, too, where copying is not allowed
    navigator.clipboard?.writeText(address).then(() => say("The link is copied"), () => say("The link is in the address bar"));
    if (!navigator.clipboard) say("The link is in the address bar");
  }

  frame(sign) {
    this.nudge(sign / this.screens[this.active].fps);
  }

  nudge(by) {
    if (this.step.playing || this.step.backwards) this.step.pause();
    this.go(this.active, this.step[this.active].currentTime + by);
  }

  go(view, time) {
    if (!this.step.clock) return;
    if (!this.step.linked) this.step[view].currentTime = Math.min(Math.max(time, 0), this.pair.takes[view].length - 0.001);
    else if (view === "third") this.step.seek(time);
    else this.step.seekFirst(time);
  }

  goBoth(third, first) {
    if (this.step.playing) this.step.pause();
    const apart = Math.abs(this.step.clock.toFirst(third) - first) > 0.05;
    if (apart && this.step.linked) this.step.setLinked(false);
    if (this.step.linked) return this.step.seek(third);
    this.step.third.currentTime = third;
    this.step.first.currentTime = first;
  }

  changed() {
    this.button.textContent = this.step.playing || this.step.backwards ? "Stop" : "Play";
    this.link.setAttribute("aria-pressed", String(this.step.linked));
    this.link.textContent = this.step.linked ? "Linked" : "Free";
    this.speedButtons.forEach((button, place) => button.setAttribute("aria-pressed", String(SPEEDS[place] === this.step.speed)));
  }

  tick() {
    const [third, first] = [this.step.third.currentTime, this.step.first.currentTime];
    this.lines.third.set(third);
    this.lines.first.set(first);
    this.rest?.set(third, first);
    this.screens.third.frame(third);
    const absent = { third: this.step.absent("third"), first: this.step.absent("first") };
    for (const view of ["third", "first"]) this.screens[view].say(absent[view] ? this.away(view, absent[view]) : "");
    this.markButton?.setAttribute("aria-disabled", String(Boolean(absent.third || absent.first))); // it still says why
    this.time.textContent = `${absent.third ? "–" : seconds(third)} · ${absent.first ? "–" : seconds(first)}`;
  }

  // "has not begun: 4.30 s to go", in the seconds of the video that plays.
  away(view, where) {
    const edge = view === "third" ? (where === "before" ? 0 : this.step.lengths[0]) : this.step.clock.toThird(where === "before" ? 0 : this.step.lengths[1]);
    const away = Math.abs(edge - this.step.time);
    return `${ABSENT[where]}: ${seconds(away)} ${where === "before" ? "to go" : "ago"}`;
  }
}
