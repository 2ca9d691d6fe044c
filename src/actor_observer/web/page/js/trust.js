// Which clock is in use and how far it can be trusted, in words.

export const NAMES = { scaled: "scaled lengths", data: "the data’s", align: "align’s", marks: "people’s marks", hand: "by hand", tried: "tried" };

// [words, whether to rely on it]
export function trust(name, align, marks) {
  if (name === "data") return ["the data’s clock: as the data set states it", true];
  if (name === "marks") return [marked(marks), marks.agreed];
  if (name === "align") return alignSays(align);
  if (name === "tried") return ["an offset that you try: shift it by hand to keep it", false];
  if (name === "hand") return ["by hand: as you set it", true];
  return ["scaled lengths: a guess", false];
}

export function alignSays(align) {
  if (align?.verdict === "in step") return [`align: in step${align.offset_error == null ? "" : `, ± ${align.offset_error.toFixed(2)} s`}`, true];
  if (align?.verdict === "unrelated") return ["align: probably not the same event, best guess", false];
  return ["align: cannot tell, best guess", false];
}

function marked(marks) {
  const count = (number, word, many) => `${number} ${number === 1 ? word : many}`;
  const who = `${count(marks.list.length, "mark", "marks")} by ${count(marks.people, "person", "people")}`;
  const disputed = marks.list.filter((mark) => mark.disputed).length;
  if (disputed) return `people’s marks: ${who}, ${disputed} contradict each other`;
  return marks.list.length === 1 ? `people’s marks: ${who}, an offset alone` : `people’s marks: ${who}`;
}

// The clock to begin with: what people or the data say, align's where it is sure, else a guess that calls itself one.
export function best(clocks, align, marks) {
  if (clocks.marks && marks.agreed) return "marks";
  if (clocks.hand) return "hand";
  if (clocks.data) return "data";
  return clocks.align && align?.verdict === "in step" ? "align" : "scaled";
}

// How far the other clocks are off the one in use, at most, within the third-person video.
export function differ(clocks, used, length) {
  const times = Array.from({ length: 61 }, (_, step) => (step / 60) * length);
  const off = (name) => Math.max(...times.map((time) => Math.abs(clocks[used].toFirst(time) - clocks[name].toFirst(time))));
  return Object.keys(clocks).filter((name) => name !== used && clocks[name]).map((name) => `${NAMES[name]}: up to ${off(name).toFixed(1)} s off this one`).join("; ");
}
