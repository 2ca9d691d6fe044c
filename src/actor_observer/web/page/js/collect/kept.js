// Pieces of a recording that are not yet known to be with the server, kept by the browser: a locked screen, a reload or a lost
// network loses none of them. A browser without such a store records all the same; then only an open page can send.

const open = () => new Promise((done) => {
  if (!window.indexedDB) return done(null);
  const asked = indexedDB.open("studio-recordings", 1);
  asked.onupgradeneeded = () => { asked.result.createObjectStore("pieces", { keyPath: ["name", "number"] }); asked.result.createObjectStore("about", { keyPath: "name" }); };
  asked.onsuccess = () => done(asked.result);
  asked.onerror = asked.onblocked = () => done(null);
});

async function act(stores, mode, work) {
  const base = await open();
  if (!base) return null;
  return new Promise((done) => {
    const turn = base.transaction(stores, mode);
    const asked = work(...stores.map((name) => turn.objectStore(name)));
    turn.oncomplete = () => { base.close(); done(asked?.result ?? null); };
    turn.onerror = turn.onabort = () => { base.close(); done(null); };
  });
}

const pieces = (name) => IDBKeyRange.bound([name, 0], [name, Infinity]);

// What is known of a recording: {name, facts, id of the upload or null}.
export const note = (about) => act(["about"], "readwrite", (store) => store.put(about));
export const keep = (name, number, blob) => act(["pieces"], "readwrite", (store) => store.put({ name, number, blob }));
export const forget = (name) => act(["pieces", "about"], "readwrite", (some, about) => { some.delete(pieces(name)); return about.delete(name); });
export const left = async () => (await act(["about"], "readonly", (store) => store.getAll())) ?? [];

// All pieces of a recording as one file.
export async function whole(name) {
  const rows = (await act(["pieces"], "readonly", (store) => store.getAll(pieces(name)))) ?? [];
  return rows.length ? new Blob(rows.map((row) => row.blob), { type: rows[0].blob.type }) : null;
}
