// Send a recording piece by piece; broken off, it goes on where the server has it.
import { call, get, insist, Refused } from "./api.js";
import { wait } from "./dom.js";

const memory = "studio-upload";
const TRIES = 40; // a phone may be without network for minutes

// Wait so long, and then until there is a network and the screen is on: a phone that was locked goes on when it is back.
async function online(milliseconds) {
  await wait(milliseconds);
  while (!navigator.onLine || document.hidden) await wait(500);
}

export class Upload {
  constructor(facts, chunk, progress) {
    this.facts = facts;
    this.chunk = chunk;
    this.progress = progress;
    this.id = null;
    this.stopped = false;
  }

  async start(size) {
    const made = await insist("POST", "/api/uploads", { ...this.facts, size }, TRIES);
    this.id = made.id;
    this.received = 0;
  }

  // A file: the same one chosen again after a reload goes on where it stopped.
  async sendFile(file) {
    const name = JSON.stringify([this.facts.assignment, this.facts.view, file.name, file.size, file.lastModified]);
    const known = JSON.parse(localStorage.getItem(memory) ?? "{}");
    if (known.name === name) {
      const state = await get(`/api/uploads/${known.id}`).catch(() => null);
      if (state?.state === "open") {
        this.id = known.id;
        this.received = state.received;
      }
    }
    if (!this.id) await this.start(file.size);
    localStorage.setItem(memory, JSON.stringify({ name, id: this.id }));
    while (this.received < file.size) {
      await this.put(file.slice(this.received, this.received + this.chunk));
      this.progress(this.received / file.size);
    }
    localStorage.removeItem(memory);
    return this.finish();
  }

  // A recording that the browser has kept: what the server has not yet is sent.
  async sendRest(blob, id) {
    const state = id ? await insist("GET", `/api/uploads/${id}`, undefined, TRIES).catch(() => null) : null;
    if (state && state.state !== "open") return state.state === "refused" ? { findings: [{ say: state.note }] } : this.finish(id);
    if (state) [this.id, this.received] = [id, state.received];
    else await this.start(null);
    for (let at = this.received; at < blob.size; at = this.received) {
      await this.put(blob.slice(at, at + this.chunk));
      this.progress(this.received, blob.size);
    }
    return this.finish();
  }

  // Send one piece at the place where the server is; wait and try again while it does not answer.
  async put(piece) {
    for (let attempt = 0; ; attempt += 1) {
      if (this.stopped) throw new Refused("Stopped.", 0, {});
      try {
        const from = this.received;
        const said = await call("PUT", `/api/uploads/${this.id}?offset=${from}`, piece);
        this.received = said.received;
        return;
      } catch (error) {
        if (error.status === 409 && Number.isFinite(error.body?.received)) {
          const had = error.body.received - this.received; // what arrived although its answer did not
          if (had < 0 || had > piece.size) throw error;
          this.received = error.body.received;
          if (had === piece.size) return;
          piece = piece.slice(had);
        } else if (error.status !== 0 && error.status !== 408 && error.status !== 429 && error.status < 500) throw error;
        else if (error.status === 507) throw error;
        if (attempt > TRIES) throw error;
        await online(Math.min(8000, 400 * 1.5 ** attempt));
      }
    }
  }

  // Pieces of a recording while it is made: nothing waits for the end.
  queue(piece, before = async () => {}) {
    this.sending = (this.sending ?? this.start(null)).then(before).then(() => this.sendAll(piece));
    return this.sending;
  }

  async sendAll(piece) {
    for (let at = 0; at < piece.size; at += this.chunk) await this.put(piece.slice(at, at + this.chunk));
    this.progress(this.received);
  }

  async finish(id = this.id) {
    this.id = id;
    let state = await insist("POST", `/api/uploads/${this.id}/finish`, {}, TRIES); // said twice, it is done once
    while (state.state === "waiting" || state.state === "running") {
      await wait(400);
      state = await insist("GET", `/api/uploads/${this.id}/taken`, undefined, TRIES);
    }
    if (state.state === "failed") throw new Refused(state.error, 409, state);
    return state.result;
  }
}
