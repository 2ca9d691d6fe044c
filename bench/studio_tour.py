"""A walk through the studio in a real browser: a study on 12 rendered pairs, a collection of two pairs, screenshots.

    python bench/studio_tour.py --out tour

A program marks: it goes to the same share of the video, by keyboard. Its row bears its name and is not called human.
The two pairs are recorded with Chromium's fake camera; `inspect` and `train quick` then run on what was collected.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from studio_served import MINI, browser, server

MARKER = "scaled-lengths robot"
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1280, "height": 850}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1280, "height": 850}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "light", "has_touch": True, "is_mobile": True},
}


def command(*words: object) -> str:
    """Run a command of the program; its output."""
    line = [sys.executable, "-c", "from actor_observer.cli import main; main()", *map(str, words)]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, words))}: {done.stderr[-800:]}")
    return done.stdout


def until(page: Any, expression: str, seconds: float = 120) -> Any:
    """Wait until an expression is true in the page."""
    end = time.monotonic() + seconds
    while not (found := page.evaluate(expression)):
        if time.monotonic() > end:
            raise SystemExit(f"never true: {expression}")
        time.sleep(0.03)
    return found


def do_study(page: Any, base: str, out: Path, pairs: int = 12) -> None:
    """Make a study on the page and answer all of it by keyboard."""
    page.goto(f"{base}/#/study")
    page.fill("[aria-label='Your name']", MARKER)
    page.select_option("[aria-label='Who marks']", "program")
    page.wait_for_selector("#say.shown")
    page.screenshot(path=out / "study-list-light.png")
    page.fill("[aria-label='Pairs']", str(pairs))
    page.click("text=Make it")
    for number in range(pairs):
        now = until(page, "document.body.dataset.study")
        study = page.evaluate("location.hash.split('/').pop()")
        task = page.evaluate(f"fetch('/api/studies/{study}/next').then((got) => got.json())")["task"]
        lengths = page.evaluate("[...document.querySelectorAll('video')].map((video) => video.duration)")
        goal = task["time"] / lengths[0] * lengths[1]
        for _ in range(int(goal)):
            page.keyboard.press("Shift+ArrowRight")
        for _ in range(round((goal - int(goal)) * 4)):  # the mini set has 4 frames a second
            page.keyboard.press("ArrowRight")
        if number == 3:
            time.sleep(0.5)
            page.screenshot(path=out / "study-task-light.png")
        page.keyboard.press("Enter")
        until(page, f"document.body.dataset.study !== '{now}'")
    page.screenshot(path=out / "study-done-light.png")


def record_pairs(page: Any, base: str, count: int = 2) -> None:
    """Give consent and record so many scripts twice, with the camera that the browser has."""
    page.goto(f"{base}/#/collect")
    page.click("text=I have read this and agree")
    for _ in range(count):
        page.click("text=Give me a script")
        for view in ("third", "first"):
            page.click(f"[data-record={view}]")
            page.wait_for_selector("[data-stop]")
            page.wait_for_timeout(14_000)
            page.click("[data-stop]")
            done = "[data-step=third] .good" if view == "third" else "[data-doubt], text=Give me a script"
            page.wait_for_selector(done, timeout=180_000)
        if page.query_selector("[data-doubt]"):
            page.click("text=Yes, keep them as a pair")
            page.wait_for_selector("text=Give me a script")


def shoot(running: Any, link: str, out: Path) -> list[str]:
    """Every page in light, dark and on a phone; what the console and the network complained of."""
    base, complaints = link.split("/enter/")[0], []
    for look, options in LOOKS.items():
        page = running.new_context(permissions=["camera"], **options).new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("response", lambda got: complaints.extend([f"{got.status} {got.url}"] * (got.status >= 400)))
        page.goto(link)
        page.wait_for_selector(".card")
        page.wait_for_timeout(3000)
        page.screenshot(path=out / f"look-{look}.png")
        page.goto(f"{base}/#/pair/H4RN4")
        until(page, "document.body.dataset.pair === 'H4RN4'")
        page.keyboard.press("a")
        page.wait_for_selector(".evidence canvas, .map canvas", timeout=120_000)
        page.evaluate("studio.step.seek(6)")
        page.wait_for_timeout(700)
        page.screenshot(path=out / f"pair-{look}.png", full_page=True)
        page.keyboard.press("?")
        page.screenshot(path=out / f"keys-{look}.png")
        page.keyboard.press("Escape")
        for room in ("queue", "study", "agreement", "collect", "runs", "people"):
            page.goto(f"{base}/#/{room}")
            page.wait_for_timeout(2500 if room == "agreement" else 900)
            page.screenshot(path=out / f"{room}-{look}.png")
        page.goto(f"{base}/#/search?take=H4RN4&time=6")
        page.wait_for_timeout(800)
        if page.query_selector("text=Make the index"):
            page.click("text=Make the index")
        page.wait_for_selector(".hit", timeout=400_000)
        page.wait_for_timeout(2500)
        page.screenshot(path=out / f"search-{look}.png")
    return complaints


def main() -> None:
    """The whole walk."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--parts", default="study,collect,shoot")
    given = parser.parse_args()
    out = given.out
    out.mkdir(parents=True, exist_ok=True)
    data = out / "mini"
    if not data.exists():
        data.mkdir()
        for path in MINI.iterdir():
            if "train" not in path.name:  # the 12 test pairs
                (data / path.name).symlink_to(path)
    fake = ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"]
    if "study" in given.parts or "shoot" in given.parts:
        runs = [path for path in (MINI.parents[1] / "box",) if path.exists()]
        with server(out / "studio", 8621, data, *runs) as (_, link), browser(*fake) as running:
            if "study" in given.parts:
                _study(running, link, out)
            if "shoot" in given.parts:
                print("complaints:", shoot(running, link, out) or "none")
        print(command("agreement", data, "--keep", out / "studio"))
    if "collect" in given.parts:
        with server(out / "collecting", 8622) as (_, link), browser(*fake) as running:
            page = running.new_context(permissions=["camera"], viewport={"width": 390, "height": 844}).new_page()
            page.goto(link)
            page.wait_for_selector("#nav a")
            record_pairs(page, link.split("/enter/")[0])
        collected = out / "collecting" / "collected"
        census = json.loads(command("inspect", collected, "--json"))
        print("inspect:", len(census["faults"]), "faults")
        print(command("train", "quick", "--data", collected, "--out", out / "run", "--set", "epochs=2")[-400:])


def _study(running: Any, link: str, out: Path) -> None:
    page = running.new_page(viewport={"width": 1280, "height": 850})
    page.goto(link)
    page.wait_for_selector("#nav a")
    do_study(page, link.split("/enter/")[0], out)


if __name__ == "__main__":
    main()
