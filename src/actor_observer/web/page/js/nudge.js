// Shift one video against the other by hand, in frames or milliseconds; the result is a clock of its own, saved at once.
import { insist } from "./api.js";
import { Clock } from "./clock.js";
import { h, say } from "./dom.js";

export class Nudge {
  constructor(pair, fps, changed) {
    this.pair = pair;
    this.fps = fps; // of the actor's video, when it is known
    this.changed = changed;
    this.queue = Promise.resolve();
    this.field = h("input", { type: "number", step: "10", value: "100", class: "milliseconds", "aria-label": "Milliseconds" });
    const by = (text, title, seconds) => h("button", { type: "button", title, onclick: () => this.shift(seconds()) }, text);
    const typed = () => (Number(this.field.value) || 0) / 1000;
    this.element = h("span", { class: "row", role: "group", "aria-label": "Shift the actor’s video" }, "Shift the actor",
      by("−1 frame", "[", () => -1 / this.fps()), by("+1 frame", "]", () => 1 / this.fps()),
      by("−", "earlier by these milliseconds", () => -typed()), this.field, "ms", by("+", "later by these milliseconds", typed));
  }

  // The clock in use, shifted by so many seconds of the actor's video.
  shift(seconds, clock = this.clock) {
    if (!clock) return;
    this.clock = new Clock(clock.anchors.map(([third, first]) => [third, Math.round((first + seconds) * 1e4) / 1e4]));
    this.changed(this.clock);
    const text = this.clock.anchors.map((pair) => pair.join(":")).join(";");
    this.queue = this.queue.then(() => insist("PUT", "/api/clock", { pair: this.pair, clock: text })).catch((error) => say(error.message, true));
    return this.queue;
  }
}
