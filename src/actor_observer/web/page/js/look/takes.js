// The map of all takes: those that look alike lie near each other. Choose one to see it and what is near it, open its pair.
import { frameOf, get, stripOf } from "../api.js";
import { choose, h, many, wait } from "../dom.js";
import { make } from "../search.js";
import { Scatter } from "./scatter.js";

const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a63d2", "#7a7a00"];
const NEAR = 8;
const BY = {
  view: (point) => (point.view === "third" ? "observer" : "actor"),
  tag: (point) => point.tags[0] ?? "no tag",
  state: (point) => point.state || "no pair",
  person: (point) => point.subject || "nobody named",
  split: (point) => point.split || "no split",
};
const FIXED = { observer: COLOURS[0], actor: COLOURS[1] };
const PALE = ["no tag", "no pair", "nobody named", "no split", "others"];

export async function open({ me, values, show, bind }) {
  const making = h("div");
  let alive = true;
  show(h("h1", {}, "Map of takes"), making);
  const found = await gather(me, making, () => alive);
  if (!alive || !found) return () => { alive = false; };
  const map = new TakeMap(found, values.get("take"));
  show(...map.parts);
  map.draw();
  bind(map.keys());
  document.body.dataset.takes = String(found.points.length);
  return () => { alive = false; map.close(); };
}

// Ask until every take has its place; the index is made first where there is none.
async function gather(me, place, alive) {
  const words = h("p", { role: "status" }, "Looking for the place of every take …");
  place.replaceChildren(words);
  while (alive()) {
    const found = await get("/api/takes");
    if (found.state === "done") return found;
    if (found.state === "failed") throw new Error(found.error);
    if (found.state === "none") await make(me, place, await get("/api/index"), alive);
    place.replaceChildren(words);
    await wait(300);
  }
  return null;
}

class TakeMap {
  constructor(found, chosen) {
    this.points = found.points;
    this.fits = null; // ids of pairs that fit the words; null: all
    this.by = "view";
    this.said = h("p", { role: "status", class: "said" });
    this.card = h("div", { class: "near" });
    this.legend = h("ul", { class: "legend plain" });
    this.scatter = new Scatter(this.points, (place) => this.choose(place), (place) => this.enter(place));
    const words = h("input", { type: "search", placeholder: "Words: the rest grows pale", "aria-label": "Words", oninput: () => this.ask(words.value) });
    const button = (text, label, act) => h("button", { type: "button", "aria-label": label, title: label, onclick: act }, text);
    const offered = Object.keys(BY).filter((name) => name === "view" || new Set(this.points.map(BY[name])).size > 1 || name === "tag");
    const share = `${Math.round(100 * found.share)} % of what tells takes apart is in these two directions`;
    this.parts = [
      h("div", { class: "row" }, h("h1", {}, "Map of takes"), h("a", { class: "button", href: "#/" }, "Cards")),
      h("p", {}, `${many(this.points.length, "take")} by the mean of their embeddings, each view by itself; ${share}. Takes that look alike to the model lie near each other.`,
        found.missing ? ` ${many(found.missing, "take")} of the data ${found.missing === 1 ? "is" : "are"} not in the index.` : ""),
      h("div", { class: "row filters" }, words, choose("Colour by", offered.map((name) => [name, `Colour: ${name}`]), this.by, (name) => { this.by = name; this.draw(); }),
        button("−", "Smaller (−)", () => this.scatter.zoom(0.7)), button("+", "Larger (+)", () => this.scatter.zoom(1 / 0.7)), button("All", "All takes (0)", () => this.scatter.all())),
      h("div", { class: "takes" }, h("div", {}, this.scatter.element, this.legend), h("section", { "aria-label": "The chosen take" }, this.said, this.card)),
    ];
    this.choose(Math.max(0, this.points.findIndex((point) => point.take === chosen)), false);
  }

  keys() {
    const way = (key, x, y, words) => [key, words, () => this.scatter.step(x, y)];
    return [way("ArrowLeft", -1, 0, "the next take to the left"), way("ArrowRight", 1, 0, "… to the right"), way("ArrowUp", 0, 1, "… above"), way("ArrowDown", 0, -1, "… below"),
      ["Enter", "open the pair of the chosen take", () => this.enter(this.scatter.chosen)],
      ["+ =", "larger", () => this.scatter.zoom(1 / 0.7)], ["-", "smaller", () => this.scatter.zoom(0.7)], ["0", "all takes", () => this.scatter.all()]];
  }

  async ask(words) {
    const turn = this.turn = (this.turn ?? 0) + 1;
    const ids = words.trim() ? (await get("/api/ids", { words })).ids : null;
    if (turn !== this.turn) return;
    this.fits = ids ? new Set(ids) : null;
    this.draw();
    const shown = this.fits ? this.points.filter((point) => this.fits.has(point.pair)).length : this.points.length;
    this.said.textContent = this.fits ? (shown ? `${many(shown, "take")} fit these words.` : "No take fits these words: try fewer or shorter ones.") : "";
  }

  // Colours by group: the largest groups have one each, the rest share one. A shape says the view, too.
  draw() {
    const group = BY[this.by];
    const counts = new Map();
    for (const point of this.points) counts.set(group(point), (counts.get(group(point)) ?? 0) + 1);
    const named = [...counts.keys()].filter((name) => !PALE.includes(name)).sort((a, b) => counts.get(b) - counts.get(a) || (a < b ? -1 : 1));
    const own = new Map(named.slice(0, COLOURS.length).map((name, place) => [name, FIXED[name] ?? COLOURS[place]]));
    const shown = (point) => (own.has(group(point)) ? group(point) : PALE.includes(group(point)) ? group(point) : "others");
    this.scatter.paint(this.points.map((point) => ({ colour: own.get(shown(point)) ?? null, square: point.view === "first", pale: Boolean(this.fits) && !this.fits.has(point.pair) })));
    const totals = new Map();
    for (const point of this.points) totals.set(shown(point), (totals.get(shown(point)) ?? 0) + 1);
    const dot = (name) => {
      const mark = h("span", { class: "dot", "aria-hidden": "true" });
      mark.style.background = own.get(name) ?? "var(--faint)";
      return mark;
    };
    this.legend.replaceChildren(...[...totals].sort((a, b) => b[1] - a[1]).map(([name, count]) => h("li", {}, dot(name), h("bdi", {}, name), ` ${count}`)),
      h("li", { class: "faint" }, "● observer’s ■ actor’s"));
  }

  choose(place, move = true) {
    this.scatter.choose(place, move);
    const point = this.points[place];
    if (!point) return;
    const link = (one) => (one.pair ? { href: `#/pair/${encodeURIComponent(one.pair)}` } : {});
    const near = this.points.filter((one) => one !== point).map((one) => [Math.hypot(one.x - point.x, one.y - point.y), one]).sort((a, b) => a[0] - b[0]).slice(0, NEAR);
    const facts = [BY.view(point), point.subject, point.split, point.state === "open" ? "" : point.state, ...point.tags].filter(Boolean);
    this.said.replaceChildren(h("b", {}, h("bdi", {}, point.take)), ` ${facts.join(", ")}`);
    clearTimeout(this.timer);
    const picture = h("img", { class: "strip", alt: "", decoding: "async" });
    this.timer = setTimeout(() => { picture.src = stripOf(point.take); }, 150); // not one for each step of a held key
    this.card.replaceChildren(picture,
      point.pair ? h("p", {}, h("a", { class: "button open-pair", ...link(point) }, "Open the pair")) : h("p", { class: "faint" }, "This take is in no pair."),
      near.length ? h("h2", {}, "Nearest here") : "",
      h("ul", { class: "plain neighbours" }, near.map(([, one]) => h("li", {}, h(one.pair ? "a" : "span", link(one), h("img", { src: frameOf(one.take, 1, 48), alt: "", loading: "lazy", height: 36 }), h("bdi", {}, one.take)), ` ${BY.view(one)}`))));
  }

  enter(place) {
    const point = this.points[place];
    if (point?.pair) location.hash = `#/pair/${encodeURIComponent(point.pair)}`;
  }

  close() {
    clearTimeout(this.timer);
    this.scatter.close();
    delete document.body.dataset.takes;
  }
}
