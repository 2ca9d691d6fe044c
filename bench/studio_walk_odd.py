"""Walks with bad input, items 21 to 27: what goes missing, contradicts itself, is too long, or is not there."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from studio_walk_people import make_index
from studio_walk_phone import to_script
from studio_walks import LOOKS, Walk, check

__all__ = ["ITEMS"]

MARKS = "document.querySelectorAll('[data-mark]').length"
NO_GL = """HTMLCanvasElement.prototype.getContext = ((own) => function (kind, ...more) {
  return /webgl|webgpu/.test(kind) ? null : own.call(this, kind, ...more);
})(HTMLCanvasElement.prototype.getContext)"""
NO_CAMERA = """navigator.mediaDevices.getUserMedia = () =>
  Promise.reject(new DOMException("none", "NotFoundError"))"""


def gone_recording(walk: Walk) -> None:
    """21: a recording that was deleted meanwhile: the page says so, keeps the marks, and the rest goes on."""
    walk.expected = ("409",)
    body = {"pair": "event-other", "id": "before-it-went", "third": 3, "first": 2}
    walk.api("POST", "/api/marks", body)
    file, aside = walk.data / "other.mp4", walk.data / "other.aside"
    file.rename(aside)
    try:
        page = walk.open("pair/event-other", ".steer")
        walk.until("document.querySelector('.first-side .wait p')?.checkVisibility()")
        said = page.inner_text(".first-side .wait p")
        check(said == "The video's file is no longer there.", f"it says what is missing: {said}")
        check(page.evaluate("document.querySelector('.first-side .gone').hidden"), "and nothing else")
        page.keyboard.press("m")
        walk.until("document.getElementById('say').textContent.includes('does not play here')")
        walk.until(f"{MARKS} === 1")
        walk.keeps(21, "gone")
        walk.open_pair("cup")
        check(",3.0,2.0," in walk.api("GET", "/api/export/marks.csv"), "marks are still exported")
    finally:
        aside.rename(file)
    page = walk.open_pair("event-other")
    check(page.evaluate("studio.step.first.readyState") > 0, "back again, it plays")
    walk.api("DELETE", "/api/marks?pair=event-other&id=before-it-went")


def two_tabs(walk: Walk) -> None:
    """22: two tabs with different clocks: each keeps its own, marks are what is seen in each, both show all marks."""
    page = walk.open_pair("cup")
    page.click("[data-clock=data]")  # a shift by hand may be kept from another walk
    other = walk.new_page(walk.base)
    walk.open_pair("cup", other)
    other.click("[data-clock=scaled]")
    page.bring_to_front()
    check(page.evaluate("studio.clockName") == "data", "the other tab's choice is its own")
    walk.seek(6.0)
    page.keyboard.press("m")
    walk.until(f"{MARKS} === 1")
    walk.until(f"{MARKS} === 1", page=other)
    check(other.evaluate("studio.clockName") == "scaled", "a mark elsewhere moves nothing that somebody looks at")
    other.bring_to_front()
    walk.seek(8.0, other)
    other.keyboard.press("m")
    walk.until(f"{MARKS} === 2")
    found = walk.api("GET", "/api/marks?pair=cup")["marks"]
    marks = sorted((mark["third"], mark["first"], mark["id"]) for mark in found)
    check(abs(marks[0][1] - 1.7) < 0.05 and abs(marks[1][1] - 8.0) < 0.05, f"each as it was seen: {marks}")
    other.close()
    for *_, id in marks:
        walk.api("DELETE", f"/api/marks?pair=cup&id={id}")


def at_the_ends(walk: Walk) -> None:
    """23: marks on the very first and the very last moment are taken, kept, and give a clock."""
    page = walk.open_pair("book")
    page.click("[data-clock=scaled]")
    for at in (0.0, 60.0):
        walk.seek(at)
        page.keyboard.press("m")
        page.wait_for_timeout(200)
    walk.until(f"{MARKS} === 2")
    marks = walk.api("GET", "/api/marks?pair=book")
    times = [(mark["third"], mark["first"]) for mark in marks["marks"]]
    check(times[0] == (0.0, 0.0) and times[1][0] > 9.8 and times[1][1] > 9.8, f"the ends: {times}")
    check(marks["clock"] and marks["agreed"], "they make a clock")
    walk.keeps(23, "ends")
    for third in (10.6, -1, 1e9):
        said = walk.api("POST", "/api/marks", {"pair": "book", "id": "beyond-it", "third": third, "first": 1})
        check("error" in said, f"beyond the end is refused: {third}")
    walk.expected = ("409", "422")
    for mark in marks["marks"]:
        walk.api("DELETE", f"/api/marks?pair=book&id={mark['id']}")


def long_and_foreign_words(walk: Walk) -> None:
    """24: a label of 10 kB is refused in one sentence, or cut by the field; right-to-left text and emoji come back."""
    walk.expected = ("409",)
    page = walk.open_pair("book")
    words = "שלום 👩‍🔬🏳️‍🌈 مرحبا <b>x</b>"
    mark = {"pair": "book", "id": "long-label", "third": 3, "first": 3}
    said = walk.api("POST", "/api/marks", {**mark, "label": "x" * 10_000})
    check(said == {"error": "A label has at most 200 characters, a comment 2000."}, f"one sentence: {said}")
    walk.api("POST", "/api/marks", {**mark, "label": words})
    page.evaluate("studio.marks.load()")
    walk.until(f"{MARKS} === 1")
    field = page.locator("[data-mark] input[aria-label^=Label]")
    check(field.input_value() == words, f"as it was said: {field.input_value()}")
    field.scroll_into_view_if_needed()
    walk.keeps(24, "words")
    field.fill("y" * 10_000)
    field.press("Enter")
    walk.until("document.getElementById('say').textContent.includes('at most 200 characters')")
    walk.until("studio.marks.list[0].label.length === 200")
    walk.api("DELETE", "/api/marks?pair=book&id=long-label")


def thousand_names(walk: Walk) -> None:
    """25: a list of 1000 names with duplicates and commas: a link for each, all told apart, 1001 refused."""
    page = walk.open("people")
    names = [f"Helper {number % 400}" for number in range(1000)]
    page.click("text=Many at once")
    page.fill("textarea", ", ".join(names[:500]) + ",,\n" + ";\n".join(names[500:]))
    began = time.monotonic()
    page.click("text=Add all")
    walk.until("document.querySelectorAll('.invitations figure').length === 1000", 300)
    print(f"   1000 links after {time.monotonic() - began:.1f} s", flush=True)
    found = page.evaluate("[...document.querySelectorAll('.invitations b')].map((one) => one.innerText)")
    check(len(set(found)) == 1000 and "Helper 3 (3)" in found, "all told apart")
    links = page.evaluate("[...document.querySelectorAll('.invitations .link')].map((one) => one.innerText)")
    check(len(set(links)) == 1000, "each has a link")
    page.screenshot(path=walk.out / f"25-names-{walk.look}.png")
    walk.as_person(links[999]).context.close()
    walk.expected = ("409",)
    said = walk.api("POST", "/api/people/many", {"names": ["x"] * 1001, "role": "mark"})
    check("1 to 1000 names" in said["error"], f"one more is refused: {said}")


def lost_network(walk: Walk) -> None:
    """26: a phone loses the network during an upload: what was recorded waits in the browser, and goes on later."""
    walk.expected = ("ERR_INTERNET_DISCONNECTED", "409")
    page = to_script(walk)
    if not page.query_selector("[data-record=third]"):
        page.click("[data-step=third] >> text=Record it again")
    page.click("[data-record=third]")
    page.wait_for_selector("[data-stop]:visible", timeout=60_000)
    page.wait_for_timeout(1500)
    walk.context.set_offline(True)
    page.wait_for_timeout(4500)
    page.click("[data-stop]")
    page.wait_for_timeout(1000)
    check(page.query_selector("[data-step=third] .good") is None, "it cannot have arrived")
    page.screenshot(path=walk.out / f"26-offline-{walk.look}.png")
    walk.context.set_offline(False)
    page.reload()  # as if the phone had closed the page: only what the browser kept is left
    page.wait_for_selector("[data-step=third] .good", timeout=300_000)
    recorded = page.inner_text("[data-step=third] .good")
    check(float(recorded.split()[1]) > 5, f"all of it arrived: {recorded}")
    left = page.evaluate("import('/static/js/collect/kept.js').then((kept) => kept.left()).then((some) => some.length)")
    check(left == 0, "nothing is kept twice")
    walk.keeps(26, "arrived")


def poor_browsers(walk: Walk) -> None:
    """27: without WebGL and microphone all works; without AV1 a video comes as H.264; without a camera, a file."""
    walk.expected = ("409",)
    context = walk.running.new_context(**LOOKS[walk.look])
    context.add_init_script(NO_GL)
    context.add_init_script(NO_CAMERA)
    context.add_cookies(walk.context.cookies())
    refused: list[str] = []

    def refuse(route: Any) -> None:  # what a browser without AV1 makes of it: bytes that it cannot play
        if "take=cup.third" in route.request.url and "made=1" not in route.request.url:
            refused.append(route.request.url)
            route.fulfill(body=b"nothing that plays", content_type="video/mp4")
        else:
            route.continue_()

    context.route("**/media/video*", refuse)
    page = walk.new_page(walk.base, context)
    walk.open_pair("cup", page)
    check(refused and page.evaluate("studio.step.third.videoWidth") == 640, "another file plays in its place")
    made = list((walk.keep / "cache" / "converted").glob("*-h264.mp4"))
    check(len(made) == 1, f"as H.264: {made}")
    make_index(walk)
    walk.open("takes", ".scatter canvas", page)
    walk.until("Number(document.body.dataset.takes) === 8", page=page)
    to_script(walk)
    walk.open("collect", "[data-step=third]", page)
    if not page.query_selector("[data-record=third]"):
        page.click("[data-step=third] >> text=Record it again")
    page.click("[data-record=third]")
    walk.until("document.body.innerText.includes('There is no camera here: choose a file instead.')", page=page)
    walk.keeps(27, "no-camera", page)
    context.close()


ITEMS: dict[int, Callable[[Walk], None]] = {
    21: gone_recording,
    22: two_tabs,
    23: at_the_ends,
    24: long_and_foreign_words,
    25: thousand_names,
    26: lost_network,
    27: poor_browsers,
}
