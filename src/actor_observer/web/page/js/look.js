// Look: all pairs as cards. Only those on screen exist; the list can be thousands long.
import { get, post, query, stripOf } from "./api.js";
import { choose, h, many, say, seconds } from "./dom.js";
import { Chosen } from "./look/chosen.js";
import { views } from "./look/views.js";
import { drop, later } from "./pictures.js";

const HEIGHT = 212;
const WIDTH = 320;
const GAP = 14;
const PAGE = 24;
const ALL = { words: "", split: "", subject: "", action: "", verdict: "", people: "", marked: "", state: "", tag: "", sort: "id", descending: false };
const kept = { ...ALL };
const STATES = ["open", "marked", "agreed", "disputed", "accepted", "left out"];

// Marks that were made elsewhere become one's own.
async function takeIn(input, list) {
  const file = input.files[0];
  if (!file) return;
  try {
    const taken = await post("/api/marks/file", { name: file.name, text: await file.text() });
    const outside = taken.outside ? `, ${taken.outside} left out (not in both videos)` : "";
    say(`${taken.pairs.join(", ") || file.name}: ${many(taken.added, "mark")} taken in, ${taken.known} were there already${outside}`);
    await list.ask({});
  } catch (error) {
    say(error.message, true);
  }
  input.value = "";
}

export async function open(room) {
  const { me, show, bind } = room;
  const choices = await get("/api/choices");
  const count = h("p", { class: "faint", role: "status" });
  const cards = h("div", { id: "cards" });
  const words = h("input", { type: "search", placeholder: "Words: script, subject, action, id …", "aria-label": "Words", value: kept.words });
  const nothing = h("div");
  const again = (query) => { Object.assign(kept, ALL, query, { descending: query.descending === "true" }); list.close(); open(room); };
  const chosen = new Chosen(me, async () => (await get("/api/ids", kept)).ids, async (done) => { if (done) await list.ask({}); else list.redraw(); });
  const list = new List(cards, count, chosen, (found) => nothing.replaceChildren(...(found.total || !found.all ? [] : hints(kept, () => again({})))));
  let timer = 0;
  words.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => list.ask({ words: words.value }), 15);
  });
  const filter = (label, name, options) => choose(label, [["", label], ...options], kept[name], (value) => list.ask({ [name]: value }));
  const filters = h("div", { class: "row filters" },
    words,
    choices.splits.length > 1 && filter("Every split", "split", choices.splits.map((one) => [one, one])),
    choices.subjects.length > 1 && filter("Everybody", "subject", choices.subjects.map((one) => [one, one])),
    choices.actions.length > 1 && filter("Every action", "action", choices.actions.map((one) => [one.label, one.name])),
    filter("Any verdict", "verdict", ["in step", "cannot tell", "unrelated"].map((one) => [one, one])),
    filter("Same or different people", "people", [["same", "same person"], ["different", "different people"]]),
    filter("Marked or not", "marked", [["yes", "marked"], ["no", "not marked"]]),
    filter("Any state", "state", STATES.map((one) => [one, one])),
    choices.tags.length ? filter("Any tag", "tag", choices.tags.map((one) => [one, one])) : null,
    choose("Order", [["id", "by id"], ["subject", "by subject"], ["length", "by length"], ["marks", "by marks"], ["actions", "by actions"], ["faults", "by faults"]],
      kept.sort, (value) => list.ask({ sort: value })),
    h("button", { type: "button", title: "Turn the order round", "aria-label": "Turn the order round", onclick: () => list.ask({ descending: !kept.descending }) }, "⇅"),
  );
  const notes = [...choices.notes, ...choices.faults];
  show(
    h("div", { class: "row" }, h("h1", {}, me.data),
      h("details", { class: "menu" }, h("summary", { class: "button" }, "Export"), h("div", { class: "box" },
        [["pairs.zip", "A data set: all pairs with their clocks, names of classes, marks"], ["pairs.csv", "The pairs alone"], ["marks.csv", "All marks: times, words, by whom, whether agreed"], ["marks-elan.zip", "The marks of each pair for ELAN, .eaf"]].map(([name, text]) =>
          h("p", {}, h("a", { href: `/api/export/${name}`, download: name }, name), ` ${text}`)),
        h("p", {}, h("label", {}, "Take in marks, .eaf or .csv: ", h("input", { type: "file", accept: ".eaf,.csv", onchange: (event) => takeIn(event.target, list) }))))),
      views(() => kept, again), h("a", { class: "button", href: "#/takes" }, "Map of takes")),
    filters,
    count,
    chosen.element,
    nothing,
    notes.length ? h("details", {}, h("summary", {}, `${many(choices.total_faults, "fault")}, ${many(choices.notes.length, "note")}`), h("ul", {}, notes.map((note) => h("li", {}, note)))) : null,
    cards,
  );
  bind([["/", "look for words", () => words.focus()]]);
  await list.ask({});
  return () => list.close();
}

// What to try where nothing fits.
function hints(asked, clear) {
  const used = Object.entries({ words: "the words", split: "the split", subject: "the person", action: "the action", verdict: "the verdict", people: "same or different people", marked: "marked or not", state: "the state", tag: "the tag" })
    .filter(([name]) => asked[name]).map(([name, text]) => `${text} (${asked[name]})`);
  return [h("div", { class: "box", "data-nothing": "yes" }, h("p", {}, `No pair fits ${used.join(" and ") || "this"}.`),
    h("ul", {}, h("li", {}, "Try fewer or shorter words: parts of a script, an action’s name, a person, an id."),
      asked.verdict ? h("li", {}, "Verdicts are known only of pairs that the model has looked at: open one and press A.") : null, h("li", {}, "Take filters away.")),
    h("p", {}, h("button", { type: "button", class: "main", onclick: clear }, "Show all pairs")))];
}

class List {
  constructor(place, count, chosen, found) {
    this.place = place;
    this.count = count;
    this.chosen = chosen;
    this.found = found;
    this.pages = new Map();
    this.drawn = new Map();
    this.total = 0;
    this.asked = 0;
    this.draw = this.draw.bind(this);
    this.soon = () => { if (!this.waiting) this.waiting = requestAnimationFrame(() => { this.waiting = 0; this.draw(); }); };
    addEventListener("scroll", this.soon, { passive: true });
    this.watch = new ResizeObserver(this.soon);
    this.watch.observe(place);
  }

  close() {
    removeEventListener("scroll", this.soon);
    this.watch.disconnect();
    for (const card of this.drawn.values()) drop(card);
  }

  async ask(changes) {
    Object.assign(kept, changes);
    const turn = ++this.asked;
    const first = await get("/api/pairs", { ...kept, start: 0, count: PAGE });
    if (turn !== this.asked) return;
    this.pages = new Map([[0, first.cards]]);
    this.total = first.total;
    const some = first.total === first.all ? `${first.all} pairs` : `${first.total} of ${first.all} pairs`;
    this.count.textContent = first.all ? some : "No pairs yet. Collect some, or start the studio with a data set.";
    this.found(first);
    this.redraw();
    document.body.dataset.listed = query(kept);
  }

  redraw() {
    for (const card of this.drawn.values()) drop(card);
    this.drawn.clear();
    this.draw();
  }

  async page(number) {
    if (this.pages.has(number)) return;
    this.pages.set(number, null);
    const turn = this.asked;
    const found = await get("/api/pairs", { ...kept, start: number * PAGE, count: PAGE });
    if (turn !== this.asked) return;
    this.pages.set(number, found.cards);
    this.draw();
  }

  draw() {
    const wide = this.place.clientWidth;
    const columns = Math.max(1, Math.floor((wide + GAP) / (WIDTH + GAP)));
    const width = (wide - GAP * (columns - 1)) / columns;
    const rows = Math.ceil(this.total / columns);
    this.place.style.height = `${rows * (HEIGHT + GAP)}px`;
    const top = scrollY - this.place.offsetTop;
    const from = Math.max(0, Math.floor(top / (HEIGHT + GAP)) - 1) * columns;
    const to = Math.min(this.total, (Math.ceil((top + innerHeight) / (HEIGHT + GAP)) + 1) * columns);
    for (const [place, card] of this.drawn) {
      if (place < from || place >= to) {
        drop(card);
        this.drawn.delete(place);
      }
    }
    for (let place = from; place < to; place += 1) {
      const page = this.pages.get(Math.floor(place / PAGE));
      if (!page) {
        this.page(Math.floor(place / PAGE));
        continue;
      }
      const data = page[place % PAGE];
      if (!data) continue;
      let card = this.drawn.get(place);
      if (!card) {
        card = draw(data, this.chosen);
        this.drawn.set(place, card);
        this.place.append(card);
      }
      card.style.width = `${width}px`;
      card.style.height = `${HEIGHT}px`;
      card.style.transform = `translate(${(place % columns) * (width + GAP)}px, ${Math.floor(place / columns) * (HEIGHT + GAP)}px)`;
    }
  }
}

function draw(pair, chosen) {
  const strip = (take) => later(h("img", { class: "strip", alt: "", decoding: "async" }), stripOf(take));
  const extra = [pair.split, pair.same ? "" : "different people", pair.marks ? many(pair.marks, "mark") : "", pair.verdict, ...pair.tags].filter(Boolean);
  return h("div", { class: "card" }, chosen.box(pair.id), h("a", { class: "open", href: `#/pair/${encodeURIComponent(pair.id)}` },
    strip(pair.third),
    strip(pair.first),
    h("div", { class: "words" },
      h("div", { class: "top" }, h("b", {}, pair.id), h("span", {}, [pair.subject, pair.other].filter(Boolean).join(" & ")),
        h("span", {}, pair.lengths.map(seconds).join(" · "))),
      h("div", { class: "script" }, pair.script || "no script"),
      h("div", { class: "tags" }, pair.state === "open" ? null : [h("span", { class: "tag state", "data-state": pair.state }, pair.state), " "], extra.map((text) => h("span", { class: "tag" }, text)).flatMap((tag) => [tag, " "]), pair.actions.join(", ")),
      pair.faults.length ? h("div", { class: "tags bad" }, pair.faults.join("; ")) : null)));
}
