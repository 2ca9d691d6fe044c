// Queue: the next pair for me, how far each and all are, and for the owner what to accept.
import { get, post } from "./api.js";
import { choose, h, many, say } from "./dom.js";
import { go } from "./pair/turn.js";

const STATES = ["open", "marked", "agreed", "disputed", "accepted", "left out"];
const people = (number) => (number === 1 ? "1 person" : `${number} people`);

export async function open({ me, show }) {
  const own = me.rights.includes("own");
  const list = h("div");
  const draw = async () => {
    const state = await get("/api/queue");
    show(
      h("h1", {}, "Queue"),
      state.pairs ? mine(state) : h("p", {}, own ? "The queue is empty: put pairs into it." : "The queue is empty. The studio’s owner fills it."),
      state.pairs ? everybody(state) : null,
      own ? [filling(draw, state), helpers(state), list] : null,
    );
    document.body.dataset.queue = String(state.pairs);
    if (own && state.pairs) await reviewing(list, draw);
  };
  await draw();
  return () => { delete document.body.dataset.queue; };
}

function mine(state) {
  const { done, skipped, left } = state.mine;
  return h("div", { class: "box" },
    h("p", {}, left ? h("button", { type: "button", class: "main", "data-next": "yes", onclick: () => go().catch((error) => say(error.message, true)) }, "Next pair for me") : "Nothing is left for you. Thank you!"),
    h("p", { class: "faint" }, `You have done ${many(done, "pair")}${skipped ? `, skipped ${skipped}` : ""}; ${left ? `${left} more can be yours` : "none waits for you"}.`));
}

function everybody(state) {
  const share = state.wanted ? state.done / state.wanted : 0;
  return h("section", { "aria-label": "All together" }, h("h2", {}, "All together"),
    h("progress", { max: "1", value: String(share), "aria-label": "Done by all" }),
    h("p", {}, `${state.done} of ${state.wanted} turns are done; ${many(state.short, "pair")} of ${state.pairs} still ${state.short === 1 ? "lacks" : "lack"} people. `,
      STATES.filter((name) => state.states[name]).map((name) => h("span", { class: "tag state", "data-state": name }, `${name} ${state.states[name]}`)).flatMap((tag) => [tag, " "])));
}

function filling(draw, state) {
  const wanted = h("input", { type: "number", min: "1", max: "50", value: "2", "aria-label": "People for each pair" });
  const split = choose("Which pairs", [["", "all pairs"], ["train", "those of train"], ["validation", "those of validation"], ["test", "those of test"]], "", () => {});
  const fill = async (event) => {
    event.preventDefault();
    try {
      const made = await post("/api/queue", { wanted: Number(wanted.value), split: split.value });
      say(`${many(made.pairs, "pair")} in the queue, ${people(Number(wanted.value))} each`);
      await draw();
    } catch (error) {
      say(error.message, true);
    }
  };
  return h("form", { class: "box", onsubmit: fill }, h("h2", {}, state.pairs ? "More pairs, or another number of people" : "Fill the queue"),
    h("div", { class: "row" }, h("label", { class: "field" }, "People for each pair", wanted), h("label", { class: "field" }, "Which", split), h("button", { class: "main", "data-fill": "yes" }, "Put them in the queue")),
    h("p", { class: "faint" }, "Some pairs only, or pairs for one person: choose cards in Look."));
}

function helpers(state) {
  const worked = state.people.filter((one) => one.done || one.skipped || one.given || one.marks);
  if (!worked.length) return null;
  const when = (changed) => (changed ? new Date(changed * 1000).toLocaleString() : "–");
  return h("section", { "aria-label": "Helpers" }, h("h2", {}, "Helpers"),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "What each has done" }, h("table", {}, head(["Who", "Done", "Skipped", "At now", "Marks", "Last"]),
      h("tbody", {}, worked.map((one) => h("tr", {}, h("th", { scope: "row" }, h("bdi", {}, one.name)), [one.done, one.skipped, one.given, one.marks, when(one.changed)].map((value) => h("td", {}, String(value)))))))),
    h("p", {}, h("a", { href: "#/agreement" }, "How well they agree, with each other and with exact clocks")));
}

// Pairs of the queue by their state, to accept or to look at.
async function reviewing(place, draw) {
  let state = "";
  const body = h("tbody");
  const count = h("span", { class: "faint", role: "status" });
  const accept = h("button", { type: "button" }, "Accept all that are agreed");
  const list = async () => {
    const found = await get("/api/queue/pairs", { state });
    count.textContent = found.total > found.pairs.length ? `the first ${found.pairs.length} of ${found.total}` : many(found.total, "pair");
    body.replaceChildren(...found.pairs.map((row) => h("tr", {},
      h("th", { scope: "row" }, h("a", { href: `#/pair/${encodeURIComponent(row.pair)}` }, row.pair)),
      h("td", {}, h("span", { class: "tag state", "data-state": row.state }, row.state)), h("td", {}, `${row.done} of ${row.wanted}`),
      h("td", {}, row.skipped ? `${row.skipped}: ${row.reasons ?? ""}` : ""),
      h("td", {}, row.state === "accepted" ? "" : h("button", { type: "button", "aria-label": `Accept ${row.pair}`, onclick: () => decide([row.pair]) }, "Accept")))));
  };
  const decide = async (pairs) => {
    try {
      await post("/api/review", { pairs, state: "accepted" });
      await draw();
    } catch (error) {
      say(error.message, true);
    }
  };
  accept.addEventListener("click", async () => {
    const found = await get("/api/queue/pairs", { state: "agreed" });
    if (found.total) await decide(found.pairs.map((row) => row.pair));
    else say("No pair is agreed: two people or more must have marked it.");
  });
  place.replaceChildren(h("h2", {}, "Review"),
    h("div", { class: "row filters" }, choose("State", [["", "every state"], ...STATES.map((one) => [one, one])], "", (value) => { state = value; list(); }), accept, count),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Pairs of the queue" }, h("table", {}, head(["Pair", "State", "People", "Skipped", "Accept"]), body)));
  await list();
}

const head = (names) => h("thead", {}, h("tr", {}, names.map((name) => h("th", { scope: "col" }, name))));
