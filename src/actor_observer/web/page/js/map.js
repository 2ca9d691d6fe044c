// The distances of all moments of one video to all of the other, as a map to click into; clocks are lines on it.
import { colour, h } from "./dom.js";

export class DistanceMap {
  constructor(seen, lengths, go) {
    this.lengths = lengths;
    this.canvas = h("canvas", { width: 420, height: 420, role: "img", tabindex: "-1",
      "aria-label": "Distances between all moments: the observer's time goes to the right, the actor's goes down; dark is near" });
    this.element = h("div", { class: "map" }, this.canvas, h("p", { class: "faint" }, "Right: the observer's time. Down: the actor's. Dark: alike. Click to go there."));
    this.picture = paint(seen.map);
    this.clocks = {};
    this.current = "";
    this.at = [0, 0];
    this.canvas.addEventListener("pointerdown", (event) => {
      const box = this.canvas.getBoundingClientRect();
      go(((event.clientX - box.left) / box.width) * lengths[0], ((event.clientY - box.top) / box.height) * lengths[1]);
    });
  }

  set(third, first) {
    if (Math.abs(third - this.at[0]) + Math.abs(first - this.at[1]) < 0.01) return;
    this.at = [third, first];
    this.draw();
  }

  draw() {
    const pen = this.canvas.getContext("2d");
    const { width, height } = this.canvas;
    pen.imageSmoothingEnabled = true;
    pen.drawImage(this.picture, 0, 0, width, height);
    const x = (time) => (time / this.lengths[0]) * width;
    const y = (time) => (time / this.lengths[1]) * height;
    for (const [name, clock] of Object.entries(this.clocks)) {
      pen.strokeStyle = name === this.current ? "#ff5ad0" : "rgb(255 255 255 / .55)";
      pen.lineWidth = name === this.current ? 2.5 : 1.2;
      pen.beginPath();
      for (let step = 0; step <= 120; step += 1) {
        const time = (step / 120) * this.lengths[0];
        pen.lineTo(x(time), y(clock.toFirst(time)));
      }
      pen.stroke();
    }
    pen.fillStyle = "#fff";
    pen.strokeStyle = colour("ink");
    pen.lineWidth = 2;
    pen.beginPath();
    pen.arc(x(this.at[0]), y(this.at[1]), 5, 0, 7);
    pen.fill();
    pen.stroke();
  }
}

function paint(map) {
  const picture = document.createElement("canvas");
  [picture.width, picture.height] = [map.columns, map.rows];
  const image = new ImageData(map.columns, map.rows);
  for (let place = 0; place < map.rows * map.columns; place += 1) {
    const level = parseInt(map.levels.substr(2 * place, 2), 16) / 255; // 0: near
    image.data.set([20 + 215 * level, 24 + 190 * level ** 0.8, 60 + 140 * level ** 0.6, 255], 4 * place);
  }
  picture.getContext("2d").putImageData(image, 0, 0);
  return picture;
}
