// What was measured beside the cameras, as curves over the observer's time with one playhead; two are drawn until others are chosen.
import { colour, h, seconds } from "../dom.js";

const SHOWN = 2;
const HIGH = 64; // pixels of one curve
const COLOURS = ["third", "first", "good", "mark", "bad", "faint"]; // of the page, light or dark

export class Curves {
  constructor(curves, length, go) {
    this.curves = curves;
    this.length = length;
    this.chosen = new Set(curves.slice(0, SHOWN).map((one) => one.name));
    this.canvas = h("canvas", { role: "img", "aria-label": "What was measured, over the observer’s time" });
    this.canvas.addEventListener("pointerdown", (event) => {
      const box = this.canvas.getBoundingClientRect();
      go(((event.clientX - box.left) / box.width) * length);
    });
    this.still = document.createElement("canvas");
    const choice = (one) => h("label", { class: "choice" }, h("input", { type: "checkbox", checked: this.chosen.has(one.name), onchange: (event) => {
      if (event.target.checked) this.chosen.add(one.name);
      else this.chosen.delete(one.name);
      this.draw();
    } }), one.name);
    this.element = h("div", { class: "curves" }, h("h2", {}, "Measured beside the cameras"), this.canvas,
      h("details", {}, h("summary", {}, `Choose from ${curves.length}`), h("div", { class: "row" }, curves.map(choice))));
    this.time = 0;
    this.watch = new ResizeObserver(() => this.draw());
    this.watch.observe(this.canvas);
  }

  close() {
    this.watch.disconnect();
  }

  draw() {
    const ratio = devicePixelRatio || 1;
    const wide = this.canvas.clientWidth;
    const shown = this.curves.filter((one) => this.chosen.has(one.name));
    const high = Math.max(1, shown.length) * HIGH;
    if (!wide) return;
    this.canvas.style.height = `${high}px`;
    for (const canvas of [this.canvas, this.still]) [canvas.width, canvas.height] = [Math.round(wide * ratio), Math.round(high * ratio)];
    const pen = this.still.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.font = "11px system-ui";
    shown.forEach((one, row) => {
      const [least, most] = [Math.min(...one.low), Math.max(...one.high)];
      const y = (value) => (row + 1) * HIGH - 4 - ((value - least) / Math.max(most - least, 1e-9)) * (HIGH - 20);
      pen.strokeStyle = colour(COLOURS[this.curves.indexOf(one) % COLOURS.length]);
      pen.lineWidth = 1.2;
      pen.beginPath();
      one.times.forEach((time, at) => { const x = (time / this.length) * wide; pen.lineTo(x, y(one.low[at])); pen.lineTo(x, y(one.high[at])); });
      pen.stroke();
      pen.fillStyle = colour("ink");
      pen.fillText(`${one.name}  ${least.toPrecision(3)} to ${most.toPrecision(3)}`, 4, row * HIGH + 12);
    });
    this.paint();
  }

  set(time) {
    if (Math.abs(time - this.time) < 0.004) return;
    this.time = time;
    this.canvas.title = seconds(time);
    this.paint();
  }

  paint() {
    const pen = this.canvas.getContext("2d");
    pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    pen.drawImage(this.still, 0, 0);
    pen.fillStyle = colour("ink");
    pen.fillRect((this.time / this.length) * this.canvas.width - 1, 0, 2, this.canvas.height);
  }
}
