// How far a recording is on its way to the studio, and recordings that a reload or a locked screen has left behind.
import { h, say } from "../dom.js";
import { Upload } from "../upload.js";
import { forget, left, whole } from "./kept.js";

const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

export class Sending {
  constructor() {
    this.words = h("p", { role: "status" });
    this.bar = h("progress", { max: "1", value: "0", hidden: true, "aria-label": "Sent" });
    this.element = h("div", {}, this.words, this.bar);
  }

  set(sent, all) {
    this.bar.hidden = false;
    this.bar.value = all ? sent / all : 0;
    if (all > 1) this.words.textContent = sent < all ? `Sending: ${megabytes(sent)} of ${megabytes(all)} MB` : "Looking at the recording …";
    else this.words.textContent = sent < 1 ? `Sending: ${Math.round(100 * sent)} %. Keep this page open.` : "Looking at the recording …";
  }

  clear() {
    this.bar.hidden = true;
    this.words.textContent = "";
    this.words.className = "";
  }

  // Do something; what goes wrong is said here.
  async during(work) {
    this.clear();
    try {
      await work();
    } catch (error) {
      this.bar.hidden = true;
      this.words.className = "bad";
      this.words.textContent = error.message;
    }
  }
}

// It stays in the browser until it was sent, or somebody says that it is not wanted.
function behind(about, blob, error) {
  const box = h("div", { class: "box finding", "data-behind": "yes" }, h("p", {}, `A recording of ${megabytes(blob.size)} MB in this browser was not sent: ${error.message}`),
    h("p", {}, "Open this page again to send it, or ", h("button", { type: "button", onclick: async () => { await forget(about.name); box.remove(); } }, "delete it")));
  document.getElementById("main").prepend(box);
}

let busy = false;

// Send what is left of earlier recordings, one after the other.
export async function unsent(limits, draw) {
  if (busy || document.querySelector(".recorder")) return;
  busy = true;
  try {
    for (const about of await left()) {
      const blob = await whole(about.name);
      if (!blob) {
        await forget(about.name);
        continue;
      }
      say(`Sending a recording that was left behind (${megabytes(blob.size)} MB) …`);
      try {
        const found = await new Upload(about.facts, limits.chunk, () => {}).sendRest(blob, about.id);
        await forget(about.name);
        say(found.findings?.length ? found.findings.map((one) => one.say).join(" ") : "A recording that was left behind has arrived.");
        await draw();
      } catch (error) {
        behind(about, blob, error);
      }
    }
  } finally {
    busy = false;
  }
}
