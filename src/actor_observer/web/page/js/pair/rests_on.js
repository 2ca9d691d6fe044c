// What align says of a pair and what it rests on: scores for each offset, and the map of likeness where likeness counts.
import { h } from "../dom.js";
import { DistanceMap } from "../map.js";
import { Evidence } from "./evidence.js";

export class RestsOn {
  constructor(seen, room) {
    const { align } = seen;
    const lengths = [room.pair.takes.third.length, room.pair.takes.first.length];
    this.map = seen.map && align.counted !== false
      ? new DistanceMap(seen, lengths, (third, first) => (room.step.linked ? room.step.seek(third) : room.goBoth(third, first))) : null;
    this.evidence = align.scores ? new Evidence(align, (offset, rate) => room.tryOffset(offset, rate)) : null;
    const sure = align.confidence == null ? "" : ` (confidence ${align.confidence.toFixed(2)})`;
    this.element = h("div", {}, h("p", {}, "align says: ", h("b", {}, align.verdict), sure, seen.says ? `; ${seen.says}` : ""),
      this.evidence?.element, "scores" in align ? null : h("p", {}, h("button", { type: "button", onclick: () => room.look() }, "Look again: what speaks for each offset is not known yet")),
      this.map ? this.map.element : "scores" in align ? h("p", { class: "faint" }, "How alike the model finds the two had no say here, so it is not drawn.") : null);
  }

  clocks(clocks, current) {
    this.evidence?.set(clocks[current]);
    if (!this.map) return;
    this.map.clocks = clocks;
    this.map.current = current;
    this.map.draw();
  }

  set(third, first) {
    this.map?.set(third, first);
  }

  close() {
    this.evidence?.close();
  }
}
