// What was measured beside a pair's cameras: fetched, drawn, and put in step where nobody has said when it began.
import { get } from "../api.js";
import { Clock } from "../clock.js";
import { h, say, wait } from "../dom.js";
import { Curves } from "./curves.js";

// Fetch it into a place of the page; `others` is what holds the room, the place, and whether the page is still open.
export async function measured(others) {
  const { pair } = others.room;
  const found = await ask(others, "/api/curves", { id: pair.id });
  if (!found) return;
  const { curves, signals } = found.result;
  others.curves?.close();
  const all = [...curves, ...signals.flatMap((one) => one.curves.map((curve) => ({ ...curve, name: `${one.name} ${curve.name}`, times: curve.times.map((time) => new Clock(one.clock).toThird(time)) })))];
  others.curves = all.length ? new Curves(all, pair.takes.third.length, (time) => others.room.go("third", time)) : null;
  others.curvesPlace.replaceChildren(...[others.curves?.element, signals.length ? said(others, signals) : null].filter(Boolean));
  document.body.dataset.curves = String(all.length);
}

async function ask(others, path, values) {
  while (others.alive) {
    const state = await get(path, values).catch((error) => ({ state: "failed", error: error.message }));
    if (!others.alive) return null;
    if (state.state === "failed") return say(state.error, true);
    if (state.state === "done") return state;
    await wait(500);
  }
  return null;
}

// One line for each signal: by which clock it is drawn, and how far to trust that.
function said(others, signals) {
  const guessed = signals.some((one) => !one.error && !one.verdict);
  const button = h("button", { type: "button", onclick: async () => {
    button.disabled = true;
    button.textContent = "Putting them in step …";
    const done = await ask(others, "/api/signals", { id: others.room.pair.id, start: true });
    if (done) await measured(others);
    else button.disabled = false;
  } }, "Put them in step");
  return h("div", { class: "signals" }, h("ul", { class: "plain" }, signals.map((one) => h("li", {}, h("b", {}, h("bdi", {}, one.name)), " ", h("span", { class: one.verdict === "in step" ? "good" : one.error ? "bad" : "faint" }, words(one))))), guessed ? button : null);
}

function words(one) {
  if (one.error) return one.error;
  if (one.verdict === "in step") return `align: in step${one.offset_error === null ? "" : `, ± ${one.offset_error.toFixed(2)} s`}`;
  const guess = "drawn as if it began with the observer’s video: a guess";
  return one.verdict ? `align: ${one.verdict}; ${guess}` : guess;
}
