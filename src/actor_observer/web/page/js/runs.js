// Runs: the report of each, and two of them side by side on the same pair.
import { get, query } from "./api.js";
import { choose, fill, h, wait } from "./dom.js";
import { Clock } from "./clock.js";
import { DistanceMap } from "./map.js";
import { Evidence } from "./pair/evidence.js";

export async function open({ show }) {
  const runs = await get("/api/runs");
  const report = h("div");
  const both = h("div", { class: "two" });
  let alive = true;
  const read = (number) => {
    const run = runs[number];
    report.replaceChildren(run.report
      ? h("iframe", { src: `/runs/${number}/report`, title: `Report of ${run.name}`, sandbox: "" })
      : h("p", { class: "faint" }, `${run.name} has no report yet: actor-observer report ${run.name} --data DATA`));
  };
  if (!runs.length) {
    show(h("h1", {}, "Runs"), h("p", {}, "The studio was started without runs. Name their folders: actor-observer studio DATA RUN RUN"));
    return;
  }
  const models = runs.filter((run) => run.model);
  const chosen = [models[0]?.number, (models[1] ?? models[0])?.number];
  const pairs = await get("/api/pairs", { count: 200 });
  let pair = pairs.cards[0]?.id;
  const compare = () => {
    both.replaceChildren();
    chosen.forEach((run) => look(both, runs[run], pair, () => alive));
  };
  show(
    h("h1", {}, "Runs"),
    h("div", { class: "row" }, runs.map((run) => h("button", { type: "button", onclick: () => read(run.number) }, run.name))),
    report,
    models.length && pair ? [
      h("h2", {}, "Two runs on the same pair"),
      h("div", { class: "row filters" },
        choose("Pair", pairs.cards.map((card) => [card.id, card.id]), pair, (value) => { pair = value; }),
        choose("One run", models.map((run) => [String(run.number), run.name]), String(chosen[0]), (value) => { chosen[0] = Number(value); }),
        choose("The other run", models.map((run) => [String(run.number), run.name]), String(chosen[1]), (value) => { chosen[1] = Number(value); }),
        h("button", { type: "button", class: "main", onclick: compare }, "Compare")),
      both,
    ] : null,
  );
  read(0);
  return () => { alive = false; };
}

async function look(place, run, pair, alive) {
  const title = h("h2", {}, run.name);
  const body = h("div", {}, h("p", { class: "faint" }, "The model looks …"));
  place.append(h("section", { "aria-label": run.name }, title, body));
  const card = await get("/api/pair", { id: pair });
  while (alive()) {
    const seen = await get(`/api/seen?${query({ id: pair, run: run.number, start: true })}`);
    if (seen.state === "failed") return body.replaceChildren(h("p", { class: "bad" }, seen.error));
    if (seen.third) {
      return fill(body, h("p", {}, "align says: ", h("b", {}, seen.align.verdict), seen.says ? `; ${seen.says}` : ""),
        seen.map ? likeness(seen, card, pair) : null, seen.align.scores ? new Evidence(seen.align, () => { location.hash = `#/pair/${encodeURIComponent(pair)}`; }).element : null, weights(seen, card));
    }
    await wait(700);
  }
}

function likeness(seen, card, pair) {
  const map = new DistanceMap(seen, card.lengths, () => { location.hash = `#/pair/${encodeURIComponent(pair)}`; });
  if (seen.align.clock) map.clocks = { align: Clock.parse(seen.align.clock) };
  map.current = "align";
  map.draw();
  return map.element;
}

function weights(seen, card) {
  const best = (curve) => curve.times.map((time, place) => [curve.weight[place], time]).sort((a, b) => b[0] - a[0]).slice(0, 3).map(([, time]) => `${time.toFixed(1)} s`).join(", ");
  return h("p", { class: "faint" }, `Most weight: observer at ${best(seen.third)}; actor at ${best(seen.first)} (of ${card.lengths.map((length) => `${length.toFixed(1)} s`).join(" and ")}).`);
}
