"""Look and mark in a real browser: two videos that stay in step, marks that survive, pages without a complaint."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from actor_observer.disk.sealed_json import sealed_json
from browsing import Tab
from served import Served

FRAME = 1 / 25


@pytest.fixture
def tab(browser: Any, served: Served) -> Iterator[Tab]:
    made = Tab(browser, served.link())
    yield made
    complaints = made.complaints
    made.close()
    assert not complaints


def most_off(tab: Tab, seconds: float) -> float:
    """The largest error while the page plays for so long."""
    worst, end = 0.0, time.monotonic() + seconds
    while time.monotonic() < end:
        worst = max(worst, abs(tab.off()))
        time.sleep(0.02)
    return worst


def in_step(tab: Tab, seconds: float, again: float = 0.6) -> bool:
    """Whether both stay within a frame for so long, without a break; a busy machine may try again from a time on."""
    for _ in range(4):
        if most_off(tab, seconds) <= FRAME:
            return True
        tab.page.evaluate(f"studio.step.seek({again})")
        time.sleep(0.5)
    return False


def test_two_videos_stay_in_step_while_playing_seeking_and_changing_speed_and_clock(tab: Tab) -> None:
    tab.open_pair("door")  # its clock changes its slope at 4 s
    assert tab.page.evaluate("studio.clockName") == "data"
    tab.page.keyboard.press("Space")
    tab.until("studio.step.third.currentTime > 0.6 && !studio.step.third.paused")
    assert in_step(tab, 1.0)
    tab.page.keyboard.press("4")
    tab.until("studio.step.speed === 2")
    time.sleep(0.4)
    assert in_step(tab, 0.8)
    tab.page.keyboard.press("3")
    tab.page.evaluate("studio.step.seek(3.5)")  # into the bend
    tab.until("studio.step.third.currentTime > 3.7 && !studio.step.first.seeking")
    time.sleep(0.5)
    assert in_step(tab, 1.0, again=3.5)
    tab.page.keyboard.press("c")
    tab.until("studio.clockName !== 'data' && !studio.step.first.seeking")
    time.sleep(0.6)
    assert in_step(tab, 0.6, again=3.5)
    tab.page.keyboard.press("Space")
    tab.until("studio.step.third.paused && studio.step.first.paused && !studio.step.first.seeking")
    tab.until(f"Math.abs(studio.step.first.currentTime - studio.step.clock.toFirst(studio.step.time)) <= {FRAME}")


def test_frames_and_seconds_by_key(tab: Tab) -> None:
    tab.open_pair("cup")
    tab.page.evaluate("studio.step.seek(2)")
    for key, moved in (("ArrowRight", FRAME), ("Shift+ArrowRight", 1 + FRAME), ("ArrowLeft", 1.0)):
        tab.page.keyboard.press(key)
        tab.until(f"Math.abs(studio.step.third.currentTime - {2 + moved}) < 0.002 && !studio.step.first.seeking")
        assert abs(tab.off()) < 0.005
    tab.page.keyboard.press("?")
    assert "mark: both videos show the same moment" in tab.page.inner_text("#keys")
    tab.page.keyboard.press("Escape")


def test_outside_the_other_video_one_plays_alone(tab: Tab) -> None:
    tab.open_pair("cup")  # the actor's video starts 1.5 s before the observer's and ends later
    tab.page.evaluate("studio.step.seek(-1)")
    tab.until("Math.abs(studio.step.first.currentTime - 0.5) < 0.05")
    tab.page.keyboard.press("Space")
    tab.until("studio.step.third.currentTime > 0.5 && studio.step.third.currentTime < 4")
    time.sleep(0.4)
    assert abs(tab.off()) <= FRAME


def test_marks_survive_a_reload_and_are_undone_after_it(tab: Tab, served: Served) -> None:
    tab.open_pair("book")
    count = "document.querySelectorAll('[data-mark]').length"
    for time_third in (2, 5):
        tab.page.evaluate(f"studio.step.seek({time_third})")
        tab.until("!studio.step.third.seeking && !studio.step.first.seeking")
        tab.page.keyboard.press("m")
    tab.until(f"{count} === 2")
    tab.page.reload()
    tab.until(f"{count} === 2 && document.body.dataset.pair === 'book'")
    assert tab.page.evaluate("studio.clockName") == "marks"
    tab.page.keyboard.press("u")
    tab.until(f"{count} === 1")
    tab.page.keyboard.press("Shift+U")
    tab.until(f"{count} === 2")
    tab.page.keyboard.press(".")
    tab.page.keyboard.press("Delete")
    tab.until(f"{count} === 1")
    assert len(served.studio.marks.of("book")) == 1
    tab.page.keyboard.press("Control+z")
    tab.until(f"{count} === 2")


def test_two_tabs_show_the_same_marks(tab: Tab, served: Served) -> None:
    tab.open_pair("cup")
    other = tab.context.new_page()
    tab.watch(other)
    other.goto(f"{tab.base}/#/pair/cup")
    other.wait_for_selector("h1")
    tab.page.bring_to_front()
    before = len(served.studio.marks.of("cup"))
    tab.page.keyboard.press("m")
    end = time.monotonic() + 120
    while other.evaluate("document.querySelectorAll('[data-mark]').length") != before + 1:
        assert time.monotonic() < end
        time.sleep(0.05)


def test_lists_filters_and_escapes(tab: Tab) -> None:
    tab.open("")
    tab.until("document.querySelectorAll('.card').length === 3")
    assert "A person takes a cup <b>now</b>." in tab.page.inner_text("#cards"), "text is text"
    tab.page.fill("input[type=search]", "door")
    tab.until("document.querySelectorAll('.card').length === 1")
    tab.page.fill("input[type=search]", "")
    tab.until("document.querySelectorAll('.card').length === 3")


def test_pages_without_barriers(tab: Tab) -> None:
    found = {}
    for room in ("", "pair/cup", "queue", "search", "study", "agreement", "collect", "runs", "people"):
        tab.page.evaluate("document.querySelector('main').replaceChildren()")
        tab.open(room or "?")  # with the address that is open already, nothing would happen
        tab.until("document.querySelector('main h1')")
        if room == "pair/cup":
            tab.until("document.body.dataset.pair === 'cup'")
        found[room] = tab.violations()
    assert not any(found.values()), found


def test_a_whole_study_by_keyboard(tab: Tab, served: Served) -> None:
    made = served.client().good("POST", "/api/studies", {"name": "keys", "find": "third", "pairs": 3, "moments": 1})
    tab.open(f"study/{made['id']}")
    tab.page.click("[data-kind='']")  # asked once more who answers, and would rather not say
    tab.until("document.body.dataset.study !== 'asked'")
    for number in range(3):
        now = tab.until("document.body.dataset.study")
        assert "Marks" not in tab.page.inner_text("main") and "Clock" not in tab.page.inner_text("main")
        for _ in range(2):
            tab.page.keyboard.press("Shift+ArrowRight")
        tab.page.keyboard.press("n" if number == 2 else "Enter")
        tab.until(f"document.body.dataset.study !== '{now}'")
    assert tab.page.inner_text("h1") == "Done"
    rows = served.studio.database.read(
        "SELECT a.* FROM study_answers a JOIN study_tasks t ON t.id = a.task WHERE t.study = ?", (made["id"],)
    )
    assert len(rows) == 3 and sum(row["time"] is None for row in rows) == 1
    assert all(row["automated"] for row in rows), "a driven browser says so"


def test_before_a_recording_begins_the_page_says_so_and_takes_no_mark(tab: Tab, served: Served) -> None:
    tab.open_pair("cup")  # the actor's video starts 1.5 s before the observer's
    before = len(served.studio.marks.of("cup"))
    tab.page.evaluate("studio.step.seek(-1)")
    tab.until("document.querySelector('.third-side .gone').textContent === 'has not begun: 1.00 s to go'")
    assert tab.page.inner_text(".bar .time") == "– · 0.50 s"
    tab.page.keyboard.press("m")
    tab.until("document.getElementById('say').textContent.startsWith('The observer’s video has not begun here')")
    tab.page.evaluate("studio.step.seek(2)")
    tab.until("document.querySelector('.third-side .gone').hidden")
    assert len(served.studio.marks.of("cup")) == before
    shared = tab.page.evaluate("[studio.lines.third.shared, studio.lines.first.shared]")
    assert shared == [pytest.approx([0, 8], abs=0.05), pytest.approx([1.5, 9.5], abs=0.05)]


def test_the_clock_in_use_is_named_with_how_far_to_trust_it(tab: Tab, served: Served) -> None:
    studio = served.studio
    place = studio._seen.path(*studio._keys(studio.pair("book")), None)
    place.parent.mkdir(parents=True, exist_ok=True)
    curve = {"times": [0.0, 5.0], "weight": [1.0, 1.0]}
    seen = {"third": curve, "first": curve, "map": {"rows": 1, "columns": 2, "levels": "00ff"}}
    says = "document.querySelector('.trust').textContent"
    with studio.database.write() as connection:
        connection.execute("DELETE FROM marks WHERE pair = 'book'")
    for verdict, error, name, words in (
        ("in step", 0.04, "align", "align: in step, ± 0.04 s"),
        ("in step", None, "align", "align: in step"),
        ("cannot tell", 0.04, "scaled", "scaled lengths: a guess"),
    ):
        align = {"verdict": verdict, "offset_error": error, "confidence": 0.5, "clock": "0:1;7:8"}
        place.write_bytes(sealed_json({**seen, "align": align}))
        tab.page.reload()
        tab.open_pair("book")
        tab.until(f"studio.rest?.map && studio.clockName === '{name}'")
        assert tab.page.evaluate(says) == words
    tab.page.click("[data-clock=align]")
    assert tab.page.evaluate(says) == "align: cannot tell, best guess"
    assert tab.page.inner_text(".bar button[title^=F]") == "Linked"
    place.unlink()


def test_marks_have_words_and_ends_and_contradictions_show_on_both_sides(tab: Tab, served: Served) -> None:
    tab.open_pair("book")
    for number, (third, first) in enumerate(((3.0, 3.49), (7.0, 9.0), (7.0, 4.0))):
        body = {"pair": "book", "id": f"against-{number}", "third": third, "first": first}
        served.client("mark", f"helper-{number}").good("POST", "/api/marks", body)
    tab.page.evaluate("studio.marks.load()")
    tab.until("document.querySelectorAll('tr.against').length === 2")
    assert tab.page.evaluate("studio.clocks.marks.anchors[0]") == [3.0, 3.49]
    with served.studio.database.write() as connection:
        connection.execute("DELETE FROM marks WHERE pair = 'book'")
    tab.page.evaluate("studio.step.seek(2)")
    tab.until("!studio.step.third.seeking && !studio.step.first.seeking")
    tab.page.keyboard.press("m")
    tab.until("document.querySelectorAll('[data-mark]').length === 1")
    tab.page.fill("[data-mark] input[aria-label^=Label]", "مرحبا 👋 takes m")
    tab.page.keyboard.press("Enter")
    tab.page.evaluate("studio.step.seek(4)")
    tab.until("!studio.step.third.seeking && !studio.step.first.seeking")
    tab.page.keyboard.press("e")
    tab.until("document.querySelector('[data-mark] td').innerText.includes('–')")
    [mark] = served.studio.marks.of("book")
    assert mark.label == "مرحبا 👋 takes m" and (mark.third, mark.third_end) == (2.0, 4.0)
    tab.page.keyboard.press("u")
    tab.until("!document.querySelector('[data-mark] td').innerText.includes('–')")
    assert served.studio.marks.of("book")[0].third_end is None
    served.studio.marks.delete("book", mark.person, mark.id)


def test_a_shift_by_hand_is_a_clock_of_its_own_and_stays(tab: Tab, served: Served) -> None:
    tab.open_pair("door")
    before = tab.page.evaluate("studio.step.clock.toFirst(2)")
    for key in "]]]":
        tab.page.keyboard.press(key)
    tab.page.fill("input.milliseconds", "250")
    tab.page.click("button[title^='later by']")
    wanted = before + 3 * FRAME + 0.25
    tab.until(f"Math.abs(studio.step.clock.toFirst(2) - {wanted}) < 1e-3 && studio.clockName === 'hand'")
    tab.page.evaluate("studio.nudging.queue")
    tab.page.reload()
    tab.open_pair("door")
    assert tab.page.evaluate("studio.clockName") == "hand"
    assert tab.page.evaluate("studio.step.clock.toFirst(2)") == pytest.approx(wanted, abs=1e-3)
    assert tab.page.inner_text(".trust") == "by hand: as you set it"
    tab.page.select_option("select[aria-label=Sound]", "first")
    assert tab.page.evaluate("[studio.step.third.muted, studio.step.first.muted]") == [True, False]
    served.studio.hand.set("door", next(iter(served.studio.hand.of("door"))), "")
