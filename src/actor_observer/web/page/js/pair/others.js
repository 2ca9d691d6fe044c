// The other cameras of an event and what was measured beside them, under the two videos of a pair, all on its clock.
import { get } from "../api.js";
import { Clock } from "../clock.js";
import { h, seconds } from "../dom.js";
import { chase, place } from "../player.js";
import { Screen } from "../screen.js";
import { measured } from "./measured.js";

export class Others {
  constructor(room, found) {
    this.room = room;
    this.alive = true;
    this.errors = [];
    this.cameras = found.others.map((one) => ({ ...one, clock: new Clock(one.clock), screen: new Screen(one.take, one.name), time: h("small") }));
    this.curvesPlace = h("div");
    this.element = h("section", { class: "others", "aria-label": "Other cameras", hidden: !this.cameras.length && !found.measured },
      this.cameras.length ? h("h2", {}, `The other ${this.cameras.length === 1 ? "camera" : `${this.cameras.length} cameras`} of this event`) : null,
      h("div", { class: "grid" }, this.cameras.map((one) => h("figure", { class: `${one.view}-side`, "data-take": one.take },
        h("figcaption", {}, h("a", { class: one.view, href: `#/pair/${encodeURIComponent(one.pair)}` }, one.name), " ", one.time, one.guess ? h("span", { class: "faint" }, " scaled lengths: a guess") : null), one.screen.element))),
      this.curvesPlace);
    this.tick = this.tick.bind(this);
    room.step.addEventListener("time", this.tick);
  }

  async load() {
    await Promise.all(this.cameras.map((one) => one.screen.load().catch(() => {}))); // one that does not play says so itself
    await measured(this);
  }

  // Where a camera should be at a time of the observer's.
  at(camera, time) {
    return camera.by === "third" ? camera.clock.toFirst(time) : camera.clock.toThird(this.room.step.clock.toFirst(time));
  }

  tick() {
    const { step } = this.room;
    if (!step.clock) return;
    const now = step.leader === step.third && step.playing ? step.third.currentTime : step.time;
    for (const camera of this.cameras) {
      const { video } = camera.screen;
      const length = video.duration || 0;
      if (!length) continue;
      const wanted = this.at(camera, now);
      const there = wanted >= 0 && wanted <= length - 0.02;
      camera.screen.say(there ? "" : wanted < 0 ? "has not begun" : "has ended");
      camera.time.textContent = there ? seconds(video.currentTime) : "–";
      if (step.playing && step.linked && !step.stalled && there) {
        const slope = (this.at(camera, now + 0.5) - wanted) / 0.5;
        const off = chase(video, wanted, step.speed * slope);
        if (off !== null) this.errors.push(off);
      } else {
        if (!video.paused) video.pause();
        if (!video.seeking && Math.abs(video.currentTime - Math.min(Math.max(wanted, 0), length)) > 0.02) place(video, wanted);
      }
    }
    if (this.errors.length > 20000) this.errors.splice(0, 10000);
    this.curves?.set(now);
  }

  close() {
    this.alive = false;
    this.room.step.removeEventListener("time", this.tick);
    this.curves?.close();
    for (const { screen } of this.cameras) {
      screen.close();
      screen.video.pause();
      screen.video.removeAttribute("src");
      screen.video.load();
    }
  }
}
