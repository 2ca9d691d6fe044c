import { get } from "./api.js";
import { h } from "./dom.js";

export async function open({ show }) {
  show(h("h1", {}, (await get("/api/hello")).hello));
}
