"""Walks through items 1 to 6: the page of a pair tells the truth."""

from __future__ import annotations

from collections.abc import Callable

from studio_walk_data import fake_sight
from studio_walks import Walk, check

__all__ = ["ITEMS"]

_VOLUME = "(one) => { one.value = 0.3; one.dispatchEvent(new Event('input')); }"
_COVERED = """(() => {
  const say = document.getElementById("say").getBoundingClientRect();
  const across = (box) => box.top < say.bottom && box.bottom > say.top;
  const under = (box) => box.width && across(box) && box.left < say.right && box.right > say.left;
  const all = [...document.querySelectorAll("main button, main a, main input, main select")];
  return all.filter((one) => under(one.getBoundingClientRect())).map((one) => one.innerText || one.ariaLabel);
})()"""
MARKS = "document.querySelectorAll('[data-mark]').length"


def nothing_where_nothing_is(walk: Walk) -> None:
    """1: before a recording begins the page dims it, says so, shows the shared stretch, refuses the mark."""
    page = walk.open_pair("cup")  # clock 4.3:0
    walk.seek(2.0)
    walk.until("document.querySelector('.first-side .gone').textContent.startsWith('has not begun: 2.30 s')")
    check(
        page.evaluate("Number(getComputedStyle(document.querySelector('.first-side video')).opacity) < 0.3"), "dimmed"
    )
    check(page.inner_text(".bar .time").endswith("–"), "no time of a frame that is not there")
    shared = page.evaluate(
        "[studio.lines.third.shared, studio.lines.first.shared].flat().map((t) => Math.round(10 * t))"
    )
    check(shared == [43, 100, 0, 57], f"the shared stretch on both lines: {shared}")
    page.keyboard.press("m")
    walk.until("document.getElementById('say').textContent.includes('has not begun here')")
    check(page.evaluate(MARKS) == 0 and not walk.api("GET", "/api/marks?pair=cup")["marks"], "no mark is taken")
    walk.keeps(1, "not-begun")
    walk.seek(4.4)
    page.keyboard.press("m")
    walk.until(f"{MARKS} === 1")
    mark = walk.api("GET", "/api/marks?pair=cup")["marks"][0]
    check(abs(mark["third"] - mark["first"] - 4.3) < 0.05, f"where both show something it is taken as it is: {mark}")
    walk.api("DELETE", f"/api/marks?pair=cup&id={mark['id']}")


def words_for_clocks(walk: Walk) -> None:
    """2: "Linked"; the clock and how far to trust it in words; `align`'s is the default only where it is sure."""
    page = walk.open_pair("book")
    check(page.inner_text(".bar button[title^=F]") == "Linked", "the button says what it does")
    check(page.inner_text(".trust") == "scaled lengths: a guess", "a guess calls itself one")
    for verdict, clock, words in (
        ("cannot tell", "scaled", "scaled lengths: a guess"),
        ("in step", "align", "align: in step, ± 0.04 s"),
    ):
        fake_sight(walk.keep, walk.data, "book", verdict)
        walk.reload_pair("book")
        walk.until(f"studio.rest && studio.clockName === '{clock}'")
        check(page.inner_text(".trust") == words, f"{verdict}: {page.inner_text('.trust')}")
    walk.keeps(2, "in-step")
    fake_sight(walk.keep, walk.data, "book", "cannot tell")
    walk.reload_pair("book")
    page.click("[data-clock=align]")
    check(page.inner_text(".trust") == "align: cannot tell, best guess", "chosen by hand, it says so")


def sound_and_shift(walk: Walk) -> None:
    """3: volumes, one or both heard, loudness on the lines, a shift in frames and milliseconds kept as a clock."""
    page = walk.open_pair("book")
    for heard, muted in (("third", [False, True]), ("first", [True, False]), ("both", [False, False])):
        page.select_option("select[aria-label=Sound]", heard)
        check(page.evaluate("[studio.step.third.muted, studio.step.first.muted]") == muted, f"heard: {heard}")
    page.locator("input.volume").first.evaluate(_VOLUME)
    check(abs(page.evaluate("studio.step.third.volume") - 0.3) < 0.01, "a volume for each")
    walk.until("studio.lines.third.wave?.length > 20 && studio.lines.first.wave?.length > 20")
    before = page.evaluate("studio.step.clock.toFirst(2)")
    page.click("text=+1 frame")
    page.fill("input.milliseconds", "250")
    page.click("button[title^='later by']")
    wanted = before + 1 / 25 + 0.25
    walk.until(f"Math.abs(studio.step.clock.toFirst(2) - {wanted}) < 1e-3 && studio.clockName === 'hand'")
    page.evaluate("studio.nudging.queue")
    walk.keeps(3, "sound-and-shift")
    walk.reload_pair("book")
    check(page.inner_text(".trust") == "by hand: as you set it", "kept over a reload")
    check(abs(page.evaluate("studio.step.clock.toFirst(2)") - wanted) < 1e-3, "as it was set")
    waves = list((walk.keep / "cache" / "wave").glob("*.json"))
    check(len(waves) >= 2, "loudness is computed once and kept")
    walk.api("PUT", "/api/clock", {"pair": "book", "clock": ""})


def what_align_rests_on(walk: Walk) -> None:
    """4: score against offset by kind of evidence, clickable; the map of likeness only where likeness counts."""
    fake_sight(walk.keep, walk.data, "book", "cannot tell")
    page = walk.open_pair("book")
    walk.reload_pair("book")
    page.wait_for_selector(".evidence canvas")
    kinds = page.inner_text(".legend")
    check(all(name in kinds for name in ("motion", "learned motion", "sound", "belief")), f"kinds: {kinds}")
    check(page.query_selector(".map canvas") is None, "no map where likeness had no say")
    box = page.locator(".evidence canvas")
    box.scroll_into_view_if_needed()
    box.click(position={"x": box.bounding_box()["width"] * 0.75, "y": 40})
    walk.until("studio.clockName === 'tried' && Math.abs(studio.step.clock.toThird(0) - 4) < 0.3")
    page.click(".evidence [data-offset='-3']")
    walk.until("Math.abs(studio.step.clock.toThird(0) + 3) < 0.01")
    walk.keeps(4, "evidence")
    fake_sight(walk.keep, walk.data, "book", "cannot tell", counted=True)
    walk.reload_pair("book")
    page.wait_for_selector(".map canvas")
    page = walk.open_pair("cup")  # the model itself
    page.keyboard.press("a")
    page.wait_for_selector("[aria-label='What align rests on'] progress")
    walk.keeps(4, "looking")
    page.wait_for_selector(".evidence canvas", timeout=300_000)
    check("align says:" in page.inner_text("[aria-label='What align rests on']"), "its verdict is there")


def many_cameras(walk: Walk) -> None:
    """5: several cameras and curves on one clock, the wearer's box, a link that opens at its time."""
    fake_sight(walk.keep, walk.data, "event", "in step")
    page = walk.open_pair("event")
    page.wait_for_selector(".curves canvas", timeout=200_000)
    takes = page.evaluate("[...document.querySelectorAll('.others figure')].map((one) => one.dataset.take)")
    check(len(takes) == 2, f"the two other cameras: {takes}")
    walk.until("[...document.querySelectorAll('.others video')].every((one) => one.readyState > 1)")
    walk.seek(5.0)
    where = "Object.fromEntries(studio.others.cameras.map((one) => [one.name, one.screen.video.currentTime]))"
    walk.until(
        f"Math.abs({where}['other.mp4'] - 4) < 0.05 && Math.abs({where}['door.mp4'] - (5 * 8.1 / 8 + 1.2 - 0.4)) < 0.05"
    )
    check(page.inner_text(".signals").startswith("imu.csv drawn as if it began"), "a signal's guess calls itself one")
    check(page.evaluate("studio.others.curves.curves.length") == 2, "two curves")
    walk.until("!document.querySelector('.wearer').hidden")
    check("wearer, 80 %" in page.inner_text(".wearer"), "the wearer's box with its share")
    page.evaluate("document.querySelector('.others').scrollIntoView({block: 'center'})")
    walk.keeps(5, "grid")
    if not walk.phone:
        page.evaluate("scrollTo(0, 0)")
        walk.keeps(5, "grid-top")
    page.evaluate("studio.share()")
    address = page.evaluate("location.href")
    check(address.endswith("?t=5.00"), f"a link with the time in it: {address}")
    other = walk.new_page(walk.base)
    other.goto(address)
    walk.until("window.studio && Math.abs(studio.step.third.currentTime - 5) < 0.05", page=other)
    other.close()


def marks_that_say_what_they_mean(walk: Walk) -> None:
    """6: contradictions on both sides, words, stretches, a toast that covers no button, marks in sight, 16:9."""
    page = walk.open_pair("book")
    for number, (third, first) in enumerate(((3, 3.49), (9, 8.49), (9, 5.49))):
        body = {"pair": "book", "id": f"contradict-{number}", "third": third, "first": first}
        walk.api("POST", "/api/marks", body)
    page.evaluate("studio.marks.load()")
    walk.until("document.querySelectorAll('tr.against').length === 2")
    words = page.inner_text(".trust") if page.evaluate("studio.clockName") == "marks" else ""
    page.click("[data-clock=marks]")
    check("2 contradict each other" in page.inner_text(".trust"), f"said in words: {words}")
    walk.keeps(6, "contradicted")
    exported = walk.api("GET", "/api/export/pairs.csv")
    row = next(line for line in exported.splitlines() if line.startswith("book,"))
    check(",disputed," in row, f"not exported as if agreed: {row}")
    for number in (1, 2):
        walk.api("DELETE", f"/api/marks?pair=book&id=contradict-{number}")
    page.evaluate("studio.marks.load()")
    walk.until(f"{MARKS} === 1")
    label = page.locator("[data-mark] input[aria-label^=Label]")
    label.scroll_into_view_if_needed()
    label.fill("takes the cup")
    label.press("Enter")
    page.locator("[data-mark] input[aria-label^=Comment]").fill("both hands")
    page.locator("[data-mark] input[aria-label^=Comment]").press("Enter")
    walk.until("studio.marks.list[0].label === 'takes the cup' && studio.marks.list[0].comment === 'both hands'")
    page.click("[data-mark] button[title='Go there']")
    page.evaluate("document.activeElement.blur()")
    walk.seek(5.0)
    page.keyboard.press("e")
    walk.until("document.querySelector('[data-mark] td').innerText.includes('–')")
    walk.until("document.getElementById('say').classList.contains('shown')")
    covered = page.evaluate(_COVERED)
    page.evaluate("scrollTo(0, 0)")
    if not walk.phone:
        check(not covered, f"the toast covers {covered}")
        top = page.evaluate("document.querySelector('[data-mark]').getBoundingClientRect().bottom")
        check(top <= 900, f"marks are in sight: {top}")
    shape = page.locator(".videos .third-side .screen").evaluate("(one) => one.clientWidth / one.clientHeight")
    check(abs(shape - 16 / 9) < 0.03, f"16:9 is shown as 16:9: {shape:.2f}")
    walk.keeps(6, "words-and-stretch")
    for mark in walk.api("GET", "/api/marks?pair=book")["marks"]:
        walk.api("DELETE", f"/api/marks?pair=book&id={mark['id']}")


ITEMS: dict[int, Callable[[Walk], None]] = {
    1: nothing_where_nothing_is,
    2: words_for_clocks,
    3: sound_and_shift,
    4: what_align_rests_on,
    5: many_cameras,
    6: marks_that_say_what_they_mean,
}
