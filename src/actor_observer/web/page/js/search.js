// Search: from a moment or a picture, the nearest moments of the other view.
import { call, frameOf, get, post, query, videoOf } from "./api.js";
import { choose, fill, h, say, seconds, wait } from "./dom.js";

const MOST = 1000; // characters of a query, as the server has it

export async function open({ me, values, show }) {
  const place = h("div");
  const making = h("div");
  let alive = true;
  const state = await get("/api/index");
  const asked = { take: values.get("take"), time: Number(values.get("time") ?? 0), subject: "" };
  const choices = await get("/api/choices");
  const run = () => find(place, () => post("/api/search", { take: asked.take, time: asked.time, subject: asked.subject }));
  show(
    h("h1", {}, "Search"),
    asked.take
      ? h("div", { class: "row" }, h("img", { src: frameOf(asked.take, asked.time, 120), alt: "The moment that is looked for", height: 120 }),
        h("p", {}, `${asked.take} at ${seconds(asked.time)}: the nearest moments of the other view.`))
      : h("p", {}, "Open a pair and choose “Search from here”; or drop a picture, or write what happens, below."),
    choices.subjects.length > 1 ? h("div", { class: "row filters" }, choose("Person", [["", "Everybody"], ...choices.subjects.map((one) => [one, one])], "",
      (value) => { asked.subject = value; if (asked.take) run(); })) : null,
    dropping(place, asked),
    wording(place, asked),
    making,
    place,
  );
  if (state.state !== "done") await make(me, making, state, () => alive);
  if (asked.take && alive) await run();
  return () => { alive = false; };
}

// Have the index made where there is none, with its progress; returns when it is there.
export async function make(me, place, state, alive) {
  if (!me.rights.includes("own") && state.state === "none") {
    place.replaceChildren(h("p", {}, "The owner has not made an index yet."));
    throw new Error("There is no index yet: ask the studio's owner to make one.");
  }
  if (state.state === "none" || state.state === "failed") {
    await new Promise((go) => place.replaceChildren(
      h("p", {}, state.error || "There is no index of these videos yet. Making one takes about a second for every ten seconds of video."),
      h("button", { type: "button", class: "main", onclick: go }, "Make the index")));
  }
  const bar = h("progress", { max: "1", value: "0", "aria-label": "The index is made" });
  const words = h("p", { role: "status" });
  place.replaceChildren(words, bar);
  for (let start = true; alive(); start = false) {
    const now = await get("/api/index", { start: start || "" });
    if (now.state === "done") break;
    if (now.state === "failed") throw new Error(now.error);
    bar.value = now.progress;
    words.textContent = now.state === "waiting" ? "The index waits for its turn …" : `The index is being made: ${Math.round(100 * now.progress)} %. Search when it is done.`;
    await wait(700);
  }
  place.replaceChildren();
}

function wording(place, asked) {
  const words = h("input", { type: "search", placeholder: "Or in words: pours water", "aria-label": "What happens, in words" });
  const form = h("form", { class: "row" }, words, h("button", { type: "submit" }, "Search"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const said = words.value.trim();
    if (said.length > MOST) fill(place, h("p", { class: "bad" }, `${said.length} characters: write what happens in at most ${MOST}.`));
    else if (said) find(place, () => post("/api/search/words", { words: said, subject: asked.subject }));
    else fill(place, h("p", { class: "bad" }, "Write what happens, in words, as in: pours water."));
  });
  return form;
}

function dropping(place, asked) {
  const input = h("input", { type: "file", accept: "image/*", "aria-label": "A picture" });
  const view = choose("The picture's view", [["third", "seen by an observer"], ["first", "seen by the actor"]], "third", () => {});
  const zone = h("div", { class: "drop" }, h("p", {}, "Drop a picture here, or choose one."), h("div", { class: "row" }, input, view));
  const send = (file) => {
    if (!file) return;
    find(place, () => call("POST", `/api/search/picture?${query({ view: view.value, subject: asked.subject })}`, file));
  };
  input.addEventListener("change", () => send(input.files[0]));
  zone.addEventListener("dragover", (event) => { event.preventDefault(); zone.classList.add("over"); });
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => { event.preventDefault(); zone.classList.remove("over"); send(event.dataTransfer.files[0]); });
  return zone;
}

async function find(place, ask) {
  place.replaceChildren(h("p", { class: "faint" }, "Searching …"));
  try {
    const found = await ask();
    fill(place,
      found.verdict ? h("p", { class: "bad" }, found.verdict) : null,
      found.note ? h("p", { class: "faint" }, found.note) : null,
      h("div", { class: "hits" }, found.hits.map(hit)),
    );
    document.body.dataset.hits = String(found.hits.length);
  } catch (error) {
    place.replaceChildren(h("p", { class: "bad" }, error.message));
    say(error.message, true);
  }
}

// A picture that plays while the pointer is on it.
function hit(found) {
  const picture = h("img", { class: "pic", src: frameOf(found.take, found.time, 180), alt: "" });
  const href = found.pair ? `#/pair/${encodeURIComponent(found.pair)}` : null;
  const card = h("a", { class: "hit", href }, picture,
    h("p", {}, `${found.video}, ${seconds(found.time)}`, h("br"), h("span", { class: "faint" }, `distance ${found.distance.toFixed(3)} ${found.subject}`)));
  let video = null;
  card.addEventListener("pointerenter", () => {
    const own = h("video", { class: "pic", playsInline: true });
    video = own;
    own.muted = true;
    own.src = `${videoOf(found.take)}#t=${Math.max(0, found.time - 1)}`;
    own.addEventListener("canplay", () => { if (video !== own) return; picture.replaceWith(own); own.play().catch(() => {}); }, { once: true }); // the pointer may have left
    own.addEventListener("timeupdate", () => { if (own.currentTime > found.time + 2) own.currentTime = Math.max(0, found.time - 1); });
  });
  card.addEventListener("pointerleave", () => {
    if (video?.isConnected) video.replaceWith(picture);
    video?.removeAttribute("src");
    video = null;
  });
  return card;
}
