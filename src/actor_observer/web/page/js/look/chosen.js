// Several cards at once: tag them, give them to somebody, put them in the queue, accept them, leave them out.
import { get, post } from "../api.js";
import { choose, h, many, say } from "../dom.js";

export class Chosen {
  // `fitting` gives the ids of all cards that fit the filters; `changed` is called when something was done with some.
  constructor(me, fitting, changed) {
    this.ids = new Set();
    this.changed = changed;
    const own = me.rights.includes("own");
    this.may = me.rights.includes("mark");
    this.count = h("b", { role: "status" });
    const button = (text, act, more = {}) => h("button", { type: "button", onclick: () => this.act(act), ...more }, text);
    const tag = h("input", { type: "text", maxLength: 40, placeholder: "Tag", "aria-label": "Tag", class: "tag-field" });
    this.people = h("span");
    this.element = h("div", { class: "bar row chosen", hidden: true, "data-chosen": "yes" }, this.count,
      button("All that fit", async () => { for (const id of await fitting()) this.ids.add(id); return null; }),
      button("None", async () => { this.ids.clear(); return null; }),
      tag, button("Tag", () => this.send("/api/tags", { tag: tag.value }, `tagged ${tag.value}`)), button("Take the tag off", () => this.send("/api/tags", { tag: tag.value, off: true }, "without the tag")),
      own ? [button("Into the queue, 2 people each", () => this.send("/api/queue", { wanted: 2 }, "in the queue")), this.people,
        button("Accept", () => this.send("/api/review", { state: "accepted" }, "accepted")), button("Leave out", () => this.send("/api/review", { state: "left out" }, "left out")),
        button("Undecided", () => this.send("/api/review", { state: "" }, "undecided"))] : null);
    if (own) this.helpers();
  }

  async helpers() {
    const people = (await get("/api/people")).filter((one) => !one.removed && ["mark", "owner"].includes(one.role));
    this.people.replaceChildren(choose("Give them to", [["", "Give them to …"], ...people.map((one) => [String(one.id), one.name])], "",
      (to) => to && this.act(() => this.send("/api/queue/assign", { to: Number(to) }, "given"))));
  }

  async send(path, more, done) {
    await post(path, { pairs: [...this.ids], ...more });
    return `${many(this.ids.size, "pair")} ${done}`;
  }

  async act(work) {
    try {
      const done = await work();
      if (done) say(done);
      await this.changed(Boolean(done));
      this.draw();
    } catch (error) {
      say(error.message, true);
    }
  }

  // The box on a card.
  box(id) {
    if (!this.may) return null;
    const box = h("input", { type: "checkbox", class: "pick", checked: this.ids.has(id), "aria-label": `Choose ${id}`, onchange: () => {
      if (box.checked) this.ids.add(id);
      else this.ids.delete(id);
      this.draw();
    } });
    return box;
  }

  draw() {
    this.element.hidden = !this.ids.size;
    this.count.textContent = `${many(this.ids.size, "pair")} chosen`;
  }
}
