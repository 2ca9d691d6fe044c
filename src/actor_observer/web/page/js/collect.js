// Collect: consent, a script, two recordings of it, what to do again.
import { get, post } from "./api.js";
import { choose, h, many, say, seconds } from "./dom.js";
import { Recorder, records } from "./collect/recorder.js";
import { Sending, unsent } from "./collect/sending.js";
import { Upload } from "./upload.js";

const facts = { mount: "on a head mount", hands: "both free", others: false, scene: "" };

export async function open({ me, show }) {
  let recorder = null;
  const draw = async () => {
    const state = await get("/api/collect");
    if (state.consent) return show(...consent(state, draw));
    if (!state.script) return show(...idle(me, state, draw));
    show(...working(me, state, draw, (made) => { recorder?.stop(); recorder = made; }));
  };
  await draw();
  unsent((await get("/api/collect")).limits, draw); // what a reload or a locked screen left behind
  document.body.dataset.collect = "open";
  return () => { recorder?.stop(); delete document.body.dataset.collect; };
}

function consent(state, draw) {
  return [
    h("h1", {}, "Before you begin"),
    h("div", { class: "box pre" }, state.consent),
    h("p", {}, h("button", { type: "button", class: "main", onclick: async () => { await post("/api/consent"); await draw(); } }, "I have read this and agree")),
    h("p", { class: "faint" }, "If you do not agree, close this page: nothing has been recorded."),
  ];
}

function idle(me, state, draw) {
  const begin = async () => {
    const { script } = await post("/api/script");
    if (script) await draw();
    else say("You have acted out every script there is. Thank you!");
  };
  return [
    h("h1", {}, "Collect"),
    state.scripts ? h("p", {}, h("button", { type: "button", class: "main", onclick: begin }, "Give me a script")) : h("p", {}, "There are no scripts: start the studio with --scripts FILE."),
    ...footer(me, state, draw),
  ];
}

function footer(me, state, draw) {
  const withdraw = async () => {
    if (!confirm("Delete all your recordings, now and for good?")) return;
    const { deleted } = await post("/api/withdraw");
    say(`${deleted} recordings deleted`);
    await draw();
  };
  const done = state.progress.filter((row) => row.count >= row.wanted).length;
  return [
    h("p", { class: "faint" }, `You have recorded ${many(state.mine.length, "video")}. `,
      h("button", { type: "button", onclick: withdraw }, "Withdraw: delete all my recordings")),
    state.mine.length ? h("details", { class: "own" }, h("summary", {}, "Watch them"), state.mine.map(watch)) : null,
    state.progress.length ? h("details", {}, h("summary", {}, `${done} of ${state.progress.length} classes have enough recordings`),
      h("div", { class: "meter" }, state.progress.flatMap((row) => [h("span", {}, row.name),
        h("progress", { max: String(row.wanted), value: String(Math.min(row.count, row.wanted)), "aria-label": row.name }), h("span", {}, `${row.count} of ${row.wanted}`)]))) : null,
  ];
}

// One of one's own recordings; its video is fetched when it is opened.
function watch(recording) {
  const name = `${recording.view === "third" ? "Before the camera" : "On the forehead"}, ${seconds(recording.length)}, ${new Date(recording.made * 1000).toLocaleString()}`;
  const place = h("details", { ontoggle: () => { if (place.open && place.children.length === 1) place.append(h("video", { class: "live", controls: true, playsInline: true, preload: "metadata", src: `/media/own?id=${encodeURIComponent(recording.id)}`, "aria-label": name })); } }, h("summary", {}, name));
  return place;
}

// Two recordings that do not seem to belong together: whoever made them says whether they do.
function question(script, draw) {
  const yes = async () => {
    await post(`/api/script/${script.id}/keep`);
    say("Thank you, they are a pair.");
    await draw();
  };
  return h("section", { class: "box finding", "aria-label": "A question", "data-doubt": "yes" }, h("h2", {}, "A question"), h("p", {}, script.doubt), h("p", {}, "If not, record the wrong one again."),
    h("p", {}, h("button", { type: "button", class: "main", onclick: yes }, "Yes, keep them as a pair")));
}

function working(me, state, draw, hold) {
  const { script } = state;
  const other = async () => { await post(`/api/script/${script.id}/other`); await draw(); };
  const view = script.recorded.third && !blocks(script.recorded.third) ? "first" : "third";
  const scene = h("input", { type: "text", value: facts.scene || script.scene, placeholder: "Kitchen, living room …", maxLength: 80 });
  scene.addEventListener("change", () => { facts.scene = scene.value; });
  return [
    script.doubt ? question(script, draw) : null,
    h("h1", {}, "Act this out"),
    h("div", { class: "box script" }, script.text),
    script.objects.length ? h("p", {}, "You need: ", script.objects.join(", "), ".") : null,
    h("p", { class: "faint" }, "Read it twice. Do it as you would at home, without looking at the page. If it does not fit your room, ask for another. ",
      h("button", { type: "button", onclick: other }, "Another script, please")),
    h("label", { class: "field" }, "Where are you?", scene),
    step(script, state, "third", view, draw, hold),
    step(script, state, "first", view, draw, hold),
    ...footer(me, state, draw),
  ];
}

const blocks = (recorded) => recorded.findings.some((one) => one.blocks);

function step(script, state, view, now, draw, hold) {
  const recorded = script.recorded[view];
  const title = view === "third" ? "1. Before the camera" : "2. The same again, with the camera on your forehead";
  const words = view === "third"
    ? "Put the phone or camera on a shelf or table so that your whole body and what you handle can be seen. Start the recording, act out the script, stop the recording."
    : "Do the same things in the same way once more, with the camera on your forehead, looking where you look.";
  const body = h("div");
  const again = () => body.replaceChildren(...recording(script, state, view, draw, hold));
  const section = h("section", { class: "box", "aria-label": title, "data-step": view }, h("h2", {}, title), h("p", {}, words), body);
  if (recorded) {
    body.append(h("p", { class: blocks(recorded) ? "bad" : "good" }, blocks(recorded) ? "This one cannot be used:" : `Recorded: ${seconds(recorded.length)}`),
      ...recorded.findings.map((one) => h("p", { class: `finding${one.blocks ? " block" : ""}` }, one.say)),
      h("button", { type: "button", onclick: again }, "Record it again"));
  }
  if (view === now && (!recorded || blocks(recorded))) again();
  return section;
}

function recording(script, state, view, draw, hold) {
  const questions = view === "first" ? [
    h("div", { class: "row" }, h("span", {}, "The camera is"), choose("How the camera is worn", [["on a head mount", "on a head mount"], ["held to the forehead", "held to the forehead with a hand"]], facts.mount, (value) => { facts.mount = value; }),
      h("span", {}, "and your hands are"), choose("Your hands", [["both free", "both free"], ["one free", "one free, one at the camera"]], facts.hands, (value) => { facts.hands = value; })),
  ] : [];
  const others = h("input", { type: "checkbox", checked: facts.others, onchange: () => { facts.others = others.checked; } });
  const sending = new Sending();
  const details = () => ({ assignment: script.id, view, ...facts, ...(view === "third" ? { mount: "", hands: "" } : {}) });
  const taken = async (result) => {
    hold(null);
    if (!result) return sending.clear();
    const found = result.findings ?? [];
    say(found.length ? found.map((one) => one.say).join(" ") : "Thank you, that is fine.", Boolean(found.length));
    await draw();
  };
  const file = h("input", { type: "file", accept: "video/*", capture: records() ? null : "environment", "aria-label": "A video file" });
  file.addEventListener("change", async () => {
    if (!file.files[0]) return;
    const upload = new Upload(details(), state.limits.chunk, (share) => sending.set(share, 1));
    await sending.during(async () => taken(await upload.sendFile(file.files[0])));
    file.value = "";
  });
  const title = view === "third" ? "Act out the script before the camera" : "The same again, the camera on your forehead";
  const record = () => sending.during(async () => {
    const recorder = new Recorder(title, details(), state.limits, (sent, all) => sending.set(sent, all));
    hold({ stop: () => recorder.cancel() });
    await taken(await recorder.run());
  });
  const camera = records()
    ? h("button", { type: "button", class: "main", "data-record": view, onclick: record }, "Record here")
    : h("p", { class: "faint" }, "This browser gives the camera only to https pages: choose a file, or film with the phone's own camera.");
  return [...questions, h("label", { class: "choice" }, others, "More than one person can be seen"), h("div", { class: "row" }, camera, h("label", { class: "field" }, "or choose a video", file)), sending.element];
}
