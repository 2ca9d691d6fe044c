// What align rests on: how much each kind of evidence speaks for each offset, the belief in it, and its peaks. A click tries that offset.
import { colour, h, seconds } from "../dom.js";

const LINES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"]; // told apart by people who see few colours
const LEAST = 0.05; // of what the loudest kind says: quieter ones are left out
const BAND = 0.2; // of the height, for the belief

export class Evidence {
  // `go` is called with an offset and a rate: third = offset + rate · first.
  constructor(align, go) {
    this.scores = align.scores;
    this.rate = align.rate ?? 1;
    this.go = go;
    this.kinds = loud(align.scores);
    this.canvas = h("canvas", { role: "img", "aria-label": "What speaks for each offset; the same as buttons below" });
    this.canvas.addEventListener("pointerdown", (event) => {
      const box = this.canvas.getBoundingClientRect();
      go(this.low + ((event.clientX - box.left) / box.width) * (this.high - this.low), this.rate);
    });
    [this.low, this.high] = [align.scores.offsets[0], align.scores.offsets.at(-1)];
    this.now = null;
    this.buttons = h("div", { class: "row", role: "group", "aria-label": "Offsets to try" }, "Try:",
      (align.candidates ?? []).slice(0, 5).map((one) => h("button", { type: "button", "data-offset": String(one.offset), onclick: () => go(one.offset, one.rate) }, `${seconds(one.offset)} (${Math.round(100 * one.share)} %)`)));
    this.element = h("div", { class: "evidence" }, this.canvas,
      h("p", { class: "legend" }, this.kinds.map(([name], place) => legend(name, LINES[place])), legend("belief", "var(--faint)")),
      h("p", { class: "faint" }, "Right: the offset, the observer’s second at which the actor’s video begins. Up: what speaks for it. Click to try it."), this.buttons);
    this.watch = new ResizeObserver(() => this.draw());
    this.watch.observe(this.canvas);
  }

  close() {
    this.watch.disconnect();
  }

  // The offset of the clock in use is a line.
  set(clock) {
    this.now = clock ? clock.toThird(0) : null;
    this.draw();
  }

  draw() {
    const ratio = devicePixelRatio || 1;
    const [wide, high] = [this.canvas.clientWidth, this.canvas.clientHeight];
    if (!wide) return;
    [this.canvas.width, this.canvas.height] = [Math.round(wide * ratio), Math.round(high * ratio)];
    const pen = this.canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const x = (offset) => ((offset - this.low) / Math.max(this.high - this.low, 1e-9)) * wide;
    const foot = high * (1 - BAND);
    const values = this.kinds.flatMap(([, part]) => part);
    const [least, most] = [Math.min(0, ...values), Math.max(1e-6, ...values)];
    const y = (value) => foot - 4 - ((value - least) / (most - least)) * (foot - 10);
    this.axis(pen, x, foot, wide, high);
    this.kinds.forEach(([, part], place) => {
      pen.strokeStyle = LINES[place];
      pen.lineWidth = 1.3;
      pen.beginPath();
      part.forEach((value, at) => pen.lineTo(x(this.scores.offsets[at]), y(value)));
      pen.stroke();
    });
    const top = Math.max(1e-9, ...this.scores.belief);
    pen.fillStyle = colour("faint");
    const step = Math.max(1.5, wide / this.scores.belief.length);
    this.scores.belief.forEach((share, at) => { const tall = (share / top) * (high * BAND - 14); pen.fillRect(x(this.scores.offsets[at]) - step / 2, high - 13 - tall, step, tall); });
    if (this.now !== null) {
      pen.fillStyle = colour("mark");
      pen.fillRect(x(this.now) - 1, 0, 2, high - 13);
    }
  }

  axis(pen, x, foot, wide, high) {
    pen.fillStyle = pen.strokeStyle = colour("faint");
    pen.font = "10px system-ui";
    pen.textBaseline = "bottom";
    const step = [0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600].find((one) => x(this.low + one) > 48) ?? 7200;
    for (let at = Math.ceil(this.low / step) * step; at <= this.high; at += step) {
      pen.fillRect(Math.round(x(at)), high - 13, 1, 3);
      pen.fillText(String(at).replace("-", "−"), Math.min(Math.round(x(at)) + 2, wide - 22), high - 1);
    }
    pen.fillRect(0, foot, wide, 0.5);
  }
}

// Kinds that say something, each from its own middle, the loudest first.
function loud(scores) {
  const kinds = Object.entries(scores.kinds).map(([name, part]) => {
    const middle = [...part].sort((a, b) => a - b)[Math.floor(part.length / 2)];
    return [name, part.map((value) => value - middle)];
  });
  const size = ([, part]) => Math.max(...part.map(Math.abs));
  const most = Math.max(1e-9, ...kinds.map(size));
  return kinds.filter((one) => size(one) > 1e-9 && size(one) >= LEAST * most).sort((a, b) => size(b) - size(a)).slice(0, LINES.length);
}

function legend(name, fill) {
  const dot = h("span", { class: "dot", "aria-hidden": "true" });
  dot.style.background = fill;
  return h("span", { class: "key" }, dot, name);
}
