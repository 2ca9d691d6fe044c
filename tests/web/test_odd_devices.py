"""Unlike other devices and files: a phone whose clock is wrong, a browser without a codec, two hours of video."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from actor_observer.web.media.playable import examine
from actor_observer.web.settings import ScriptRow
from browsing import Tab
from served import Served, serving
from tiny import write_csv, write_video

HOUR = 3600.0
COUNT = "document.querySelectorAll('[data-mark]').length"


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A pair of four seconds and one of two hours, with a picture every ten seconds; a script to record."""
    folder, stamps = tmp_path_factory.mktemp("odd"), range(0, 7_200_000, 10_000)
    for view in ("room", "head"):
        write_video(folder / f"short-{view}.mp4", 100, 25, gop=25)
        write_video(folder / f"hours-{view}.mp4", len(stamps), stamps=stamps)
    rows = [{"id": id, "third": f"{id}-room.mp4", "first": f"{id}-head.mp4"} for id in ("short", "hours")]
    write_csv(folder / "pairs.csv", rows, ["id", "third", "first"])
    script = ScriptRow("A person opens a door.", ("c001",), "door")
    with serving(tmp_path_factory.mktemp("studio"), folder, scripts=(script,)) as served:
        served.studio.slow.warm = lambda: None  # type: ignore[method-assign]  # no recording is looked at here
        yield served


@pytest.mark.parametrize("hours", [-9, 9])
def test_a_phone_whose_clock_is_off_by_hours(
    browser: Any, odd: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hours: float
) -> None:
    """The server's clock is moved instead of the browser's: cookies and kept answers see the same difference."""
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + hours * HOUR)
    tab = Tab(browser, odd.link("owner", f"phone {hours}"))
    assert abs(tab.page.evaluate("Date.now()") / 1000 + hours * HOUR - time.time()) < 60, "really off"
    tab.open_pair("short")
    tab.page.keyboard.press("m")
    tab.until(f"{COUNT} === 1")
    tab.page.reload()
    tab.until(f"{COUNT} === 1 && document.body.dataset.pair === 'short'")
    tab.page.keyboard.press("u")
    tab.until(f"{COUNT} === 0")
    tab.open("collect")
    tab.page.click("text=I have read this and agree")
    tab.page.click("text=Give me a script")
    (tmp_path / "notes.mp4").write_bytes(b"not a video " * 300_000)  # in two pieces
    tab.page.set_input_files("input[type=file]", tmp_path / "notes.mp4")
    tab.page.wait_for_selector("text=This is not a video: choose a file that your camera recorded.")
    assert odd.studio.database.read("SELECT 1 FROM uploads WHERE received = ?", (3_600_000,)), "all of it arrived"
    assert not tab.complaints
    late = odd.studio.people.link(odd.studio.people.named("late", "look").id, days=-0.001)
    page = tab.context.new_page()
    page.goto(f"{odd.base}/enter/{late}")
    assert page.inner_text("p") == "This link has expired: ask the studio's owner for a new one."
    tab.close()


def test_two_hours_open_at_once_and_can_be_marked_at_their_end(browser: Any, odd: Served) -> None:
    tab = Tab(browser, odd.link())
    began = time.monotonic()
    tab.open_pair("hours")
    assert time.monotonic() - began < 5, "within a second on an idle machine: bench/studio.py hours"
    assert tab.page.evaluate("studio.step.third.duration") == pytest.approx(7200, abs=20)
    tab.page.evaluate("studio.step.seek(7100)")
    tab.until("!studio.step.third.seeking && !studio.step.first.seeking && studio.step.time === 7100")
    assert abs(tab.off()) < 0.01
    tab.page.keyboard.press("m")
    tab.until(f"{COUNT} === 1")
    assert "1:58:20.00" in tab.page.inner_text("[data-mark]")
    box = tab.page.locator(".third-side canvas").bounding_box()
    for step in range(40):  # hovering about one place asks for few pictures
        tab.page.mouse.move(box["x"] + box["width"] * 0.5 + step / 40, box["y"] + 5)
        time.sleep(0.01)
    tab.until("document.querySelector('.peek img')?.complete")
    assert 1 <= len(list((odd.studio.keep / "cache" / "frame").iterdir())) <= 2
    assert not tab.complaints
    tab.close()


def test_a_browser_that_cannot_play_a_video_gets_another_one(browser: Any, odd: Served) -> None:
    tab = Tab(browser, odd.link())
    tab.page.route(  # what the browser gets instead of the actor's video is no codec that it knows
        lambda url: "/media/video" in url and "short.first" in url and "made=1" not in url,
        lambda route: route.fulfill(status=200, content_type="video/mp4", body=b"av1 as an old phone sees it"),
    )
    tab.open_pair("short")
    assert tab.page.evaluate("studio.step.first.duration") == pytest.approx(4.0, abs=0.1)
    assert tab.page.evaluate("studio.step.first.currentSrc").endswith("made=1")
    made = odd.studio.file_of(odd.studio.take("short.first"))
    assert made.parent.name == "converted" and examine(made).video == "h264"
    assert not tab.complaints
    tab.close()
