// Calls to the server. What goes wrong is one sentence, shown to the person.

export class Refused extends Error {
  constructor(text, status, body) {
    super(text);
    this.status = status;
    this.body = body;
  }
}

export async function call(method, path, body = undefined, options = {}) {
  const raw = body instanceof Blob || body instanceof ArrayBuffer;
  let answer;
  try {
    answer = await fetch(path, {
      method,
      headers: body === undefined || raw ? {} : { "content-type": "application/json" },
      body: body === undefined || raw ? body : JSON.stringify(body),
      ...options,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused("The studio does not answer: is it still running?", 0, {});
  }
  let said = {};
  try {
    said = await answer.json();
  } catch {
    said = {};
  }
  if (!answer.ok) throw new Refused(said.error || `The studio answered with ${answer.status}.`, answer.status, said);
  return said;
}

export const query = (values) => new URLSearchParams(Object.entries(values).filter(([, value]) => value !== "" && value !== null && value !== undefined)).toString();
export const get = (path, values = {}, options = {}) => call("GET", Object.keys(values).length ? `${path}?${query(values)}` : path, undefined, options);
export const post = (path, body = {}) => call("POST", path, body);

// A write that is worth trying again: its id was made here, so that twice is once.
export async function insist(method, path, body, tries = 6) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await call(method, path, body);
    } catch (error) {
      const passing = error.status === 0 || error.status === 408 || error.status === 429 || error.status === 502 || error.status === 503;
      if (!passing || attempt + 1 >= tries) throw error;
      await new Promise((done) => setTimeout(done, Math.min(8000, 300 * 2 ** attempt)));
    }
  }
}

export const newId = () => Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
export const videoOf = (take) => `/media/video?${query({ take })}`;
export const stripOf = (take) => `/media/strip?${query({ take })}`;
export const frameOf = (take, time, height = 120) => `/media/frame?${query({ take, time: time.toFixed(1), height })}`;
