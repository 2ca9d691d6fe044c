// Agreement: how far off people were in the studies, each and all together.
import { get } from "./api.js";
import { h } from "./dom.js";

const TITLES = { truth: "Studies, against truth", "each other": "Studies, against each other", "marks, truth": "Marks, against truth", "marks of each other": "Marks, against each other’s" };

function figure(interval, unit = 1) {
  const [value, low, high] = [interval.value, interval.low, interval.high].map((one) => (one === null ? "–" : (unit * one).toFixed(unit === 1 ? 2 : 0)));
  return interval.low === null ? value : `${value} [${low}, ${high}]`;
}

export async function open({ show }) {
  show(h("h1", {}, "Agreement"), h("p", { class: "faint" }, "Measuring …"));
  const { found } = await get("/api/agreement");
  show(
    h("h1", {}, "Agreement"),
    h("p", {}, "Errors in seconds, with 95 % intervals from a bootstrap over pairs. A mark is compared with the clock through the other people’s marks, in seconds of the actor’s video; whoever marks sees a clock and may echo it, which a study does not allow. actor-observer agreement DATA gives the figures of studies, and evaluate then prints them beside the methods; with --marks, those of marks."),
    found.length ? found.map(table) : h("p", {}, "No study has answers yet, and no two people have marked the same pair."),
  );
}

function table(one) {
  const lines = one.lines.length > 1 ? [...one.lines, { ...one.overall, name: "all" }] : one.lines;
  return [
    h("h2", {}, TITLES[one.against] ?? one.against),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Errors against ${one.against}` }, h("table", {},
      h("thead", {}, h("tr", {}, ["Who", "Median (s)", "Mean (s)", "Within 1 s (%)", "Answers", "Skipped", "Pairs"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, lines.map((line) => h("tr", {}, h("th", { scope: "row" }, line.name, line.people ? "" : h("span", { class: "faint" }, ` (${line.who})`)),
        h("td", {}, figure(line.median)), h("td", {}, figure(line.mean)), h("td", {}, figure(line.within, 100)),
        h("td", {}, String(line.answers)), h("td", {}, String(line.skipped)), h("td", {}, String(line.pairs))))))),
  ];
}
