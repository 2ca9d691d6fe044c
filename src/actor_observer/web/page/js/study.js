// Study: a moment of one video is shown; find it in the other. No clock, no marks, an order of one's own.
import { call, get, insist, post } from "./api.js";
import { choose, h, say, seconds } from "./dom.js";
import { Line } from "./line.js";
import { Screen } from "./screen.js";

export async function open({ me, parts, show, bind }) {
  if (parts[0] && !me.kind && !asked) return ask(me, parts[0], show, bind);
  if (parts[0]) return run(Number(parts[0]), show, bind);
  const studies = await get("/api/studies");
  show(
    h("h1", {}, "Study"),
    h("p", {}, "How well do people find a moment of one video in the other? You see a moment; find it in the other video, by its pictures alone. Earlier marks and clocks are hidden."),
    who(me),
    studies.length ? h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, ["Study", "Look in", "Yours", "People", "Open"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, studies.map((study) => h("tr", {}, h("td", {}, study.name), h("td", {}, study.find === "third" ? "the observer’s video" : "the actor’s video"),
        h("td", {}, `${study.done} of ${study.tasks}`), h("td", {}, String(study.people)),
        h("td", {}, h("a", { class: "button", href: `#/study/${study.id}` }, study.done < study.tasks ? "Go on" : "Done"))))))) : h("p", { class: "faint" }, "There is no study yet."),
    me.rights.includes("own") ? [making(), h("p", {}, h("a", { href: "#/agreement" }, "How well people agree so far"))] : null,
  );
}

let asked = false; // whether "not said" was asked about once more

// Before a study begins, whoever has not said who marks is asked once more; without an answer the results say "not said".
function ask(me, id, show, bind) {
  return new Promise((done) => {
    const begin = async (kind) => {
      asked = true;
      if (kind) Object.assign(me, await call("PUT", "/api/me", { name: me.name, kind }).catch((error) => { say(error.message, true); return {}; }));
      done(await run(Number(id), show, bind));
    };
    const answer = (text, kind) => h("p", {}, h("button", { type: "button", class: kind === "person" ? "main" : null, "data-kind": kind, onclick: () => begin(kind) }, text));
    show(h("h1", {}, "Who answers?"), h("p", {}, "The results say whether a person answered. You have not said so yet."),
      answer("I am a person", "person"), answer("A program does this", "program"), answer("I would rather not say", ""),
      h("p", { class: "faint" }, "Without an answer the results carry “not said”, and are not called human."));
    document.body.dataset.study = "asked";
  });
}

// Who marks: the row of the results bears this name, and is called human only where a person says so.
function who(me) {
  const name = h("input", { type: "text", value: me.name, maxLength: 80, "aria-label": "Your name" });
  const kind = choose("Who marks", [["", "not said"], ["person", "I am a person"], ["program", "a program does this"]], me.kind, () => save());
  const save = async () => {
    try {
      Object.assign(me, await call("PUT", "/api/me", { name: name.value, kind: kind.value }));
      say("Saved");
    } catch (error) {
      say(error.message, true);
    }
  };
  name.addEventListener("change", save);
  return h("div", { class: "box row" }, h("span", {}, "Marked by"), name, kind, h("span", { class: "faint" }, "The results carry this name."));
}

function making() {
  const name = h("input", { type: "text", value: "Study", "aria-label": "Name of the study" });
  const pairs = h("input", { type: "number", min: 1, value: "12", "aria-label": "Pairs" });
  const moments = h("input", { type: "number", min: 1, max: 20, value: "1", "aria-label": "Moments of each pair" });
  const find = choose("Look in", [["third", "show the actor’s moment, look in the observer’s video"], ["first", "show the observer’s moment, look in the actor’s video"]], "third", () => {});
  const split = choose("Split", [["", "every split"], ["train", "train"], ["validation", "validation"], ["test", "test"]], "", () => {});
  const make = async (event) => {
    event.preventDefault();
    try {
      const made = await post("/api/studies", { name: name.value, find: find.value, pairs: Number(pairs.value), moments: Number(moments.value), split: split.value, seed: 0 });
      say(`${made.tasks} moments`);
      location.hash = `#/study/${made.id}`;
    } catch (error) {
      say(error.message, true);
    }
  };
  return h("form", { class: "box", onsubmit: make }, h("h2", {}, "A new study"),
    h("div", { class: "row" }, h("label", { class: "field" }, "Name", name), h("label", { class: "field" }, "Pairs", pairs), h("label", { class: "field" }, "Moments of each", moments)),
    h("div", { class: "row" }, find, split, h("button", { class: "main" }, "Make it")));
}

async function run(id, show, bind) {
  let room = null;
  const next = async () => {
    room?.close();
    const state = await get(`/api/studies/${id}/next`);
    if (!state.task) {
      room = null;
      bind([["Backspace", "take back the last answer", back]]);
      show(h("h1", {}, "Done"), h("p", {}, `You have answered all ${state.total} moments. Thank you.`), h("p", {}, h("a", { class: "button", href: "#/study" }, "Back to the studies")));
      document.body.dataset.study = "done";
      return;
    }
    room = new Task(state, next, back, show, bind);
    await room.load();
    document.body.dataset.study = String(state.task.id);
  };
  const back = async () => {
    const { done } = await post(`/api/studies/${id}/back`);
    if (done) await next();
    else say("There is nothing to take back.");
  };
  await next();
  return () => { room?.close(); delete document.body.dataset.study; };
}

class Task {
  constructor(state, next, back, show, bind) {
    this.bind = bind;
    this.task = state.task;
    this.next = next;
    this.began = performance.now();
    const shownName = this.task.find === "third" ? "Actor" : "Observer";
    const view = this.task.find;
    this.shown = new Screen(this.task.shown, "The moment to find");
    this.searched = new Screen(this.task.searched, "The video to look in");
    this.line = new Line(view, { id: this.task.searched, length: this.task.length, actions: [] }, (time) => this.go(time));
    this.here = h("button", { type: "button", class: "main", onclick: () => this.answer(this.searched.video.currentTime) }, "Here it is (Enter)");
    this.clockTime = h("span", { class: "time" });
    show(h("div", { class: "study" },
      h("h1", {}, `Moment ${state.done + 1} of ${state.total}`),
      h("div", { class: "videos" },
        h("section", { class: `side ${view === "third" ? "first" : "third"}-side`, "aria-label": "The moment" },
          h("h2", {}, h("span", { class: view === "third" ? "first" : "third" }, `${shownName}: find this moment`)), this.shown.element,
          h("p", {}, h("button", { type: "button", onclick: () => this.replay() }, "Play the two seconds around it (R)"))),
        h("section", { class: `side ${view}-side`, "aria-label": "Look here" }, h("h2", {}, h("span", { class: view }, "Look here"), this.clockTime), this.searched.element, this.line.element)),
      h("div", { class: "bar row" }, this.here,
        h("button", { type: "button", onclick: () => this.toggle() }, "Play or stop (Space)"),
        h("button", { type: "button", onclick: () => this.answer(null) }, "It is not there, or I cannot tell (N)"),
        h("button", { type: "button", onclick: back }, "Take back the last answer"))));
    const fps = () => this.searched.fps;
    const by = (seconds) => this.go(this.searched.video.currentTime + seconds);
    bind([
      ["Enter", "here it is", () => this.answer(this.searched.video.currentTime)],
      ["N", "it is not there, or I cannot tell", () => this.answer(null)],
      ["R", "play the two seconds around the moment", () => this.replay()],
      ["Space K", "play or stop", () => this.toggle()],
      ["ArrowLeft", "a frame back", () => by(-1 / fps())],
      ["ArrowRight", "a frame on", () => by(1 / fps())],
      ["Shift+ArrowLeft J", "a second back", () => by(-1)],
      ["Shift+ArrowRight L", "a second on", () => by(1)],
      ["1 2 3 4 5", "speed ×¼, ×½, ×1, ×2, ×4", (event) => { this.searched.video.playbackRate = [0.25, 0.5, 1, 2, 4][Number(event.key) - 1]; }],
      ["Backspace", "take back the last answer", back],
    ]);
    this.alive = true;
    const loop = () => {
      if (!this.alive) return;
      this.line.set(this.searched.video.currentTime);
      this.clockTime.textContent = seconds(this.searched.video.currentTime);
      if (!this.shown.video.paused && this.shown.video.currentTime > this.task.time + 1) this.still();
      requestAnimationFrame(loop);
    };
    requestAnimationFrame(loop);
  }

  async load() {
    await Promise.all([this.shown.load(), this.searched.load()]);
    if (this.alive) this.still();
    this.began = performance.now();
  }

  close() {
    this.alive = false;
    this.shown.close();
    this.searched.close();
    this.line.close();
    this.bind([]);
  }

  still() {
    this.shown.video.pause();
    this.shown.video.currentTime = this.task.time;
  }

  replay() {
    this.shown.video.currentTime = Math.max(0, this.task.time - 1);
    this.shown.video.play().catch(() => {});
  }

  toggle() {
    if (this.searched.video.paused) this.searched.video.play().catch(() => {});
    else this.searched.video.pause();
  }

  go(time) {
    this.searched.video.currentTime = Math.min(Math.max(time, 0), this.task.length - 0.001);
  }

  async answer(time) {
    if (this.sent || !this.alive) return;
    this.sent = true;
    const took = (performance.now() - this.began) / 1000;
    try {
      await insist("POST", "/api/answers", { task: this.task.id, time, seconds: took, automated: navigator.webdriver === true });
      await this.next();
    } catch (error) {
      this.sent = false;
      say(error.message, true);
    }
  }
}
