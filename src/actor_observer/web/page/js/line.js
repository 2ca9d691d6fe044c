// A line of time under a video: the weight as a curve, actions as bars, marks, the playhead; a picture on hover.
import { frameOf } from "./api.js";
import { colour, h, seconds } from "./dom.js";

const PEEKS = 500; // places along a line that have a picture: the longest video has no more than these to be made

const AXIS = 14; // pixels
const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600]; // seconds between two ticks
const short = (time) => (time < 60 ? String(Math.round(time * 10) / 10) : `${Math.floor(time / 60)}:${String(Math.round(time % 60)).padStart(2, "0")}`);

export class Line {
  constructor(view, take, go) {
    this.view = view;
    this.take = take;
    this.go = go;
    this.curve = null;
    this.wave = null; // loudness from the start to the end
    this.marks = [];
    this.chosen = null;
    this.shared = null; // from and to, in this video's own time: where the other one shows something too
    this.canvas = h("canvas", { "aria-hidden": "true" });
    this.still = document.createElement("canvas");
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
    this.paint();
  }

  // Everything but the playhead changes seldom: it is drawn once, and copied for every frame.
  draw() {
    const ratio = devicePixelRatio || 1;
    const wide = this.canvas.clientWidth;
    const high = this.canvas.clientHeight;
    if (!wide) return;
    for (const canvas of [this.canvas, this.still]) {
      if (canvas.width !== Math.round(wide * ratio)) canvas.width = Math.round(wide * ratio);
      if (canvas.height !== Math.round(high * ratio)) canvas.height = Math.round(high * ratio);
    }
    this.ink = colour("ink");
    const pen = this.still.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, wide, high);
    const x = (time) => (time / this.take.length) * wide;
    const own = colour(this.view);
    const axis = high > 60 ? AXIS : 0;
    this.drawWave(pen, wide, high - axis, own);
    this.drawActions(pen, x, high - axis, own);
    this.drawCurve(pen, x, high - axis, own);
    this.drawAlone(pen, x, wide, high);
    if (axis) this.drawAxis(pen, x, wide, high);
    for (const mark of this.marks) {
      pen.fillStyle = mark.disputed ? colour("bad") : colour("mark");
      const at = x(mark[this.view]);
      const end = mark[`${this.view}_end`];
      if (end !== null) {
        pen.globalAlpha = 0.3;
        pen.fillRect(at, 0, Math.max(1, x(end) - at), high - axis);
        pen.globalAlpha = 1;
      }
      pen.fillRect(at - (mark.id === this.chosen ? 1.5 : 0.75), 0, mark.id === this.chosen ? 3 : 1.5, high);
      pen.fillRect(at - 4, 0, 8, 5);
    }
    this.paint();
  }

  paint() {
    const { width, height } = this.canvas;
    const pen = this.canvas.getContext("2d");
    pen.clearRect(0, 0, width, height);
    pen.drawImage(this.still, 0, 0);
    pen.fillStyle = this.ink;
    const ratio = devicePixelRatio || 1;
    pen.fillRect((this.time / this.take.length) * width - ratio, 0, 2 * ratio, height);
  }

  drawWave(pen, wide, high, own) {
    if (!this.wave?.length) return;
    const tall = Math.min(26, high / 2);
    pen.fillStyle = own;
    pen.globalAlpha = 0.45;
    this.wave.forEach((loud, place) => {
      const size = Math.max(0.5, (loud / 255) * tall);
      pen.fillRect((place / this.wave.length) * wide, high - tall / 2 - size / 2, Math.max(0.6, wide / this.wave.length), size);
    });
    pen.globalAlpha = 1;
  }

  // Where the other video shows nothing, the line is shaded.
  drawAlone(pen, x, wide, high) {
    if (!this.shared) return;
    pen.fillStyle = colour("faint");
    pen.globalAlpha = 0.25;
    pen.fillRect(0, 0, Math.max(0, x(this.shared[0])), high);
    pen.fillRect(Math.min(wide, x(this.shared[1])), 0, wide, high);
    pen.globalAlpha = 1;
  }

  drawAxis(pen, x, wide, high) {
    const step = STEPS.find((one) => (one / this.take.length) * wide > 56) ?? 7200;
    pen.font = "10px system-ui";
    pen.textBaseline = "bottom";
    pen.fillStyle = pen.strokeStyle = colour("faint");
    pen.lineWidth = 1;
    for (let time = 0; time <= this.take.length; time += step) {
      pen.fillRect(Math.round(x(time)), high - AXIS, 1, 4);
      pen.fillText(short(time), Math.round(x(time)) + 3, high - 1);
    }
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
