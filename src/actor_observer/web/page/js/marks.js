// Marks of a pair: saved at once, undone and redone, kept the same in every tab.
import { call, get, insist, newId } from "./api.js";
import { h, say, seconds } from "./dom.js";

export class Marks extends EventTarget {
  constructor(pair, may) {
    super();
    this.pair = pair;
    this.may = may;
    this.list = [];
    this.clock = null;
    this.agreed = false;
    this.people = 0;
    this.chosen = null;
    this.queue = Promise.resolve();
    this.body = h("tbody");
    this.empty = h("p", { class: "faint" }, "No marks yet. Find a moment that both videos show, and press M.");
    this.table = h("div", { class: "scroll" }, h("table", {},
      h("thead", {}, h("tr", {}, ["Observer", "Actor", "Label", "Comment", "By", "Delete"].map((name) => h("th", { scope: "col" }, name)))), this.body));
    this.element = h("div", {}, this.empty, this.table);
    this.channel = new BroadcastChannel("studio-marks");
    this.channel.onmessage = ({ data }) => { if (data === pair) this.load(); };
    this.seen = () => { if (!document.hidden) this.load(); };
    document.addEventListener("visibilitychange", this.seen);
  }

  close() {
    this.channel.close();
    document.removeEventListener("visibilitychange", this.seen);
  }

  async load() {
    this.take(await get("/api/marks", { pair: this.pair }));
  }

  take(state) {
    this.list = state.marks;
    this.clock = state.clock;
    this.agreed = state.agreed;
    this.people = state.people;
    if (!this.list.some((mark) => mark.id === this.chosen)) this.chosen = null;
    this.draw();
    this.dispatchEvent(new Event("change"));
  }

  // One write after the other, in the order in which they were made.
  write(method, path, body, done) {
    const run = async () => {
      try {
        this.take(await insist(method, path, body));
        this.channel.postMessage(this.pair);
        if (done) say(done);
      } catch (error) {
        say(error.message, true);
        await this.load().catch(() => {});
      }
    };
    this.queue = this.queue.then(run);
    return this.queue;
  }

  add(third, first) {
    if (!this.may) return say("Your role may look, not mark.", true);
    const id = newId();
    this.chosen = id;
    const times = { third: round(third), first: round(first) };
    return this.write("POST", "/api/marks", { pair: this.pair, id, ...times }, `Marked: ${seconds(third)} is ${seconds(first)}`);
  }

  move(third, first) {
    if (!this.chosen) return say("Choose a mark first (comma and full stop).", true);
    return this.change(this.chosen, { third: round(third), first: round(first), third_end: null, first_end: null }, "Moved");
  }

  // A mark with an end is a stretch of time.
  end(third, first) {
    if (!this.chosen) return say("Choose a mark first (comma and full stop).", true);
    return this.change(this.chosen, { third_end: round(third), first_end: round(first) }, `It ends at ${seconds(third)}`);
  }

  change(id, said, done) {
    return this.write("PUT", "/api/marks", { pair: this.pair, id, ...said }, done);
  }

  async remove() {
    if (!this.chosen) return say("Choose a mark first (comma and full stop).", true);
    const values = new URLSearchParams({ pair: this.pair, id: this.chosen });
    return this.write("DELETE", `/api/marks?${values}`, undefined, "Deleted");
  }

  undo() {
    return this.write("POST", "/api/marks/undo", { pair: this.pair });
  }

  redo() {
    return this.write("POST", "/api/marks/redo", { pair: this.pair });
  }

  // The next mark after a third-person time, or the one before it.
  near(time, forward) {
    const sorted = [...this.list].sort((a, b) => a.third - b.third);
    const found = forward ? sorted.find((mark) => mark.third > time + 0.02) : sorted.reverse().find((mark) => mark.third < time - 0.02);
    if (found) this.choose(found);
  }

  choose(mark) {
    this.chosen = mark.id;
    this.draw();
    this.dispatchEvent(new CustomEvent("chosen", { detail: mark }));
  }

  draw() {
    if (this.body.contains(document.activeElement) && document.activeElement.tagName === "INPUT" && document.activeElement.value !== document.activeElement.defaultValue) return; // somebody is typing
    this.empty.hidden = this.list.length > 0;
    this.table.hidden = !this.list.length;
    this.body.replaceChildren(...this.list.map((mark) => {
      const mine = mark.mine && this.may;
      const row = h("tr", { class: [mark.id === this.chosen && "chosen", mark.disputed && "against"].filter(Boolean).join(" ") || null },
        h("td", {}, h("button", { type: "button", title: "Go there", onclick: () => this.choose(mark) }, stretch(mark.third, mark.third_end))),
        h("td", {}, stretch(mark.first, mark.first_end)),
        h("td", {}, this.words(mark, "label", mine, 200)),
        h("td", {}, this.words(mark, "comment", mine, 2000)),
        h("td", {}, mark.mine ? "you" : h("bdi", {}, mark.by), mark.disputed ? " – contradicted" : "", mark.against ? ", left out" : ""),
        h("td", {}, mine ? h("button", { type: "button", "aria-label": `Delete the mark at ${seconds(mark.third)}`, onclick: () => { this.chosen = mark.id; this.remove(); } }, "×") : ""));
      row.dataset.mark = mark.id;
      return row;
    }));
  }

  // A word or a sentence about a mark; saved when it is left.
  words(mark, name, mine, most) {
    if (!mine) return h("span", { dir: "auto" }, mark[name]);
    const field = h("input", { type: "text", class: "cell", dir: "auto", value: mark[name], maxLength: most, "aria-label": `${name === "label" ? "Label" : "Comment"} of the mark at ${seconds(mark.third)}` });
    field.addEventListener("change", () => { field.defaultValue = field.value; this.change(mark.id, { [name]: field.value }); });
    field.addEventListener("input", () => { if (field.value.length >= most) say(`A ${name} has at most ${most} characters: what is beyond is not taken.`, true); });
    field.addEventListener("keydown", (event) => { if (event.key === "Enter") field.blur(); });
    return field;
  }
}

const stretch = (start, end) => (end === null ? seconds(start) : `${seconds(start)} – ${seconds(end)}`);
const round = (time) => Math.max(0, Math.round(time * 1000) / 1000);
