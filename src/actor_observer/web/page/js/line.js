// A line of time under a video: the weight as a curve, actions as bars, marks, the playhead; a picture on hover.
import { frameOf } from "./api.js";
import { colour, h, seconds } from "./dom.js";

const PEEKS = 500; // places along a line that have a picture: the longest video has no more than these to be made

export class Line {
  constructor(view, take, go) {
    this.view = view;
    this.take = take;
    this.go = go;
    this.curve = null;
    this.marks = [];
    this.chosen = null;
    this.canvas = h("canvas", { "aria-hidden": "true" });
    this.slider = h("input", { type: "range", min: "0", max: String(take.length), step: "0.01", value: "0", "aria-label": `Time in the ${view === "third" ? "observer's" : "actor's"} video` });
    this.slider.addEventListener("input", () => go(Number(this.slider.value)));
    this.slider.addEventListener("keydown", (event) => { if (event.key.startsWith("Arrow")) event.preventDefault(); });
    this.peek = null;
    this.element = h("div", { class: "line" }, this.canvas, this.slider);
    this.canvas.addEventListener("pointerdown", (event) => { this.canvas.setPointerCapture(event.pointerId); this.go(this.at(event)); });
    this.canvas.addEventListener("pointermove", (event) => this.hover(event));
    this.canvas.addEventListener("pointerleave", () => this.hide());
    this.watch = new ResizeObserver(() => this.draw());
    this.watch.observe(this.canvas);
    this.time = 0;
  }

  close() {
    this.watch.disconnect();
  }

  at(event) {
    const box = this.canvas.getBoundingClientRect();
    return Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1) * this.take.length;
  }

  hover(event) {
    if (event.buttons) this.go(this.at(event));
    const time = (Math.round((this.at(event) / this.take.length) * PEEKS) / PEEKS) * this.take.length;
    clearTimeout(this.soon);
    this.soon = setTimeout(() => {
      this.hide();
      this.peek = h("div", { class: "peek" }, h("img", { src: frameOf(this.take.id, time), alt: "" }), h("span", {}, seconds(time)));
      this.peek.style.left = `${(100 * time) / this.take.length}%`;
      this.element.append(this.peek);
    }, 90);
  }

  hide() {
    clearTimeout(this.soon);
    this.peek?.remove();
    this.peek = null;
  }

  set(time) {
    if (Math.abs(time - this.time) < 0.004) return;
    this.time = time;
    this.slider.value = String(time);
    this.draw();
  }

  draw() {
    const ratio = devicePixelRatio || 1;
    const wide = this.canvas.clientWidth;
    const high = this.canvas.clientHeight;
    if (!wide) return;
    if (this.canvas.width !== Math.round(wide * ratio)) this.canvas.width = Math.round(wide * ratio);
    if (this.canvas.height !== Math.round(high * ratio)) this.canvas.height = Math.round(high * ratio);
    const pen = this.canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, wide, high);
    const x = (time) => (time / this.take.length) * wide;
    const own = colour(this.view);
    this.drawActions(pen, x, high, own);
    this.drawCurve(pen, x, high, own);
    for (const mark of this.marks) {
      pen.fillStyle = mark.against ? colour("bad") : colour("mark");
      const at = x(mark[this.view]);
      pen.fillRect(at - (mark.id === this.chosen ? 1.5 : 0.75), 0, mark.id === this.chosen ? 3 : 1.5, high);
      pen.fillRect(at - 4, 0, 8, 5);
    }
    pen.fillStyle = colour("ink");
    pen.fillRect(x(this.time) - 1, 0, 2, high);
  }

  drawActions(pen, x, high, own) {
    const rows = [];
    for (const action of this.take.actions) {
      let row = rows.findIndex((end) => end <= action.start);
      if (row < 0) row = rows.push(0) - 1;
      rows[row] = action.end;
      action.row = row;
    }
    const step = Math.min(14, (high - 4) / Math.max(1, rows.length));
    pen.font = "10px system-ui";
    pen.textBaseline = "middle";
    for (const action of this.take.actions) {
      const [left, right, top] = [x(action.start), x(action.end), 3 + action.row * step];
      pen.globalAlpha = 0.2;
      pen.fillStyle = own;
      pen.fillRect(left, top, Math.max(1, right - left - 1), step - 2);
      pen.globalAlpha = 1;
      pen.save();
      pen.beginPath();
      pen.rect(left, top, Math.max(1, right - left - 2), step - 2);
      pen.clip();
      pen.fillStyle = colour("ink");
      if (step > 9) pen.fillText(action.name, left + 3, top + step / 2 - 1);
      pen.restore();
    }
  }

  drawCurve(pen, x, high, own) {
    if (!this.curve) return;
    const most = Math.max(2, ...this.curve.weight);
    const y = (weight) => high - 2 - (weight / most) * (high - 8);
    pen.strokeStyle = own;
    pen.lineWidth = 1.6;
    pen.beginPath();
    this.curve.times.forEach((time, place) => pen.lineTo(x(time), y(this.curve.weight[place])));
    pen.stroke();
  }
}
