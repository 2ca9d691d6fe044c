// People: who may come in, by a link of their own.
import { call, get, post } from "./api.js";
import { choose, h, say } from "./dom.js";

export async function open({ me, show }) {
  const list = h("tbody");
  const link = h("div");
  const name = h("input", { type: "text", "aria-label": "Name", placeholder: "Name", maxLength: 80 });
  let role = "mark";
  const roles = choose("Role", [["look", "may look"], ["mark", "may look and mark"], ["collect", "may record"], ["owner", "may do everything"]], role, (value) => { role = value; });
  const draw = async () => {
    const people = await get("/api/people");
    list.replaceChildren(...people.map((person) => h("tr", {},
      h("td", {}, person.name, person.removed ? h("span", { class: "faint" }, " (removed)") : null), h("td", {}, person.role), h("td", {}, String(person.recordings)), h("td", {}, person.expires ? new Date(person.expires * 1000).toLocaleDateString() : "–"),
      h("td", { class: "row" },
        person.removed ? null : h("button", { type: "button", onclick: async () => {
          if (!confirm(`A new link for ${person.name}? The old one stops working, and whoever came in by it is signed out.`)) return;
          give(link, person.name, await post(`/api/people/${person.id}/link`));
        } }, "New link"),
        h("button", { type: "button", onclick: async () => {
          if (!confirm(`Delete all recordings of ${person.name}? This cannot be undone.`)) return;
          say(`${(await post(`/api/people/${person.id}/withdraw`)).deleted} recordings deleted`);
          draw();
        } }, "Withdraw recordings"),
        person.id === me.id || person.removed ? null : h("button", { type: "button", onclick: async () => { await call("DELETE", `/api/people/${person.id}`); draw(); } }, "Remove")))));
  };
  const add = async (event) => {
    event.preventDefault();
    try {
      const made = await post("/api/people", { name: name.value, role });
      give(link, made.name, made);
      name.value = "";
      await draw();
    } catch (error) {
      say(error.message, true);
    }
  };
  const names = h("textarea", { rows: 5, "aria-label": "Names", placeholder: "One name on each line, or with commas between" });
  const many = async (event) => {
    event.preventDefault();
    const list = names.value.split(/[\n,;]/).map((one) => one.trim()).filter(Boolean);
    try {
      sheet(link, await post("/api/people/many", { names: list, role }));
      names.value = "";
      await draw();
    } catch (error) {
      say(error.message, true);
    }
  };
  show(
    h("h1", {}, "People"),
    me.shared ? null : h("p", { class: "bad" }, "This studio serves this machine only: its links work nowhere else. Start it with --share to invite others."),
    h("p", {}, "Each person gets a link of their own. Whoever has a link is that person here, so give it to them alone."),
    h("form", { class: "row", onsubmit: add }, name, roles, h("button", { class: "main" }, "Add")),
    h("details", { class: "many" }, h("summary", {}, "Many at once"), h("form", { onsubmit: many }, names, h("p", {}, h("button", { class: "main" }, "Add all, with the role chosen above")))),
    link,
    h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, ["Name", "Role", "Recordings", "Link until", "Do"].map((text) => h("th", { scope: "col" }, text)))), list)),
  );
  await draw();
}

function give(place, name, made) {
  place.replaceChildren(h("div", { class: "box" },
    h("p", {}, `The link of ${name}, for ${made.days} days. It is shown only now; an earlier one no longer works.`),
    h("p", { class: "link" }, made.link),
    h("img", { class: "qr", alt: "The same link as a QR code", src: `data:image/svg+xml,${encodeURIComponent(made.qr)}` })));
}

// All links as one page to print and cut up.
function sheet(place, made) {
  place.replaceChildren(h("div", { class: "box wide" },
    h("p", { class: "screen-only" }, `${made.length} links, for ${made[0]?.days} days. They are shown only now. `, h("button", { type: "button", class: "main", onclick: () => window.print() }, "Print them")),
    h("div", { class: "invitations" }, made.map((one) => h("figure", {}, h("figcaption", {}, h("b", { dir: "auto" }, one.name), h("span", { class: "link" }, one.link)),
      h("img", { class: "qr", alt: `The link of ${one.name} as a QR code`, src: `data:image/svg+xml,${encodeURIComponent(one.qr)}` }))))));
}
