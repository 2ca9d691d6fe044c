// Record with the browser's camera: the whole screen shows what it sees, counts down, and has one large button to stop.
import { newId } from "../api.js";
import { h, seconds, wait } from "../dom.js";
import { Upload } from "../upload.js";
import { forget, keep, note } from "./kept.js";

const TYPES = ["video/mp4;codecs=avc1.42E01E,mp4a.40.2", "video/webm;codecs=vp9,opus", "video/webm;codecs=vp8,opus", "video/webm", "video/mp4"];
const COUNT = 3; // seconds until it begins

export const records = () => Boolean(navigator.mediaDevices?.getUserMedia && window.MediaRecorder);

export class Recorder {
  // `title` is what to do; `facts` say what the recording is of; `progress` gets bytes sent and bytes in all.
  constructor(title, facts, limits, progress) {
    this.facts = facts;
    this.limits = limits;
    this.name = newId();
    this.sent = 0;
    this.all = 0;
    this.upload = new Upload(facts, limits.chunk, (received) => { this.sent = received; progress(received, this.all); });
    this.video = h("video", { playsInline: true, "aria-label": "What the camera sees" });
    this.video.muted = true;
    this.count = h("div", { class: "count", role: "timer", "aria-live": "assertive" });
    this.time = h("span", { class: "time" }, "0.00 s");
    this.stopButton = h("button", { type: "button", class: "stop", "data-stop": "yes", hidden: true, onclick: () => this.stop() }, "Stop");
    this.hurried = new Promise((done) => { this.now = h("button", { type: "button", "data-now": "yes", onclick: done }, "Start now"); });
    this.element = h("div", { class: "recorder", role: "dialog", "aria-modal": "true", "aria-label": title }, this.video, this.count,
      h("p", { class: "what" }, title),
      h("div", { class: "under-video" }, h("button", { type: "button", onclick: () => this.cancel() }, "Cancel"), this.now, this.stopButton, this.time));
    this.cancelled = false;
  }

  // Until it was stopped and everything was sent; null where it was cancelled.
  async run() {
    const wanted = { video: { facingMode: "environment", width: { ideal: 1280 }, height: { ideal: 720 } }, audio: false };
    this.stream = await navigator.mediaDevices.getUserMedia(wanted)
      .catch((error) => { throw new Error(error.name === "NotAllowedError" ? "The camera was not allowed: allow it for this page, or choose a file." : "There is no camera here: choose a file instead."); });
    document.body.append(this.element);
    this.element.requestFullscreen?.().catch(() => {}); // it covers the page without it, too
    this.lock = await navigator.wakeLock?.request("screen").catch(() => null);
    try {
      this.video.srcObject = this.stream;
      await this.video.play().catch(() => {});
      for (let left = COUNT; left > 0 && !this.cancelled; left -= 1) {
        this.count.textContent = String(left);
        await Promise.race([wait(1000), this.hurried]);
      }
      this.count.remove();
      this.now.remove();
      return this.cancelled ? null : await this.record();
    } finally {
      this.end();
    }
  }

  async record() {
    const type = TYPES.find((one) => MediaRecorder.isTypeSupported(one)) ?? "";
    this.recorder = new MediaRecorder(this.stream, { mimeType: type, videoBitsPerSecond: 4_000_000 });
    let [number, trouble] = [0, null];
    const about = { name: this.name, facts: this.facts, id: null };
    await note(about);
    this.recorder.addEventListener("dataavailable", ({ data }) => {
      if (!data.size || this.cancelled) return;
      this.all += data.size;
      const kept = keep(this.name, number++, data);
      this.upload.queue(data, async () => { await kept; await note({ ...about, id: this.upload.id }); }).catch((error) => { trouble ??= error; });
    });
    const stopped = new Promise((done) => this.recorder.addEventListener("stop", done, { once: true }));
    this.stopButton.hidden = false;
    this.stopButton.focus();
    const began = performance.now();
    const timer = setInterval(() => {
      const took = (performance.now() - began) / 1000;
      this.time.textContent = seconds(took);
      if (took > this.limits.longest - 5) this.stop();
    }, 200);
    this.recorder.start(1000);
    await stopped;
    clearInterval(timer);
    this.end();
    if (this.cancelled) {
      await forget(this.name);
      return null;
    }
    await this.upload.sending;
    if (trouble) throw trouble;
    const result = await this.upload.finish();
    await forget(this.name);
    return result;
  }

  stop() {
    if (this.recorder && this.recorder.state !== "inactive") this.recorder.stop();
  }

  cancel() {
    this.cancelled = this.upload.stopped = true;
    this.stop();
    this.end();
  }

  // Give the camera and the screen back.
  end() {
    this.stream?.getTracks().forEach((track) => track.stop());
    this.lock?.release().catch(() => {});
    if (document.fullscreenElement === this.element) document.exitFullscreen().catch(() => {});
    this.element.remove();
  }
}
