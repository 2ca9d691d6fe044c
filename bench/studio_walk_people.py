"""Walks through items 7 to 9 and 11 to 13: what goes out, twenty people, cards, search, studies."""

from __future__ import annotations

import csv
import io
import subprocess
import sys
import zipfile
from collections.abc import Callable
from typing import Any

from studio_walks import Walk, check

__all__ = ["ITEMS", "make_index"]


def exports(walk: Walk) -> None:
    """7: what is downloaded is read by `inspect` wherever it is put; a clock only where somebody stands behind it."""
    page = walk.open("", ".card")
    page.click("text=Export")
    walk.keeps(7, "export")
    with page.expect_download() as got:
        page.click("a[download='pairs.zip']")
    place = walk.out / f"taken-{walk.look}"
    with zipfile.ZipFile(got.value.path()) as bundle:
        bundle.extractall(place)
    command = [sys.executable, "-c", "from actor_observer.cli import main; main()", "inspect", str(place)]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    check(said.returncode == 0 and "0 faults" in said.stdout, f"inspect: {said.stdout[-300:]} {said.stderr[-300:]}")
    rows = {row["id"]: row for row in csv.DictReader(io.StringIO((place / "pairs.csv").read_text()))}
    check(rows["cup"]["clock_by"] == "data" and rows["cup"]["clock"], "the data's clock stays")
    check(not rows["book"]["clock"] or rows["book"]["clock_by"] in ("marks", "hand", "align"), f"{rows['book']}")
    check({"marks", "people", "marked_by", "marked", "clock_by", "review"} <= set(rows["cup"]), "who, how many, when")
    check((place / "classes.txt").is_file() and (place / "marks.csv").is_file(), "names of classes and marks")


def twenty_people(walk: Walk) -> None:
    """8: a queue, skips with reasons, states, progress, invitations as one page, a new link only when asked twice."""
    page = walk.open("people")
    check("its links work nowhere else" in page.inner_text("main"), "without --share it says so")
    page.click("text=Many at once")
    page.fill("textarea", "Ann\nBob, Ann; Zoë")
    page.click("text=Add all")
    page.wait_for_selector(".invitations figure")
    names = page.evaluate("[...document.querySelectorAll('.invitations b')].map((one) => one.innerText)")
    check(names == ["Ann", "Bob", "Ann (2)", "Zoë"], f"told apart: {names}")
    check(page.evaluate("[...document.querySelectorAll('.qr')].every((one) => one.naturalWidth > 40)"), "QR codes")
    links = page.evaluate("[...document.querySelectorAll('.invitations .link')].map((one) => one.innerText)")
    walk.keeps(8, "invitations")
    page.emulate_media(media="print")
    page.screenshot(path=walk.out / f"08-printed-{walk.look}.png")
    page.emulate_media(media="screen")
    asked: list[str] = []

    def refuse(dialog: Any) -> None:
        asked.append(dialog.message)
        dialog.dismiss()

    page.once("dialog", refuse)
    page.click("tr:has-text('Bob') >> text=New link")
    check(asked and "old one stops working" in asked[0], "a new link is asked about")
    page = walk.open("queue")
    page.fill("[aria-label='People for each pair']", "2")
    page.click("[data-fill]")
    walk.until("document.body.dataset.queue > 0")
    helpers = [walk.as_person(links[0]), walk.as_person(links[1])]
    for number, helper in enumerate(helpers):
        walk.open("queue", "[data-next]", helper)
        helper.click("[data-next]")
        walk.until("document.body.dataset.pair", page=helper)
        first = helper.evaluate("document.body.dataset.pair")
        walk.until("studio.step.shared", page=helper)
        walk.seek(helper.evaluate("(studio.step.shared[0] + studio.step.shared[1]) / 2"), helper)
        helper.keyboard.press("m")
        walk.until("document.querySelectorAll('[data-mark]').length > 0", page=helper)
        if not number:
            walk.keeps(8, "turn", helper)
        helper.click("[data-turn=done]")
        walk.until(f"document.body.dataset.pair !== '{first}'", page=helper)
        helper.click("summary:has-text('Skip')")
        helper.fill("[aria-label='In your words']", "too dark")
        walk.keeps(8, "skip", helper) if not number else None
        second = helper.evaluate("document.body.dataset.pair")
        helper.click("[data-turn=skip]")
        walk.until(f"document.body.dataset.pair !== '{second}'", page=helper)
        helper.context.close()
    page = walk.open("queue", "[aria-label='Pairs of the queue'] td")
    text = page.inner_text("main")
    check("2 of " in text and "too dark" in text and "agreed" in text, f"progress, reasons, states: {text[:400]}")
    rows = page.evaluate(
        "[...document.querySelectorAll('[aria-label=\"What each has done\"] tbody tr')].map((one) => one.innerText)"
    )
    check(any(row.startswith("Ann\t1\t1") for row in rows), f"each helper's progress: {rows}")
    walk.keeps(8, "queue")
    page = walk.open("agreement", "main table")
    check("Marks, against" in page.inner_text("main"), "agreement on marks, not on studies alone")
    walk.keeps(8, "agreement")


def doubts(walk: Walk) -> None:
    """9: a doubtful partner and an audited take come as cards, are decided by a person, and go into pairs.csv."""
    page = walk.open("", ".card")
    page.select_option("[aria-label='Any tag']", "doubtful")
    walk.until("document.querySelectorAll('.card').length === 1")
    id = page.inner_text(".card b")
    check(f"\n{id}," not in walk.api("GET", "/api/export/pairs.csv"), "not exported before it is accepted")
    page.check(".card .pick")
    walk.keeps(9, "doubtful")
    page.click("text=Into the queue, 2 people each")
    walk.until("document.getElementById('say').textContent.includes('in the queue')")
    page.click(".chosen >> text=Accept")
    walk.until("document.getElementById('say').textContent.includes('accepted')")
    check(f"\n{id}," in walk.api("GET", "/api/export/pairs.csv"), "accepted, it is in pairs.csv")
    page.select_option("[aria-label='Any tag']", "audit")
    walk.until("document.querySelector('.card .bad')?.innerText.includes('2 frames late')")
    page.select_option("[aria-label='Any tag']", "")
    walk.until("document.querySelectorAll('.card').length > 1")


def cards_and_map(walk: Walk) -> None:
    """11: several cards at once, views, what to try where nothing fits, and the map of all takes."""
    page = walk.open("", ".card")
    for box in page.locator(".card .pick").all()[:2]:
        box.check()
    page.fill("[aria-label=Tag]", "dark")
    page.click(".chosen >> text=/^Tag$/")
    walk.until("document.getElementById('say').textContent.includes('2 pairs tagged dark')")
    walk.keeps(11, "chosen")
    page.click("text=/^None$/")
    page.fill("input[type=search]", "cup")
    walk.until("document.querySelectorAll('.card').length < 4")
    page.click("summary:has-text('Views')")
    page.fill("[aria-label='Name of this view']", "cups")
    page.click("text=Save what is shown")
    page.wait_for_selector("[data-view=cups]")
    page.click("summary:has-text('Views')")
    page.fill("input[type=search]", "zzz")
    page.wait_for_selector("[data-nothing]")
    check("Try fewer or shorter words" in page.inner_text("[data-nothing]"), "it says what to try")
    walk.keeps(11, "nothing")
    page.click("text=Show all pairs")
    page.wait_for_selector(".card")
    page.click("summary:has-text('Views')")
    page.click("[data-view=cups]")
    walk.until("document.querySelectorAll('.card').length > 0 && document.querySelectorAll('.card').length < 4")
    make_index(walk)
    page = walk.open("takes", ".scatter canvas")
    walk.until("Number(document.body.dataset.takes) === 8")
    page.focus(".scatter canvas")
    first = page.inner_text(".said b")
    for key in ("ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown"):
        page.keyboard.press(key)
    seen = {first, page.inner_text(".said b")}
    page.keyboard.press("ArrowLeft")
    seen.add(page.inner_text(".said b"))
    check(len(seen) > 1, "arrows go from take to take")
    page.select_option("[aria-label='Colour by']", "tag")
    check("dark" in page.inner_text(".takes .legend"), "coloured by tag")
    page.wait_for_timeout(600)
    walk.keeps(11, "map")
    page.keyboard.press("Enter")
    walk.until("location.hash.startsWith('#/pair/')")
    page = walk.open("takes", ".scatter canvas")
    walk.until("document.body.dataset.takes")
    canvas = page.locator(".scatter canvas")
    canvas.scroll_into_view_if_needed()
    at = page.evaluate(_NEAREST_POINT)
    tap: Any = canvas.tap if walk.phone else canvas.click
    for _ in range(2 if walk.phone else 1):
        if page.evaluate("location.hash") == "#/takes":
            tap(position={"x": at[1], "y": at[2]})
    walk.until("location.hash.startsWith('#/pair/')")


_NEAREST_POINT = """(() => {
  const canvas = document.querySelector(".scatter canvas");
  const box = canvas.getBoundingClientRect();
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let best = null;  // [distance from the middle, x, y] of something drawn
  for (let place = 0; place < data.length / 4; place += 7) {
    if (data[4 * place + 3] < 150) continue;
    const x = (place % canvas.width) * box.width / canvas.width;
    const y = Math.floor(place / canvas.width) * box.height / canvas.height;
    const far = Math.hypot(x - box.width / 2, y - box.height / 2);
    if (!best || far < best[0]) best = [far, x, y];
  }
  return best;
})()"""


def make_index(walk: Walk) -> None:
    """The index, by the page's own button, where there is none yet."""
    if walk.api("GET", "/api/index")["state"] == "done":
        return
    button = "button:has-text('Make the index')"
    page = walk.open("search", f"{button}, main progress")
    if page.query_selector(button):  # else it is being made already
        page.click(button)
    page.wait_for_selector("main progress")
    walk.keeps(12, "indexing")
    walk.until("!document.querySelector('main progress')", 600)


def looking_and_finding(walk: Walk) -> None:
    """12: progress of the index, a search meanwhile says so, pictures obey the rule for "nothing matches"."""
    if walk.api("GET", "/api/index")["state"] == "none":
        walk.expected = ("409",)
        walk.api("GET", "/api/index?start=true")
        said = walk.api("POST", "/api/search", {"take": "cup.third", "time": 2})
        check("The index is being made" in said["error"], f"a search meanwhile says so: {said}")
        make_index(walk)
    page = walk.open("search?take=cup.third&time=2", ".hit")
    check(walk.until("document.querySelectorAll('.hit').length") > 0, "hits")
    walk.keeps(12, "found")
    picture = walk.out / "noise.png"
    if not picture.exists():
        import numpy as np
        from PIL import Image

        Image.fromarray(np.random.default_rng(0).integers(0, 255, (240, 320, 3), dtype=np.uint8)).save(picture)
    page = walk.open("search", "input[type=file]")
    page.set_input_files("main input[type=file]", picture)
    walk.until("document.querySelector('main .hits, main .bad')", 200)
    text = page.inner_text("main")
    check(
        page.query_selector("main p.bad") is not None, f"a picture of nothing is not passed off as found: {text[:300]}"
    )
    walk.keeps(12, "picture")
    page.fill("[aria-label='What happens, in words']", "pours water")
    walk.expected = ("409",)
    page.click("form:has([aria-label='What happens, in words']) button")
    walk.until("document.querySelector('main p.bad')?.innerText.includes('no words here')", 200)


def study(walk: Walk) -> None:
    """13: asked once more who answers; without an answer the results say "not said"."""
    page = walk.open("study")
    page.fill("[aria-label=Pairs]", "2")
    walk.keeps(13, "studies")
    page.click("text=Make it")
    page.wait_for_selector("[data-kind='']")
    walk.keeps(13, "who-answers")
    page.click("[data-kind='']")
    for number in range(2):
        now = walk.until("document.body.dataset.study !== 'asked' && document.body.dataset.study")
        page.keyboard.press("Shift+ArrowRight")
        if not number:
            walk.keeps(13, "task")
        page.keyboard.press("Enter")
        walk.until(f"document.body.dataset.study !== '{now}'")
    page = walk.open("agreement", "main h2, main table")
    text = page.inner_text("main")
    check("not only people" in text or "not said" in text, f"the row does not call itself human: {text[:400]}")
    walk.keeps(13, "agreement")
    for room in ("runs",):
        walk.open(room)
        walk.keeps(13, room)


ITEMS: dict[int, Callable[[Walk], None]] = {
    7: exports,
    8: twenty_people,
    9: doubts,
    11: cards_and_map,
    12: looking_and_finding,
    13: study,
}
