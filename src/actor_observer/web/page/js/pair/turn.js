// One's turn with a pair of the queue, and what the owner decides about a pair: in the head of the pair page.
import { post } from "../api.js";
import { h, say } from "../dom.js";

const REASONS = ["I cannot tell which moments belong together", "the two do not show the same thing", "a video is damaged or does not play", "something else"];

export class Turn {
  constructor(me, pair) {
    this.pair = pair;
    this.state = h("span", { class: "tag state", "data-state": pair.state }, pair.state);
    this.element = h("span", { class: "row turn" }, this.state, me.rights.includes("own") ? this.deciding() : null,
      pair.turn && me.rights.includes("mark") ? this.own() : null);
  }

  deciding() {
    const decide = (text, state) => h("button", { type: "button", "aria-pressed": String(this.pair.state === state), "data-decide": state,
      onclick: (event) => this.decide(event.currentTarget, state) }, text);
    return [decide("Accept", "accepted"), decide("Leave out", "left out")];
  }

  async decide(button, state) {
    const taken = this.pair.state === state ? "" : state;
    try {
      const { states } = await post("/api/review", { pairs: [this.pair.id], state: taken });
      this.pair.state = states[this.pair.id];
      this.state.textContent = this.state.dataset.state = this.pair.state;
      for (const one of this.element.querySelectorAll("[data-decide]")) one.setAttribute("aria-pressed", String(one.dataset.decide === this.pair.state));
    } catch (error) {
      say(error.message, true);
    }
  }

  own() {
    const { state, wanted } = this.pair.turn;
    const words = { done: "You have done this pair.", skipped: `You skipped this pair: ${this.pair.turn.reason}.` }[state] ?? `In the queue for ${wanted} ${wanted === 1 ? "person" : "people"}.`;
    const why = h("select", { "aria-label": "Why" }, REASONS.map((one) => h("option", {}, one)));
    const more = h("input", { type: "text", maxLength: 400, placeholder: "In your words", "aria-label": "In your words" });
    const skip = (event) => {
      event.preventDefault();
      this.end("/api/queue/skip", { reason: [why.value, more.value.trim()].filter(Boolean).join(": ") });
    };
    return [h("span", { class: "faint" }, words),
      h("button", { type: "button", class: "main", "data-turn": "done", onclick: () => this.end("/api/queue/done") }, "Done, next pair"),
      h("details", { class: "menu" }, h("summary", { class: "button" }, "Skip …"), h("form", { class: "box", onsubmit: skip },
        h("label", { class: "field" }, "Why?", why), h("label", { class: "field" }, "In your words", more), h("p", {}, h("button", { class: "main", "data-turn": "skip" }, "Skip, next pair"))))];
  }

  async end(path, more = {}) {
    try {
      await post(path, { pair: this.pair.id, ...more });
      await go();
    } catch (error) {
      say(error.message, true);
    }
  }
}

// To the next pair of the queue, or to the page that says how far it is.
export async function go() {
  const { pair } = await post("/api/queue/next");
  location.hash = pair ? `#/pair/${encodeURIComponent(pair)}` : "#/queue";
  if (!pair) say("Nothing is left for you. Thank you!");
}
