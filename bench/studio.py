"""The studio under load: 50 people at once, sudden ends, 10 000 pairs, two long videos in step.

python bench/studio.py load     # 50 people browse, seek and mark on the mini set
python bench/studio.py kill     # the server is killed 20 times while people mark and upload
python bench/studio.py many     # 10 000 pairs: the first screen, a filter (needs a Chromium)
python bench/studio.py long     # two 10-minute 1080p videos play in step for a minute (needs a Chromium)
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from studio_people import Person, get_links
from studio_videos import write_long, write_many

MINI = Path(__file__).parents[1] / "src/actor_observer/playhouse/mini"
PEOPLE, SECONDS, KILLS = 50, 30.0, 20


@contextmanager
def server(keep: Path, port: int, *places: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A studio in a process of its own, and its owner's link."""
    command = [sys.executable, "-c", "from actor_observer.cli import main; main()", "studio", *map(str, places)]
    command += ["--keep", str(keep), "--port", str(port), "--no-open", "--name", "bench"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    link = re.search(r"http\S+", process.stdout.readline())
    assert link, "the studio did not start"
    while True:  # it says its link just before it listens
        try:
            asyncio.run(Person.at(link[0]))
            break
        except OSError:
            time.sleep(0.05)
    try:
        yield process, link[0]
    finally:
        process.kill()
        process.wait()


def load() -> None:
    """So many people at once; the p95 of every kind of call, and whether each acknowledged mark is there."""
    keep = Path(tempfile.mkdtemp())
    with server(keep, 8611, MINI) as (_, link):
        took, acknowledged = asyncio.run(_crowd(link))
        lost = acknowledged - _marks(keep)
    shutil.rmtree(keep)
    for kind, times in [*took.items(), ("all", [one for some in took.values() for one in some])]:
        p50, p95, p99 = np.percentile(np.array(times) * 1000, [50, 95, 99])
        print(f"{kind:7} {len(times):6d} calls   p50 {p50:6.1f} ms   p95 {p95:6.1f} ms   p99 {p99:6.1f} ms")
    print(f"{PEOPLE} people, {SECONDS:.0f} s; {len(acknowledged)} marks acknowledged, {len(lost)} lost")


async def _crowd(link: str) -> tuple[dict[str, list[float]], set[str]]:
    owner = await Person.at(link)
    links = await get_links(owner, PEOPLE, "mark")
    cards = (await owner.call("GET", "/api/pairs?count=200"))["cards"]
    await owner.range(f"/media/strip?take={cards[0]['third']}", 0, 10)  # the helper process is up: it has just started
    took: dict[str, list[float]] = {"browse": [], "open": [], "seek": [], "mark": []}
    acknowledged: set[str] = set()
    end = time.monotonic() + SECONDS

    async def one(number: int) -> None:
        rng = random.Random(number)
        person = await Person.at(links[number])
        while time.monotonic() < end:
            await asyncio.sleep(rng.uniform(0.2, 1.0))
            pair = rng.choice(cards)
            kind = rng.choices(list(took), [2, 2, 4, 3])[0]
            began = time.perf_counter()
            if kind == "browse":
                await person.call("GET", f"/api/pairs?words={rng.choice(['book', 'door', 'cup', 'then'])}&count=60")
            elif kind == "open":
                await person.call("GET", f"/api/pair?id={quote(pair['id'])}")
            elif kind == "seek":
                await person.range(f"/media/video?take={pair['third']}", rng.randrange(20_000), 65_536)
            else:
                id = f"{number}-{len(acknowledged)}-{rng.randrange(10**9)}"
                times = {"third": rng.uniform(0, 10), "first": rng.uniform(0, 10)}
                await person.call("POST", "/api/marks", {"pair": pair["id"], "id": id, **times})
                acknowledged.add(id)
            took[kind].append(time.perf_counter() - began)

    await asyncio.gather(*(one(number) for number in range(PEOPLE)))
    return took, acknowledged


def _marks(keep: Path) -> set[str]:
    from actor_observer.web.store.database import Database

    return {row["id"] for row in Database(keep).read("SELECT id FROM marks WHERE gone = 0")}


def kill() -> None:
    """SIGKILL at random moments while four people mark and two upload; nothing acknowledged may be lost or half."""
    keep, rng = Path(tempfile.mkdtemp()), random.Random(0)
    acknowledged: set[str] = set()
    content = random.Random(1).randbytes(24 << 20)
    upload: dict[str, int] = {}  # upload id -> bytes acknowledged
    problems: list[str] = []
    for round in range(KILLS):
        with server(keep, 8612, MINI) as (process, link):
            problems += _check_after_kill(keep, acknowledged, upload, content)
            stop = threading.Event()
            worker = threading.Thread(
                target=lambda link=link, stop=stop: asyncio.run(_busy(link, stop, acknowledged, upload, content))
            )
            worker.start()
            time.sleep(rng.uniform(0.3, 1.5))
            os.kill(process.pid, signal.SIGKILL)
            stop.set()
            worker.join()
        print(f"kill {round + 1:2d}: {len(acknowledged)} marks, {sum(upload.values()) / 1e6:.1f} MB acknowledged")
    problems += _check_after_kill(keep, acknowledged, upload, content)
    print(f"{KILLS} kills; {len(problems)} problems", *problems[:5], sep="\n  ")
    shutil.rmtree(keep)


async def _busy(link: str, stop: threading.Event, marks: set[str], upload: dict[str, int], content: bytes) -> None:
    owner = await Person.at(link)
    await owner.call("POST", "/api/consent")
    script = (await owner.call("POST", "/api/script"))["script"]

    async def mark(number: int) -> None:
        person = await Person.at(link, cookie=owner.cookie)
        while not stop.is_set():
            id = f"kill-{number}-{len(marks)}-{random.randrange(10**12)}"
            body = {"pair": "H4RN4", "id": id, "third": random.uniform(0, 16), "first": random.uniform(0, 20)}
            await person.call("POST", "/api/marks", body)
            marks.add(id)

    async def send() -> None:
        person = await Person.at(link, cookie=owner.cookie)
        known = next((id for id, got in upload.items() if got < len(content)), None)
        if known is None:
            facts = {"assignment": script["id"], "view": "third", "size": len(content)}
            known = (await person.call("POST", "/api/uploads", facts))["id"]
            upload[known] = 0
        at = (await person.call("GET", f"/api/uploads/{known}"))["received"]
        while at < len(content) and not stop.is_set():
            said = await person.call("PUT", f"/api/uploads/{known}?offset={at}", raw=content[at : at + 300_000])
            at = upload[known] = said["received"]

    await asyncio.gather(*(mark(number) for number in range(4)), send(), return_exceptions=True)


def _check_after_kill(keep: Path, marks: set[str], upload: dict[str, int], content: bytes) -> list[str]:
    from actor_observer.web.store.database import Database

    if not (keep / "studio.db").exists():
        return []
    database = Database(keep)
    found = [f"mark {id} lost" for id in marks - _marks(keep)]
    if database.read("PRAGMA integrity_check")[0][0] != "ok":
        found.append("the database is damaged")
    for row in database.read("SELECT * FROM uploads"):
        data = (keep / "uploads" / f"{row['id']}.part").read_bytes() if row["received"] else b""
        if row["received"] < upload.get(row["id"], 0):
            found.append(f"upload {row['id']}: {row['received']} of {upload[row['id']]} acknowledged bytes")
        if data[: row["received"]] != content[: row["received"]]:
            found.append(f"upload {row['id']}: other bytes than were sent")
    return found


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
        page.goto(link)
        page.wait_for_selector(".card")
        began = time.perf_counter()
        page.goto(link.split("/enter/")[0] + "/#/pair/long")
        page.wait_for_selector("video")
        while not page.evaluate("document.body.dataset.pair === 'long'"):
            time.sleep(0.02)
        opened = time.perf_counter() - began
        page.keyboard.press("Space")
        while not page.evaluate("studio.step.third.currentTime > 0.2"):
            time.sleep(0.02)
        started = time.perf_counter() - began
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


@contextmanager
def browser(*flags: str) -> Iterator[Any]:
    """A Chromium that is installed, with further flags."""
    from playwright.sync_api import sync_playwright

    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", *flags])
        yield running
        running.close()


if __name__ == "__main__":
    chosen = sys.argv[1:] or ["load", "kill", "many", "long"]
    parts = {"load": load, "kill": kill, "many": many, "long": long}
    for name in chosen:
        parts[name]()
