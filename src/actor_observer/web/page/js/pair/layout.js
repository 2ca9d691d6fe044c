// Where everything on the page of one pair stands.
import { h } from "../dom.js";
import { SPEEDS } from "../pair_keys.js";
import { Turn } from "./turn.js";

export function lay(room) {
  const { pair, step, marks } = room;
  const may = room.me.rights.includes("mark");
  const button = (text, act, more = {}) => h("button", { type: "button", onclick: act, ...more }, text);
  room.button = button("Play", () => step.toggle(), { class: "main" });
  room.link = button("Linked", () => step.setLinked(!step.linked), { "aria-pressed": "true", title: "F: linked videos go together by the clock" });
  room.time = h("span", { class: "time" });
  room.trust = h("p", { class: "trust", role: "status" });
  room.clockPlace = h("div", { class: "row", role: "group", "aria-label": "Clock" });
  room.differ = h("span", { class: "faint" });
  room.mapPlace = h("div");
  room.speedButtons = SPEEDS.map((speed) => button(`×${speed}`, () => step.setSpeed(speed), { "aria-pressed": String(speed === 1) }));
  room.markButton = may ? button("Mark (M)", () => room.mark(), { class: "mark" }) : null;
  return [
    h("div", { class: "row title" }, h("h1", {}, pair.id), h("span", { class: "faint" }, [pair.subject, pair.other].filter(Boolean).join(" & "), " ", pair.split),
      next(room, "before", "‹ Before"), next(room, "after", "After ›"), new Turn(room.me, pair).element),
    h("p", { class: "script" }, pair.script),
    pair.faults.map((fault) => h("p", { class: "bad" }, fault)),
    h("div", { class: "row clocks" }, room.trust, room.clockPlace, room.differ),
    h("div", { class: "videos" }, side(room, "third", "Observer"), side(room, "first", "Actor")),
    h("div", { class: "bar row steer" }, room.button, button("‹", () => room.frame(-1), { "aria-label": "A frame back", title: "A frame back (←)" }),
      button("›", () => room.frame(1), { "aria-label": "A frame on", title: "A frame on (→)" }), room.markButton, room.time, room.link,
      ...room.speedButtons, button("Undo", () => marks.undo()), button("Redo", () => marks.redo()), button("Search from here", () => room.find()),
      button("Link to here", () => room.share(), { title: "Copy a link that opens this moment" })),
    h("div", { class: "row extra" }, may ? room.nudging.element : null, room.sound.element),
    h("div", { class: "under" },
      room.othersPlace = h("div", { class: "others-place" }),
      h("section", { "aria-label": "Marks" }, h("h2", {}, "Marks"), marks.element),
      h("section", { "aria-label": "What align rests on" }, h("h2", {}, "What align rests on"), room.mapPlace)),
  ];
}

function side(room, view, name) {
  const section = h("section", { class: `side ${view}-side`, "aria-label": name, onpointerdown: () => room.activate(view) },
    h("h2", {}, h("span", { class: view }, name), h("small", {}, room.pair.takes[view].name)),
    room.screens[view].element, room.lines[view].element);
  room[`${view}Side`] = section;
  return section;
}

function next(room, which, text) {
  const link = h("a", { class: "button", hidden: true }, text);
  room[which] = link;
  return link;
}
