// What is heard: one video, the other, both or none; and how loud each is, drawn on its line.
import { get } from "./api.js";
import { choose, h, wait } from "./dom.js";

export class Sound {
  constructor(screens, lines, takes) {
    this.screens = screens;
    this.lines = lines;
    this.takes = takes;
    this.alive = true;
    this.heard = "none";
    this.volumes = { third: 1, first: 1 };
    this.sliders = {};
    for (const view of ["third", "first"]) {
      this.sliders[view] = h("input", { type: "range", min: "0", max: "1", step: "0.05", value: "1", class: "volume", "aria-label": `Volume of the ${view === "third" ? "observer’s" : "actor’s"} video` });
      this.sliders[view].addEventListener("input", () => { this.volumes[view] = Number(this.sliders[view].value); this.apply(); });
    }
    this.element = h("span", { class: "row sound" },
      choose("Sound", [["none", "no sound"], ["third", "hear the observer"], ["first", "hear the actor"], ["both", "hear both"]], "none", (value) => this.hear(value)),
      this.sliders.third, this.sliders.first);
    this.apply();
  }

  hear(which) {
    this.heard = which;
    this.apply();
  }

  apply() {
    for (const view of ["third", "first"]) {
      const on = this.heard === view || this.heard === "both";
      this.screens[view].video.muted = !on;
      this.screens[view].video.volume = this.volumes[view];
      this.sliders[view].hidden = !on;
    }
  }

  // Loudness over time, once the server has read it.
  async draw() {
    for (const view of ["third", "first"]) {
      for (;;) {
        const state = await get("/api/wave", { take: this.takes[view].id });
        if (!this.alive) return;
        if (state.state === "failed") break; // no sound that can be read: no curve
        if (state.state === "done" && state.peaks) {
          this.lines[view].wave = state.peaks;
          this.lines[view].draw();
          break;
        }
        await wait(500);
      }
    }
  }

  close() {
    this.alive = false;
  }
}
