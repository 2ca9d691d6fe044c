"""Walk through what the studio promises, item by item, in a real browser: wide and phone, light and dark.

    python bench/studio_walks.py --out walks                 # items 1 to 13, bad input 21 to 27; four looks
    python bench/studio_walks.py --out walks --looks phone-dark --items 1 6 10

It serves a folder that it makes on the spot, asserts what each item says, asks axe-core about every place it comes to
(rules of level A and AA), and keeps a picture of each. The last line is the number of faults; so is the exit status.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from studio_served import MINI, browser, server
from studio_walk_data import write_data

AXE = Path(__file__).parents[1] / "tests/web/vendor/axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"]
WIDE = {"viewport": {"width": 1440, "height": 900}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
LOOKS: dict[str, dict[str, Any]] = {
    f"{name}-{scheme}": {**size, "color_scheme": scheme}
    for name, size in (("wide", WIDE), ("phone", PHONE))
    for scheme in ("light", "dark")
}
FAKE = (
    "--use-fake-device-for-media-stream",
    "--use-fake-ui-for-media-stream",
    "--autoplay-policy=no-user-gesture-required",
)


@dataclass
class Walk:
    """One look at the studio: a browser's context, the owner's page, and what was wrong."""

    running: Any
    link: str
    look: str
    out: Path
    keep: Path
    data: Path
    faults: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    expected: tuple[str, ...] = ()  # parts of complaints that the walk itself brought about

    def __post_init__(self) -> None:
        self.base = self.link.split("/enter/")[0]
        self.context = self.running.new_context(permissions=["camera"], accept_downloads=True, **LOOKS[self.look])
        self.page = self.new_page(self.link)

    @property
    def phone(self) -> bool:
        """Whether this is the small screen."""
        return self.look.startswith("phone")

    def new_page(self, link: str | None = None, context: Any = None) -> Any:
        """A tab, whose complaints are heard."""
        page = (context or self.context).new_page()
        page.on("console", lambda message: self.complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(link or self.base)
        page.wait_for_selector("#nav a", timeout=120_000)
        return page

    def as_person(self, link: str) -> Any:
        """A tab of somebody else, in a context of their own."""
        return self.new_page(link, self.running.new_context(**LOOKS[self.look]))

    def open(self, room: str, sign: str = "main h1", page: Any = None) -> Any:
        """A room, once its sign is there."""
        tab = page or self.page
        tab.evaluate("document.querySelector('main').replaceChildren(); delete document.body.dataset.pair")
        if tab.evaluate("location.hash") == f"#/{room}":  # the browser would do nothing
            tab.evaluate("dispatchEvent(new HashChangeEvent('hashchange'))")
        else:
            tab.goto(f"{self.base}/#/{room}")
        tab.wait_for_selector(sign, timeout=120_000)
        return tab

    def open_pair(self, id: str, page: Any = None) -> Any:
        """The page of a pair, once its videos and marks are there."""
        tab = self.open(f"pair/{id}", ".steer", page)
        self.until(f"document.body.dataset.pair === '{id}'", page=tab)
        return tab

    def reload_pair(self, id: str) -> None:
        """The page that is open, fetched anew."""
        self.page.reload()
        self.until(f"document.body.dataset.pair === '{id}'")

    def seek(self, time: float, page: Any = None) -> None:
        """Go to an observer's second, and wait for the pictures."""
        tab = page or self.page
        tab.evaluate(f"studio.step.seek({time})")
        self.until("!studio.step.third.seeking && !studio.step.first.seeking", page=tab)
        tab.wait_for_timeout(150)

    def until(self, expression: str, seconds: float = 120, page: Any = None) -> Any:
        """Wait until an expression is true in the page; what it was."""
        tab, end = page or self.page, time.monotonic() + seconds
        while not (found := tab.evaluate(expression)):
            if time.monotonic() > end:
                raise AssertionError(f"never true: {expression}")
            time.sleep(0.05)
        return found

    def api(self, method: str, path: str, body: Any = None, page: Any = None) -> Any:
        """A call as the page makes it."""
        return (page or self.page).evaluate(
            "async ([method, path, body]) => { const got = await fetch(path, {method, headers: body ? "
            "{'content-type': 'application/json'} : {}, body: body ? JSON.stringify(body) : undefined}); "
            "return got.headers.get('content-type').includes('json') ? got.json() : got.text(); }",
            [method, path, body],
        )

    def keeps(self, item: int, what: str, page: Any = None) -> None:
        """A picture of what is on the screen, and what axe-core has against it."""
        tab = page or self.page
        tab.screenshot(path=self.out / f"{item:02d}-{what}-{self.look}.png")
        if not tab.evaluate("'axe' in window"):
            tab.evaluate(AXE.read_text(encoding="utf-8"))
        found = tab.evaluate(f"axe.run(document, {{runOnly: {RULES}, resultTypes: ['violations']}})")
        for one in found["violations"]:
            self.faults.append(f"item {item}, {what}: axe {one['id']}: {one['nodes'][0]['html'][:140]}")


def check(is_so: object, what: str) -> None:
    """One thing that an item says."""
    if not is_so:
        raise AssertionError(what)


def main() -> None:
    """All looks, all items."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--looks", nargs="*", default=list(LOOKS), choices=list(LOOKS))
    parser.add_argument("--items", nargs="*", type=int)
    given = parser.parse_args()
    from studio_walk_odd import ITEMS as ODD
    from studio_walk_pair import ITEMS as PAIR
    from studio_walk_people import ITEMS as PEOPLE
    from studio_walk_phone import ITEMS as ON_PHONES

    items: dict[int, Callable[[Walk], None]] = dict(sorted({**PAIR, **PEOPLE, **ON_PHONES, **ODD}.items()))
    wanted = given.items or sorted(items)
    given.out.mkdir(parents=True, exist_ok=True)
    data = given.out / "data"
    shutil.rmtree(data, ignore_errors=True)
    write_data(data)
    faults = 0
    groups = [[item for item in wanted if (item in ODD) is odd] for odd in (False, True)]
    studios = [(look, group) for look in given.looks for group in groups if group]
    for number, (look, group) in enumerate(studios):
        faults += _one_look(look, number, data, given.out, {item: items[item] for item in group})
    print(f"{len(given.looks)} looks, {len(wanted)} items each: {faults} faults")
    sys.exit(min(faults, 99))


def _one_look(look: str, number: int, data: Path, out: Path, items: dict[int, Callable[[Walk], None]]) -> int:
    """A studio of its own for each look, and for odd input: what another walk left behind would be in the way."""
    keep = out / f"studio-{look}"
    shutil.rmtree(keep, ignore_errors=True)
    box = MINI.parents[1] / "box"
    with server(keep, 8631 + number, data, box) as (_, link), browser(*FAKE) as running:
        walk = Walk(running, link, look, out, keep, data)
        for item, go in items.items():
            began, before, said = time.monotonic(), len(walk.faults), len(walk.complaints)
            walk.expected = ("net::ERR_ABORTED",)
            try:
                go(walk)
            except Exception as error:
                where = traceback.extract_tb(error.__traceback__)
                place = next(
                    (f"{Path(one.filename).name}:{one.lineno}" for one in reversed(where) if "walk" in one.filename), ""
                )
                walk.faults.append(f"item {item} {place}: {str(error).splitlines()[0][:300]}")
                walk.page.screenshot(path=out / f"{item:02d}-fault-{look}.png")
            brought = walk.expected
            new = [one for one in walk.complaints[said:] if not any(part in one for part in brought)]
            walk.faults += [f"item {item}: the console says {one[:200]}" for one in new]
            state = "ok" if len(walk.faults) == before else "; ".join(walk.faults[before:])
            print(f"{look:12} item {item:2}  {time.monotonic() - began:5.1f} s  {state}", flush=True)
    return len(walk.faults)


if __name__ == "__main__":
    main()
