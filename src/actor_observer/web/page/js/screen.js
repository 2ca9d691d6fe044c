// One video on the page: it waits while the server converts what the browser cannot play, and says so.
import { get, videoOf } from "./api.js";
import { h, wait } from "./dom.js";
import { ready } from "./player.js";

const BOX_SECONDS = 5; // a box is found for a stretch of time: it is drawn this long before and after its middle

export class Screen {
  constructor(take, label) {
    this.take = take;
    this.fps = 25;
    this.video = h("video", { muted: true, playsInline: true, preload: "auto", tabindex: "-1", "aria-label": label });
    this.video.muted = true;
    this.words = h("p", {}, "…");
    this.bar = h("progress", { max: "1", value: "0", "aria-label": "Conversion" });
    this.waiting = h("div", { class: "wait", hidden: true }, h("div", {}, this.words, this.bar));
    this.gone = h("div", { class: "gone", hidden: true });
    this.boxes = []; // where the wearer of the other camera is, as align found it
    this.box = h("div", { class: "wearer", hidden: true }, h("span", {}, "wearer?"));
    this.element = h("div", { class: "screen" }, this.video, this.box, this.gone, this.waiting);
    this.alive = true;
    this.forced = false;
    this.broken = ""; // why it will not play
  }

  // Until it can be played; what is in the way stands in its place for as long as it is.
  async load() {
    try {
      await this.fetch();
    } catch (error) {
      this.broken = error.message;
      this.say("");
      this.waiting.hidden = false;
      this.bar.hidden = true;
      this.words.textContent = error.message;
      throw error;
    }
  }

  async fetch() {
    await this.prepare(false);
    if (!this.alive) return;
    await new Promise((done, fail) => {
      this.video.addEventListener("loadedmetadata", done, { once: true });
      this.video.addEventListener("error", async () => {
        if (!this.video.getAttribute("src") || this.forced) return fail(new Error("The browser cannot play this video."));
        this.forced = true; // AV1 and others that some browsers cannot play
        await this.prepare(true).catch(fail);
      });
      this.video.src = videoOf(this.take);
    });
    if (this.video.videoWidth) this.element.style.setProperty("--ratio", String(this.video.videoWidth / this.video.videoHeight));
    await ready(this.video, 2);
  }

  // Draw the wearer's box that is nearest in time, if one is near.
  frame(time) {
    const near = this.boxes.reduce((best, one) => (!best || Math.abs(one.time - time) < Math.abs(best.time - time) ? one : best), null);
    const shown = near && Math.abs(near.time - time) < BOX_SECONDS;
    this.box.hidden = !shown;
    if (!shown || near === this.drawn) return;
    this.drawn = near;
    const [left, top, right, bottom] = near.box.map((share) => `${(100 * share).toFixed(1)}%`);
    Object.assign(this.box.style, { left, top, width: `calc(${right} - ${left})`, height: `calc(${bottom} - ${top})` });
    this.box.firstChild.textContent = `wearer, ${Math.round(100 * near.share)} %`;
  }

  // Dim the picture where the recording shows nothing, and say so; "" where it does.
  say(text) {
    if (text && this.broken) return;
    if (this.gone.textContent === text) return;
    this.gone.textContent = text;
    this.gone.hidden = !text;
    this.element.classList.toggle("absent", Boolean(text));
  }

  async prepare(force) {
    for (;;) {
      const state = await get("/api/ready", { take: this.take, force: force || "" });
      if (!this.alive) return;
      if (state.state === "failed") throw new Error(state.error);
      if (state.state === "done") {
        this.fps = state.fps || 25;
        this.waiting.hidden = true;
        if (force) this.video.src = `${videoOf(this.take)}&made=1`;
        return;
      }
      this.waiting.hidden = false;
      this.words.textContent = "Converting this video for the browser, once …";
      this.bar.value = state.progress;
      await wait(400);
    }
  }

  close() {
    this.alive = false;
  }
}
