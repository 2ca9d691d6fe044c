// The keys of the page of one pair.

export const SPEEDS = [0.25, 0.5, 1, 2, 4];

export function keysOf(room) {
  const frame = (sign) => room.frame(sign);
  return [
    ["Space K", "play or stop", () => room.step.toggle()],
    ["L", "play; again: faster", () => (room.step.playing ? room.faster() : room.step.play())],
    ["J", "play backwards", () => room.step.rewind()],
    ["ArrowLeft", "a frame back", () => frame(-1)],
    ["ArrowRight", "a frame on", () => frame(1)],
    ["Shift+ArrowLeft", "a second back", () => room.nudge(-1)],
    ["Shift+ArrowRight", "a second on", () => room.nudge(1)],
    ["1 2 3 4 5", "speed ×¼, ×½, ×1, ×2, ×4", (event) => room.step.setSpeed(SPEEDS[Number(event.key) - 1])],
    ["F", "free the videos from each other, or link them", () => room.step.setLinked(!room.step.linked)],
    ["X", "the other video takes the arrows", () => room.activate(room.active === "third" ? "first" : "third")],
    ["M", "mark: both videos show the same moment", () => room.mark()],
    ["V", "move the chosen mark here", () => room.here((third, first) => room.marks.move(third, first))],
    ["E", "the chosen mark ends here: a stretch of time", () => room.here((third, first) => room.marks.end(third, first))],
    ["[ ]", "shift the actor’s video by a frame, as a clock by hand", (event) => room.me.rights.includes("mark") && room.nudging.shift((event.key === "]" ? 1 : -1) / room.screens.first.fps)],
    [", .", "the mark before, the mark after", (event) => room.marks.near(room.step.third.currentTime, event.key === ".")],
    ["Delete Backspace", "delete the chosen mark", () => room.marks.remove()],
    ["Ctrl+Z U", "undo", () => room.marks.undo()],
    ["Ctrl+Shift+Z Shift+U", "redo", () => room.marks.redo()],
    ["C", "the next clock", () => room.nextClock()],
    ["A", "let the model look: weights, distances, align’s clock", () => room.look()],
    ["S", "search from here", () => room.find()],
    ["G", "copy a link to this moment", () => room.share()],
  ];
}
