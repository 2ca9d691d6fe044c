// Views: what the list shows, kept under a name to come back to.
import { call, get, post } from "../api.js";
import { h, say } from "../dom.js";

// `now` gives the filters in use; `use` puts others in their place.
export function views(now, use) {
  const place = h("div", { class: "box" });
  const name = h("input", { type: "text", maxLength: 80, placeholder: "Name of this view", "aria-label": "Name of this view" });
  const draw = (list) => place.replaceChildren(
    ...(list.length ? list.map((view) => h("p", { class: "row" }, h("button", { type: "button", "data-view": view.name, onclick: () => use(view.query) }, h("bdi", {}, view.name)),
      h("button", { type: "button", "aria-label": `Delete ${view.name}`, onclick: async () => draw(await call("DELETE", `/api/views/${view.id}`)) }, "×"))) : [h("p", { class: "faint" }, "No view is saved yet.")]),
    h("form", { class: "row", onsubmit: save }, name, h("button", {}, "Save what is shown")));
  const save = async (event) => {
    event.preventDefault();
    try {
      draw(await post("/api/views", { name: name.value, query: Object.fromEntries(Object.entries(now()).map(([key, value]) => [key, String(value)])) }));
      name.value = "";
    } catch (error) {
      say(error.message, true);
    }
  };
  const menu = h("details", { class: "menu", ontoggle: async () => { if (menu.open) draw(await get("/api/views")); } }, h("summary", { class: "button" }, "Views"), place);
  return menu;
}
