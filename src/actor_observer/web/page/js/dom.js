// Elements, made safely: text is always text, never HTML.

export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "class") element.className = value;
    else if (key in element && typeof value !== "string") element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// Fill a place with elements; what is empty is left out.
export const fill = (place, ...children) => place.replaceChildren(...children.flat(3).filter(Boolean));

let hiding = 0;
export function say(text, bad = false) {
  const place = document.getElementById("say");
  place.textContent = text;
  place.classList.toggle("bad", bad);
  place.classList.add("shown");
  clearTimeout(hiding);
  hiding = setTimeout(() => place.classList.remove("shown"), bad ? 8000 : 2600);
}

export function seconds(value) {
  if (!Number.isFinite(value)) return "–";
  const sign = value < 0 ? "−" : "";
  const whole = Math.abs(value);
  const minutes = Math.floor(whole / 60);
  const rest = (whole - 60 * minutes).toFixed(2).padStart(minutes ? 5 : 4, "0");
  if (minutes < 1) return `${sign}${rest} s`;
  const hours = Math.floor(minutes / 60);
  return hours ? `${sign}${hours}:${String(minutes % 60).padStart(2, "0")}:${rest}` : `${sign}${minutes}:${rest}`;
}

export function choose(label, options, value, change) {
  const select = h("select", { "aria-label": label, onchange: () => change(select.value) },
    options.map(([key, text]) => h("option", { value: key, selected: key === value }, text)));
  return select;
}

export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

// A number with what is counted: 1 fault, 2 faults.
export const many = (number, what) => `${number} ${what}${number === 1 ? "" : "s"}`;

export const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
