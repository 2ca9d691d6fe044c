// Points on a canvas: thousands of them, to point at, step through by arrows, enlarge and push about.
import { colour, h } from "../dom.js";

const MARGIN = 18;
const REACH = 22; // pixels within which a point is meant
const CLICK = 4; // pixels that a click may move

export class Scatter {
  // `pick` is called with the place of a point that is pointed at or stepped to, `enter` with one that is clicked.
  constructor(points, pick, enter) {
    this.points = points;
    this.styles = [];
    this.chosen = 0;
    this.pick = pick;
    this.canvas = h("canvas", { tabindex: "0", role: "application", "aria-roledescription": "map", "aria-label": "All takes as points: arrows go from one to the next, Enter opens its pair" });
    this.element = h("div", { class: "scatter" }, this.canvas);
    this.still = document.createElement("canvas");
    const [xs, ys] = [points.map((point) => point.x), points.map((point) => point.y)];
    const [left, right, low, high] = [least(xs), -least(xs.map((x) => -x)), least(ys), -least(ys.map((y) => -y))];
    this.middle = [(left + right) / 2, (low + high) / 2];
    this.half = [Math.max((right - left) / 2, 1e-9), Math.max((high - low) / 2, 1e-9)];
    this.scale = 1;
    this.centre = [0, 0]; // what is in the middle of the canvas, counted from the middle of all points
    this.follow(enter);
    this.watch = new ResizeObserver(() => this.draw());
    this.watch.observe(this.canvas);
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.repaint = () => this.draw();
    this.dark.addEventListener("change", this.repaint);
  }

  close() {
    this.watch.disconnect();
    this.dark.removeEventListener("change", this.repaint);
  }

  follow(enter) {
    let [from, moved] = [null, 0];
    const at = (event) => { const box = this.canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
    this.canvas.addEventListener("pointerdown", (event) => { [from, moved] = [at(event), 0]; this.canvas.setPointerCapture(event.pointerId); });
    this.canvas.addEventListener("pointermove", (event) => {
      const now = at(event);
      if (from) {
        moved = Math.max(moved, Math.hypot(now[0] - from[0], now[1] - from[1]));
        if (moved > CLICK && this.scale > 1) { this.push(now[0] - from[0], now[1] - from[1]); from = now; }
        return;
      }
      const near = this.nearest(...now);
      if (near >= 0 && near !== this.chosen) this.pick(near);
    });
    this.canvas.addEventListener("pointerup", (event) => {
      const near = from && moved <= CLICK ? this.nearest(...at(event)) : -1;
      from = null;
      if (near < 0) return;
      const again = near === this.chosen;
      if (!again) this.pick(near);
      if (event.pointerType === "mouse" || again) enter(near); // a finger hides what it points at: it taps twice
    });
    this.canvas.addEventListener("pointercancel", () => { from = null; });
    this.canvas.addEventListener("wheel", (event) => { event.preventDefault(); this.zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2, at(event)); }, { passive: false });
  }

  paint(styles) {
    this.styles = styles;
    this.draw();
  }

  choose(place, move) {
    this.chosen = place;
    if (move && this.wide) {
      const [x, y] = this.at(place);
      if (x < MARGIN || y < MARGIN || x > this.wide - MARGIN || y > this.high - MARGIN) this.push(this.wide / 2 - x, this.high / 2 - y);
    }
    this.top();
  }

  // The nearest point in a direction: what lies straight ahead counts more than what lies aside.
  step(right, up) {
    const [x, y] = this.at(this.chosen);
    let [best, found] = [Infinity, -1];
    this.points.forEach((_, place) => {
      const [dx, dy] = [this.at(place)[0] - x, y - this.at(place)[1]];
      const ahead = dx * right + dy * up;
      const aside = Math.abs(dx * up) + Math.abs(dy * right);
      if (place === this.chosen || ahead <= 0 || (!ahead && !aside)) return;
      const far = ahead + 2 * aside;
      if (far < best) [best, found] = [far, place];
    });
    if (found >= 0) this.pick(found);
  }

  nearest(x, y) {
    let [best, found] = [REACH ** 2, -1];
    this.points.forEach((_, place) => {
      const [px, py] = this.at(place);
      const far = (px - x) ** 2 + (py - y) ** 2;
      if (far < best) [best, found] = [far, place];
    });
    return found;
  }

  all() {
    this.scale = 1;
    this.centre = [0, 0];
    this.draw();
  }

  // Larger or smaller; the place under the pointer, or else the chosen one, stays where it is.
  zoom(by, where = this.at(this.chosen)) {
    const before = this.under(...where);
    this.scale = Math.min(Math.max(this.scale * by, 1), 200);
    const after = this.under(...where);
    this.centre = this.scale === 1 ? [0, 0] : this.centre.map((value, side) => value + before[side] - after[side]);
    this.draw();
  }

  push(x, y) {
    this.centre = [this.centre[0] - x / this.unit(), this.centre[1] + y / this.unit()];
    this.draw();
  }

  // Pixels for a step of one: the same both ways, so that what looks near is near.
  unit() {
    return this.scale * Math.min((this.wide / 2 - MARGIN) / this.half[0], (this.high / 2 - MARGIN) / this.half[1]);
  }

  at(place) {
    const [point, unit] = [this.points[place], this.unit()];
    return [this.wide / 2 + (point.x - this.middle[0] - this.centre[0]) * unit, this.high / 2 - (point.y - this.middle[1] - this.centre[1]) * unit];
  }

  under(x, y) {
    return [(x - this.wide / 2) / this.unit() + this.centre[0], (this.high / 2 - y) / this.unit() + this.centre[1]];
  }

  draw() {
    const ratio = devicePixelRatio || 1;
    [this.wide, this.high] = [this.canvas.clientWidth, this.canvas.clientHeight];
    if (!this.wide || !this.styles.length) return;
    this.canvas.style.touchAction = this.scale > 1 ? "none" : "pan-y"; // one finger scrolls the page until there is something to push
    for (const canvas of [this.canvas, this.still]) [canvas.width, canvas.height] = [Math.round(this.wide * ratio), Math.round(this.high * ratio)];
    const pen = this.still.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const size = Math.max(2.5, Math.min(6, 160 / Math.sqrt(this.points.length))) * Math.min(2, this.scale ** 0.3);
    const faint = colour("faint");
    for (const pale of [true, false]) {
      this.points.forEach((_, place) => {
        const style = this.styles[place];
        if (style.pale !== pale) return;
        const [x, y] = this.at(place);
        if (x < -size || y < -size || x > this.wide + size || y > this.high + size) return;
        pen.globalAlpha = pale ? 0.12 : 0.8;
        pen.fillStyle = style.colour ?? faint;
        shape(pen, x, y, size, style.square);
        pen.fill();
      });
    }
    pen.globalAlpha = 1;
    this.top();
  }

  // What was drawn, and a ring round the chosen point.
  top() {
    if (!this.wide || !this.points.length) return;
    const ratio = devicePixelRatio || 1;
    const pen = this.canvas.getContext("2d");
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    pen.drawImage(this.still, 0, 0);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const [x, y] = this.at(this.chosen);
    pen.strokeStyle = colour("ink");
    pen.lineWidth = 2.5;
    pen.beginPath();
    pen.arc(x, y, 10, 0, 7);
    pen.stroke();
  }
}

function shape(pen, x, y, size, square) {
  pen.beginPath();
  if (square) pen.rect(x - size * 0.9, y - size * 0.9, size * 1.8, size * 1.8);
  else pen.arc(x, y, size, 0, 7);
}

const least = (values) => values.reduce((low, value) => Math.min(low, value), Infinity);
