"""The studio under load: 50 people at once, sudden ends, 10 000 pairs, two long videos in step.

python bench/studio.py load     # 50 people (PEOPLE=100: more) browse, seek and mark on the mini set
python bench/studio.py kill     # the server is killed 20 times while people mark and upload
python bench/studio.py many     # 10 000 pairs: the first screen, a filter (needs a Chromium)
python bench/studio.py long     # two 10-minute 1080p videos play in step for a minute (needs a Chromium)
python bench/studio.py several  # four videos and two curves in step; SIZE=720 or 1080 (needs a Chromium)
python bench/studio.py hours    # two videos of two hours: until they play, pictures, memory (needs a Chromium)
"""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import quote

import numpy as np

from studio_pages import hours, long, many, several
from studio_people import Person, get_links
from studio_served import MINI, server

PEOPLE, SECONDS, KILLS = int(os.environ.get("PEOPLE", "50")), float(os.environ.get("SECONDS", "30")), 20


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


if __name__ == "__main__":
    chosen = sys.argv[1:] or ["load", "kill", "many", "long", "hours", "several"]
    parts = {"load": load, "kill": kill, "many": many, "long": long, "hours": hours, "several": several}
    for name in chosen:
        parts[name]()
