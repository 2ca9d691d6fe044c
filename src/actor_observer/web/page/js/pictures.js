// Pictures are fetched a few at a time, the newest first: a browser has six connections, and calls must find one free.

const MOST = 3;
const waiting = [];
let running = 0;

export function later(image, source) {
  waiting.push([image, source]);
  next();
  return image;
}

function next() {
  while (running < MOST && waiting.length) {
    const [image, source] = waiting.pop();
    if (image.dataset.dropped) continue;
    running += 1;
    const done = () => {
      image.removeEventListener("load", done);
      image.removeEventListener("error", done);
      running -= 1;
      next();
    };
    image.addEventListener("load", done);
    image.addEventListener("error", done);
    image.src = source;
  }
}

// Forget the pictures of an element that leaves the page.
export function drop(element) {
  for (const image of element.querySelectorAll("img")) {
    image.dataset.dropped = "yes";
    if (image.src && !image.complete) {
      image.src = "";
      image.dispatchEvent(new Event("error"));
    }
  }
  element.remove();
}
