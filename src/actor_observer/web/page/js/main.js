// The way in: who is here, which rooms they may enter, and which one is open.
import { get } from "./api.js";
import { fill, h, say } from "./dom.js";
import { bind, listen } from "./keys.js";

let rooms = []; // [address, name, right, module]; the server lists them: web/rooms/__init__.py
const INNER = { pair: ["look", "./pair.js", ""], agreement: ["own", "./agreement.js", "study"], takes: ["look", "./look/takes.js", ""] };
const TITLES = { agreement: "Agreement", takes: "Map of takes" };

let me = null;
let leave = () => {};
let turn = 0; // a room that is still opening when another one is asked for writes nowhere

async function route() {
  const [path, rest = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [name, ...parts] = path.split("/").map(decodeURIComponent);
  const room = rooms.find(([address]) => address === name);
  const inner = INNER[name];
  const [right, module, parent] = room ? [room[2], room[3], name] : inner ?? [null, null, ""];
  for (const link of document.querySelectorAll("#nav a")) {
    if (link.dataset.room === parent) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  leave();
  leave = () => {};
  bind([]);
  turn += 1;
  const mine = turn;
  const stage = h("div");
  const show = (...children) => fill(stage, ...children);
  fill(document.getElementById("main"), stage);
  if (!module || !me.rights.includes(right)) {
    show(h("h1", {}, "Not here"), h("p", {}, "There is no such page, or your role may not see it."));
    return;
  }
  document.title = `${room ? room[1] : parts[0] ?? TITLES[name] ?? name} – Studio`;
  try {
    const { open } = await import(module);
    const keys = (bindings) => { if (mine === turn) bind(bindings); };
    const closing = await open({ me, parts, values: new URLSearchParams(rest), show, bind: keys });
    if (closing && mine === turn) leave = closing;
    else closing?.();
  } catch (error) {
    show(h("h1", {}, "This did not work"), h("p", { class: "bad" }, error.message));
  }
}

async function start() {
  listen();
  try {
    me = await get("/api/me");
  } catch (error) {
    fill(document.getElementById("main"), h("h1", {}, "Studio"), h("p", {}, error.status === 401 ? error.message : `${error.message}`),
      error.status === 401 ? h("p", { class: "faint" }, "The link is the one that the terminal printed, or that the studio's owner gave you.") : null);
    return;
  }
  rooms = me.rooms.map(([file, name, right]) => [file === "look" ? "" : file, name, right, `./${file}.js`]);
  document.getElementById("nav").replaceChildren(...rooms.map(([address, name]) =>
    h("a", { href: `#/${address}`, "data-room": address }, name)));
  if (!me.rights.includes("look") && !location.hash.slice(2)) location.hash = "#/collect";
  addEventListener("hashchange", route);
  addEventListener("unhandledrejection", (event) => {
    if (event.reason?.name === "AbortError") event.preventDefault();
    else if (event.reason?.status !== undefined) {
      say(event.reason.message, true);
      event.preventDefault();
    }
  });
  await route();
}

start();
