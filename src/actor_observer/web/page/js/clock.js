// The clock of a pair in the browser: the same piecewise-linear map as the library's.

export class Clock {
  constructor(anchors) {
    this.anchors = anchors.length === 1 ? [anchors[0], [anchors[0][0] + 1, anchors[0][1] + 1]] : anchors;
  }

  static parse(text) {
    return new Clock(text.split(";").map((part) => part.split(":").map(Number)));
  }

  piece(time, side) {
    const points = this.anchors;
    let low = 0;
    let high = points.length - 2;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (points[middle][side] <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  map(time, from, to) {
    const place = this.piece(time, from);
    const [a, b] = [this.anchors[place], this.anchors[place + 1]];
    return a[to] + ((time - a[from]) / (b[from] - a[from])) * (b[to] - a[to]);
  }

  toFirst(third) {
    return this.map(third, 0, 1);
  }

  toThird(first) {
    return this.map(first, 1, 0);
  }

  slope(third) {
    const place = this.piece(third, 0);
    const [a, b] = [this.anchors[place], this.anchors[place + 1]];
    return (b[1] - a[1]) / (b[0] - a[0]);
  }
}
