// Keys of the room that is open, and the list of them on "?".
import { h } from "./dom.js";

let bound = [];
const typing = (target) => target.closest("input:not([type=range]):not([type=checkbox]):not([type=radio]), textarea, select, dialog");

// Each binding is [keys, what it does in words, function]; keys as "M", "Shift+ArrowLeft", "Ctrl+Z".
export function bind(bindings) {
  bound = bindings;
}

function nameOf(event) {
  const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
  const shifted = event.shiftKey && (event.key.length > 1 || /[A-Z]/i.test(event.key));
  const name = key === " " ? "Space" : key;
  return `${event.ctrlKey || event.metaKey ? "Ctrl+" : ""}${shifted ? "Shift+" : ""}${name}`;
}

export function listen() {
  document.addEventListener("keydown", (event) => {
    if (event.altKey || typing(event.target)) return;
    const name = nameOf(event);
    if (name === "?") {
      openList();
      event.preventDefault();
      return;
    }
    if ((name === "Space" || name === "Enter") && event.target.closest("button, a, summary")) return;
    const found = bound.find(([keys]) => keys.split(" ").includes(name));
    if (!found) return;
    event.preventDefault();
    found[2](event);
  });
  document.getElementById("help").addEventListener("click", openList);
}

function openList() {
  const dialog = document.getElementById("keys");
  const rows = [...bound, ["?", "this list", null]].flatMap(([keys, words]) => [
    h("dt", {}, keys.split(" ").flatMap((key, place) => [place ? " " : null, h("kbd", {}, key.replace("Arrow", ""))])),
    h("dd", {}, words),
  ]);
  dialog.replaceChildren(
    h("h1", { id: "keys-title" }, "Keys"),
    h("dl", { class: "keys" }, rows),
    h("p", {}, h("button", { type: "button", onclick: () => dialog.close() }, "Close")),
  );
  dialog.showModal();
}
