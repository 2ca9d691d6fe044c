// Two videos in step. The third-person video leads where it has pictures; the other follows by the clock: its speed is
// bent a little at a time, and it jumps only when it is far off.

const FAR = 0.3; // seconds off from which it is better to jump
const PULL = 3; // how strongly an error bends the speed, per second
const SLOWEST = 0.0625; // speeds that browsers take
const FASTEST = 16;
const EDGE = 0.02; // seconds: less than a frame beyond an end is still the end

export class InStep extends EventTarget {
  constructor(third, first) {
    super();
    this.third = third;
    this.first = first;
    this.clock = null;
    this.speed = 1;
    this.linked = true;
    this.playing = false;
    this.backwards = false;
    this.stalled = false;
    this.time = 0; // third-person seconds; may lie outside the third-person video where only the other one plays
    this.errors = [];
    for (const video of [third, first]) video.addEventListener("ended", () => this.tick());
    this.alive = true;
    const loop = () => {
      if (!this.alive) return;
      this.tick();
      requestAnimationFrame(loop);
    };
    requestAnimationFrame(loop);
  }

  close() {
    this.alive = false;
    for (const video of [this.third, this.first]) {
      video.pause();
      video.removeAttribute("src");
      video.load();
    }
  }

  get lengths() {
    return [this.third.duration || 0, this.first.duration || 0];
  }

  // The stretch of third-person time in which at least one of the two shows something.
  get range() {
    const [third, first] = this.lengths;
    return [Math.min(0, this.clock.toThird(0)), Math.max(third, this.clock.toThird(first))];
  }

  // The stretch of third-person time in which both show something; null where there is none.
  get shared() {
    const [third, first] = this.lengths;
    const [start, end] = [Math.max(0, this.clock.toThird(0)), Math.min(third, this.clock.toThird(first))];
    return end > start ? [start, end] : null;
  }

  // Whether a video has something to show now: "", "before" it begins or "after" it has ended.
  absent(view) {
    if (!this.linked || !this.clock) return "";
    const time = view === "third" ? this.time : this.clock.toFirst(this.time);
    if (time < -EDGE) return "before";
    return time > (this[view].duration || 0) + EDGE ? "after" : "";
  }

  setClock(clock) {
    this.clock = clock;
    if (this.linked) this.seek(this.time);
  }

  setLinked(linked) {
    this.pause();
    this.linked = linked;
    if (linked) this.seek(this.third.currentTime);
    this.dispatchEvent(new Event("change"));
  }

  setSpeed(speed) {
    this.speed = speed;
    if (this.playing) {
      this.third.playbackRate = speed;
      this.follow(true);
    }
    this.dispatchEvent(new Event("change"));
  }

  async play() {
    this.backwards = false;
    if (this.time >= this.range[1] - 0.05) this.seek(this.range[0]);
    this.playing = true;
    this.dispatchEvent(new Event("change"));
    await Promise.all([ready(this.third), ready(this.first)]);
    if (this.playing) this.start();
  }

  pause() {
    const was = this.playing || this.backwards;
    this.playing = false;
    this.backwards = false;
    this.third.pause();
    this.first.pause();
    if (was && this.linked && this.clock) this.seek(this.time);
    this.dispatchEvent(new Event("change"));
  }

  toggle() {
    if (this.playing || this.backwards) this.pause();
    else this.play();
  }

  rewind() {
    this.pause();
    this.backwards = true;
    this.lastBack = performance.now();
    this.dispatchEvent(new Event("change"));
  }

  // To a third-person time; both videos go there.
  seek(time) {
    const [low, high] = this.range;
    this.time = Math.min(Math.max(time, low), high);
    place(this.third, this.time);
    place(this.first, this.clock.toFirst(this.time));
    if (this.playing) this.start();
  }

  seekFirst(time) {
    this.seek(this.clock.toThird(time));
  }

  get leader() {
    const [third] = this.lengths;
    return this.time >= 0 && this.time < third - 0.02 ? this.third : this.first;
  }

  start() {
    const leader = this.leader;
    leader.playbackRate = leader === this.third ? this.speed : bounded(this.speed * this.clock.slope(this.time));
    leader.play().catch(() => {});
    if (leader === this.first) this.third.pause();
    this.follow(true);
  }

  tick() {
    if (!this.clock) return;
    if (this.backwards) this.tickBack();
    else if (this.playing && this.linked) this.tickPlay();
    else if (this.linked && !this.third.seeking && !this.first.seeking && !this.playing) this.hold();
    this.dispatchEvent(new Event("time"));
  }

  tickBack() {
    const now = performance.now();
    if (now - this.lastBack < 90 || this.third.seeking || this.first.seeking) return;
    const gone = ((now - this.lastBack) / 1000) * this.speed;
    this.lastBack = now;
    if (this.time - gone <= this.range[0]) this.pause();
    this.seek(this.time - gone);
  }

  tickPlay() {
    const stalled = [this.third, this.first].some((video) => video.readyState < 3 && !video.ended && inside(video));
    if (stalled) {
      if (!this.stalled) for (const video of [this.third, this.first]) video.pause();
      this.stalled = true;
      return;
    }
    if (this.stalled) {
      this.stalled = false;
      this.start();
    }
    const leader = this.leader;
    this.time = leader === this.third ? this.third.currentTime : this.clock.toThird(this.first.currentTime);
    if (leader === this.first) {
      this.first.playbackRate = bounded(this.speed * this.clock.slope(this.time));
      if (this.first.paused && !this.first.ended) this.first.play().catch(() => {});
      if (this.leader === this.third) {
        place(this.third, this.time);
        this.start();
      } else if (!this.third.paused) this.third.pause();
      if (this.first.ended || this.time >= this.range[1] - 0.02) this.pause();
      return;
    }
    if (this.third.paused && !this.third.ended) this.third.play().catch(() => {});
    this.follow(false);
    if (this.third.ended && !inside(this.first)) this.pause();
  }

  // Bend the follower's speed so that it is where the clock says.
  follow(fresh) {
    if (this.leader !== this.third) return;
    const wanted = this.clock.toFirst(this.third.currentTime);
    const length = this.first.duration || 0;
    if (wanted < 0 || wanted > length - 0.02) {
      if (!this.first.paused) this.first.pause();
      if (!this.first.seeking) place(this.first, wanted);
      return;
    }
    const off = chase(this.first, wanted, this.speed * this.clock.slope(this.third.currentTime), fresh);
    if (off !== null && !fresh) this.errors.push(off);
    if (this.errors.length > 4000) this.errors.splice(0, 2000);
  }

  // While paused, both stay where the clock says.
  hold() {
    const wanted = Math.min(Math.max(this.clock.toFirst(this.time), 0), this.first.duration || 0);
    if (Math.abs(this.first.currentTime - wanted) > 0.02) place(this.first, this.clock.toFirst(this.time));
  }
}

// Bend the speed of a video that plays so that it is where it should be; it jumps where it is far off. How far it is off; null while it jumps.
export function chase(video, wanted, base, fresh = false) {
  if (video.seeking) return null;
  const off = wanted - video.currentTime;
  if (Math.abs(off) > FAR) {
    video.currentTime = wanted;
    if (video.paused) video.play().catch(() => {});
    return null;
  }
  const rate = bounded(base + PULL * off);
  if (fresh || Math.abs(rate - video.playbackRate) > 0.015 * Math.max(base, 0.1)) video.playbackRate = rate;
  if (video.paused) video.play().catch(() => {});
  return off;
}

export function place(video, time) {
  const length = video.duration;
  if (!Number.isFinite(length)) return;
  const wanted = Math.min(Math.max(time, 0), Math.max(0, length - 0.001));
  if (Math.abs(video.currentTime - wanted) > 1e-4) video.currentTime = wanted;
}

const inside = (video) => video.currentTime < (video.duration || 0) - 0.02;
const bounded = (rate) => Math.min(Math.max(rate, SLOWEST), FASTEST);

export function ready(video, state = 3) {
  if (video.readyState >= state && !video.seeking) return Promise.resolve();
  return new Promise((done) => {
    const look = () => {
      if (video.readyState >= state && !video.seeking) {
        for (const name of ["canplay", "seeked", "error"]) video.removeEventListener(name, look);
        done();
      }
    };
    for (const name of ["canplay", "seeked", "error"]) video.addEventListener(name, look);
    look();
  });
}
