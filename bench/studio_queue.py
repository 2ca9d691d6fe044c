"""Twenty helpers work through a queue of 200 pairs while the server is killed twenty times.

    python bench/studio_queue.py

Each asks for the next pair, marks it, says done or, now and then, skips it. A kill may fall anywhere: a helper who
hears no answer asks again, as the page does. At the end: whether each pair got its people, whether anybody got one
twice, and whether anything that was acknowledged is lost.
"""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import signal
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from studio_people import Person, get_links
from studio_served import MINI, server
from studio_videos import write_many

HELPERS, PAIRS, WANTED, KILLS, PORT = 20, 200, 3, 20, 8615
SKIPS = 0.05  # of the turns
THINKS = 0.05, 0.25  # seconds between two steps of a helper
GONE = (OSError, asyncio.IncompleteReadError)


class Heard:
    """What the server has acknowledged, helper by helper."""

    def __init__(self) -> None:
        self.marks: set[str] = set()
        self.done: list[tuple[int, str]] = []
        self.skipped: list[tuple[int, str]] = []
        self.finished: set[int] = set()


async def help_out(number: int, person: Person, heard: Heard, stop: threading.Event) -> None:
    """One helper, until nothing is left for them or the server has gone."""
    rng = random.Random(time.monotonic_ns() + number)
    while not stop.is_set():
        pair = (await person.call("POST", "/api/queue/next"))["pair"]
        if pair is None:
            heard.finished.add(number)
            await asyncio.sleep(0.5)  # another's skip may give them one more
            continue
        heard.finished.discard(number)
        await asyncio.sleep(rng.uniform(*THINKS))
        if rng.random() < SKIPS:
            await person.call("POST", "/api/queue/skip", {"pair": pair, "reason": "cannot tell"})
            heard.skipped.append((number, pair))
            continue
        id = f"mark-{number}-{rng.randrange(10**12)}"
        at = rng.uniform(0, 8)
        await person.call("POST", "/api/marks", {"pair": pair, "id": id, "third": at, "first": at})
        heard.marks.add(id)
        await person.call("POST", "/api/queue/done", {"pair": pair})
        heard.done.append((number, pair))


async def all_help(cookies: dict[int, str], link: str, heard: Heard, stop: threading.Event) -> None:
    """Everybody at once; who loses the server stops."""

    async def one(number: int) -> None:
        try:
            await help_out(number, await Person.at(link, cookie=cookies[number]), heard, stop)
        except GONE:
            return

    await asyncio.gather(*(one(number) for number in cookies))


async def begin(link: str) -> dict[int, str]:
    """Invite the helpers and fill the queue; the session of each."""
    owner = await Person.at(link)
    links = await get_links(owner, HELPERS, "mark")
    await owner.call("POST", "/api/queue", {"wanted": WANTED})
    return {number: (await Person.at(one)).cookie for number, one in enumerate(links)}


def main() -> None:
    """All of it; prints what was found at the end."""
    folder, rng, heard = Path(tempfile.mkdtemp()), random.Random(0), Heard()
    write_many(folder, MINI, PAIRS)
    cookies: dict[int, str] = {}
    began, kills = time.monotonic(), 0
    while True:
        with server(folder / "studio", PORT, folder) as (process, link):
            cookies = cookies or asyncio.run(begin(link))
            stop = threading.Event()
            last = kills >= KILLS
            worker = threading.Thread(target=_work, args=(cookies, link, heard, stop))
            worker.start()
            if last:
                while len(heard.finished) < HELPERS and worker.is_alive():
                    time.sleep(0.2)
            else:
                _until(heard, len(heard.done) + rng.randint(1, 25))  # by work, not by time: machines differ
                time.sleep(rng.uniform(0, 0.1))
                os.kill(process.pid, signal.SIGKILL)
                kills += 1
                print(f"kill {kills:2d}: {len(heard.done)} done", flush=True)
            stop.set()
            worker.join()
        if last:
            break
    report(folder / "studio", heard, kills, time.monotonic() - began)
    shutil.rmtree(folder)


def _until(heard: Heard, done: int, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while len(heard.done) < done and time.monotonic() < end:
        time.sleep(0.01)


def _work(cookies: dict[int, str], link: str, heard: Heard, stop: threading.Event) -> None:
    asyncio.run(all_help(cookies, link, heard, stop))


def report(keep: Path, heard: Heard, kills: int, seconds: float) -> None:
    """What the database says, beside what was acknowledged."""
    from actor_observer.web.store.database import Database

    database = Database(keep)
    rows: list[Any] = database.read("SELECT * FROM queue_turns")
    done = Counter(row["pair"] for row in rows if row["state"] == "done")
    marks = {row["id"] for row in database.read("SELECT id FROM marks WHERE gone = 0")}
    kept = {(row["person"], row["pair"], row["state"]) for row in rows}
    twice = [one for one, count in Counter(heard.done).items() if count > 1]
    print(f"{HELPERS} helpers, {PAIRS} pairs for {WANTED} people each, {kills} kills, {seconds:.0f} s")
    print(f"done {sum(done.values())}, skipped {sum(row['state'] == 'skipped' for row in rows)}, {len(marks)} marks")
    print(f"pairs with exactly {WANTED} people: {sum(count == WANTED for count in done.values())} of {PAIRS}")
    print(f"given twice to the same person: {len(twice)}")
    print(f"acknowledged and lost: {len(heard.marks - marks)} marks, {_lost(heard, kept)} turns")
    print(f"integrity: {database.read('PRAGMA integrity_check')[0][0]}")


def _lost(heard: Heard, kept: set[tuple[int, str, str]]) -> int:
    """Acknowledged turns that the database has not; helper n was the n-th invited after the owner."""
    first = min(person for person, _, _ in kept) if kept else 0
    lowest = min((number for number, _ in [*heard.done, *heard.skipped]), default=0)
    said = {(first - lowest + number, pair, "done") for number, pair in heard.done}
    said |= {(first - lowest + number, pair, "skipped") for number, pair in heard.skipped}
    return len(said - kept)


if __name__ == "__main__":
    main()
