"""The studio's pages in a browser: very many pairs, long videos in step, and videos of two hours."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from studio_served import MINI, browser, server
from studio_videos import write_four, write_long, write_many

__all__ = ["hours", "long", "many", "several"]


def many(pairs: int = 10_000) -> None:
    """A data set of 10 000 pairs: until the first cards are on screen, and from a typed word to the new list."""
    folder = write_many(Path(tempfile.mkdtemp()), MINI, pairs)
    with server(folder / "studio", 8613, folder) as (_, link), browser() as running:
        page = running.new_page(viewport={"width": 1280, "height": 850})
        page.goto(link)
        page.wait_for_selector(".card")
        first, filters = [], []
        for _ in range(5):
            began = time.perf_counter()
            page.goto(link)
            page.wait_for_selector(".card")
            first.append(time.perf_counter() - began)
        for word in ("book", "door", "P07", "sofa", "laptop"):
            took = page.evaluate(_FILTER, word)
            filters.append(took)
    shutil.rmtree(folder)
    print(f"{pairs} pairs: first screen {np.median(first):.2f} s (most {max(first):.2f})")
    print(f"filter, from the key to the new cards: {np.median(filters):.0f} ms (most {max(filters):.0f})")


_FILTER = """async (word) => {
  const input = document.querySelector("input[type=search]");
  const began = performance.now();
  delete document.body.dataset.listed;
  input.value = word;
  input.dispatchEvent(new Event("input"));
  while (!document.body.dataset.listed) await new Promise((next) => setTimeout(next, 1));
  return performance.now() - began;
}"""


def long(seconds: float = 60.0) -> None:
    """Two 10-minute 1080p videos play in step; the largest error by what both say, and dropped frames."""
    folder = write_long(Path(tempfile.mkdtemp()))
    with server(folder / "studio", 8614, folder) as (_, link), browser() as running:
        page = running.new_page(viewport={"width": 1280, "height": 850})
        opened, started = _open_and_play(page, link)
        time.sleep(1)
        off = page.evaluate(_SAMPLE, seconds)
        quality = page.evaluate(
            "[studio.step.third, studio.step.first].map((v) => { const q = v.getVideoPlaybackQuality(); "
            "return [q.droppedVideoFrames, q.totalVideoFrames]; })"
        )
    shutil.rmtree(folder)
    errors = np.abs(np.array(off)) * 1000
    print(f"ready after {opened:.2f} s, playing after {started:.2f} s")
    p50, p95 = np.percentile(errors, [50, 95])
    print(
        f"{seconds:.0f} s, {len(errors)} samples: off {p50:.1f} ms (median), {p95:.1f} (p95), {max(errors):.1f} (most)"
    )
    print("dropped frames: " + ", ".join(f"{dropped} of {total}" for dropped, total in quality))


_SAMPLE = """(seconds) => new Promise((done) => {
  const off = [];
  const began = performance.now();
  const look = () => {
    const s = studio.step;
    off.push(s.first.currentTime - s.clock.toFirst(s.third.currentTime));
    if (performance.now() - began > seconds * 1000) { clearInterval(timer); done(off); }
  };
  const timer = setInterval(look, 50);
})"""


def hours() -> None:
    """Two videos of two hours: until the page plays, a picture from anywhere, and the memory that they take."""
    folder = write_long(Path(tempfile.mkdtemp()), minutes=120, size=(320, 180))
    size = sum(path.stat().st_size for path in folder.glob("*.mp4"))
    with server(folder / "studio", 8615, folder) as (process, link), browser() as running:
        page = running.new_page(viewport={"width": 1280, "height": 850})
        opened, started = _open_and_play(page, link)
        page.keyboard.press("Space")
        pictures = []
        for number, place in enumerate(np.random.default_rng(0).uniform(0, 7000, 200)):
            began = time.perf_counter()
            page.evaluate(_LOOK, place)
            pictures.append(time.perf_counter() - began)
            if number == 9:
                before = _memory(process.pid)
        after = _memory(process.pid)
    shutil.rmtree(folder)
    print(f"two videos of 2 hours, {size / 1e6:.0f} MB: ready after {opened:.2f} s, playing after {started:.2f} s")
    print(f"a picture from anywhere: the first {pictures[0]:.2f} s, then {np.median(pictures[1:]):.3f} s (median)")
    print(f"memory of the studio and its helpers: {before:.0f} MB after 10 places, {after:.0f} MB after 200")


_LOOK = """async (time) => {
  studio.step.seek(time);
  const picture = new Image();
  picture.src = `/media/frame?take=${encodeURIComponent(studio.pair.takes.third.id)}&time=${time.toFixed(1)}`;
  await picture.decode();
  while (studio.step.third.seeking) await new Promise((next) => setTimeout(next, 5));
}"""


def _memory(process: int) -> float:
    """MB that a process and its children hold."""
    found = 0.0
    for task in Path(f"/proc/{process}/task").iterdir():
        found += sum(_memory(int(child)) for child in (task / "children").read_text().split())
    held = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process}/status").read_text())
    return found + (int(held[1]) / 1024 if held else 0.0)


def _open_and_play(page: Any, link: str) -> tuple[float, float]:
    """Seconds from the click on the pair named long until it is ready, and until it plays."""
    page.goto(link)
    page.wait_for_selector(".card")
    began = time.perf_counter()
    page.goto(link.split("/enter/")[0] + "/#/pair/long")
    while not page.evaluate("document.body.dataset.pair === 'long'"):
        time.sleep(0.02)
    opened = time.perf_counter() - began
    page.keyboard.press("Space")
    while not page.evaluate("studio.step.third.currentTime > 0.2"):
        time.sleep(0.02)
    return opened, time.perf_counter() - began


def several(seconds: float = 60.0) -> None:
    """Four videos of one event and two curves in step for a minute (SIZE=720 or 1080, else both), with jumps."""
    chosen = os.environ.get("SIZE", "720 1080").split()
    for size in ((1280, 720), (1920, 1080)):
        if str(size[1]) not in chosen:
            continue
        folder = write_four(Path(tempfile.mkdtemp()), size=size)
        with server(folder / "studio", 8618, folder) as (_, link), browser() as running:
            page = running.new_page(viewport={"width": 1440, "height": 1400})
            page.goto(link)
            page.wait_for_selector("#nav a")
            page.goto(f"{link.split('/enter/')[0]}/#/pair/rh")
            found = page.evaluate(_FOUR, [float(os.environ.get("SECONDS", seconds)), JUMPS])
        shutil.rmtree(folder)
        for name, (off, total, dropped, jumped) in found.items():
            p50, p95 = np.percentile(np.abs(off), [50, 95]) * 1000
            within = 100 * np.mean(np.abs(off) <= FRAME)
            most = 1000 * np.abs(off).max()
            line = f"off p50 {p50:.0f} ms, p95 {p95:.0f}, most {most:.0f}, within a frame {within:.1f} %"
            frames = f"{dropped} of {total} frames dropped" if total else "drawn"
            after = f"{len(jumped)} jumps, at most {1000 * max(jumped):.0f} ms off after"
            print(f"{size[1]}p {name}: {line}; {frames}; {after}")


FRAME = 0.04  # seconds
JUMPS = [2.0 + 67 * share % 67 for share in np.linspace(0, 7.3, 20).tolist()]  # everywhere, to and fro
_FOUR = """async ([seconds, jumps]) => {
  const wait = (time) => new Promise((next) => setTimeout(next, time));
  while (!window.studio?.others?.cameras.every((one) => one.screen.video.readyState > 2)) await wait(100);
  while (!studio.others.curves) await wait(100);
  const { step, others } = studio;
  const read = { actor: [step.first, () => step.first.currentTime - step.clock.toFirst(step.third.currentTime)] };
  for (const one of others.cameras) {
    const { video } = one.screen;
    read[one.name] = [video, () => video.currentTime - others.at(one, step.third.currentTime)];
  }
  read["two curves"] = [null, () => others.curves.time - step.third.currentTime];
  const off = Object.fromEntries(Object.keys(read).map((name) => [name, []]));
  const jumped = Object.fromEntries(Object.keys(read).map((name) => [name, []]));
  step.seek(3);
  await wait(2000);
  step.play();
  await wait(3000);
  for (const end = performance.now() + seconds * 1000; performance.now() < end; await wait(50)) {
    for (const [name, [video, error]] of Object.entries(read)) if (!video?.seeking) off[name].push(error());
    if (step.time > 70) { step.seek(3); await wait(2000); }
  }
  step.pause();
  for (const time of jumps) {
    step.seek(time);
    await wait(200);
    for (const end = performance.now() + 5000; performance.now() < end; await wait(50)) {
      if (Object.values(read).every(([video]) => !video?.seeking)) break;
    }
    await wait(300);
    for (const [name, [, error]] of Object.entries(read)) jumped[name].push(Math.abs(error()));
  }
  return Object.fromEntries(Object.entries(read).map(([name, [video]]) => {
    const { totalVideoFrames: total, droppedVideoFrames: dropped } = video?.getVideoPlaybackQuality() ?? {};
    return [name, [off[name], total ?? 0, dropped ?? 0, jumped[name]]];
  }));
}"""
