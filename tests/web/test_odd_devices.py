"""Unlike other devices and files: a phone whose clock is wrong, a browser without a codec, two hours of video."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from actor_observer.web.media.playable import examine
from actor_observer.web.settings import ScriptRow
from browsing import Tab
from served import serving
from tiny import write_video

HOUR = 3600.0
COUNT = "document.querySelectorAll('[data-mark]').length"


@pytest.mark.parametrize("hours", [-9, 9])
def test_a_phone_whose_clock_is_off_by_hours(
    browser: Any, pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hours: float
) -> None:
    """The server's clock is moved instead of the browser's: cookies and kept answers see the same difference."""
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + hours * HOUR)
    scripts = (ScriptRow("A person opens a door.", ("c001",), "door"),)
    with serving(tmp_path / "studio", pairs, scripts=scripts) as served:
        monkeypatch.setattr(served.studio.slow, "warm", lambda: None)
        tab = Tab(browser, served.link())
        assert abs(tab.page.evaluate("Date.now()") / 1000 + hours * HOUR - time.time()) < 60, "really off"
        tab.open_pair("book")
        tab.page.keyboard.press("m")
        tab.until(f"{COUNT} === 1")
        tab.page.reload()
        tab.until(f"{COUNT} === 1 && document.body.dataset.pair === 'book'")
        tab.page.keyboard.press("u")
        tab.until(f"{COUNT} === 0")
        tab.open("collect")
        tab.page.click("text=I have read this and agree")
        tab.page.click("text=Give me a script")
        tab.page.set_input_files("input[type=file]", pairs / "cup-room.mp4")
        size, received = (pairs / "cup-room.mp4").stat().st_size, "SELECT * FROM uploads WHERE received = ?"
        end = time.monotonic() + 20
        while not served.studio.database.read(received, (size,)):
            assert time.monotonic() < end, f"never received: {tab.complaints}"
            time.sleep(0.03)
        assert not tab.complaints
        tab.close()
        token = served.studio.people.link(served.studio.people.named("late", "look").id, days=-0.001)
        page = browser.new_page()
        page.goto(f"{served.base}/enter/{token}")
        assert page.inner_text("p") == "This link has expired: ask the studio's owner for a new one."
        page.close()


def test_a_browser_that_cannot_play_a_video_gets_another_one(browser: Any, tmp_path: Path) -> None:
    files = [write_video(tmp_path / f"{name}.mp4", 50, 25) for name in ("room", "head")]
    with serving(tmp_path / "studio", *files) as served:
        tab = Tab(browser, served.link())
        tab.page.route(  # what the browser gets instead of the actor's video is no codec that it knows
            lambda url: "/media/video" in url and "head" in url and "made=1" not in url,
            lambda route: route.fulfill(status=200, content_type="video/mp4", body=b"av1 as an old phone sees it"),
        )
        tab.open_pair("room")
        assert tab.page.evaluate("studio.step.first.duration") == pytest.approx(2.0, abs=0.1)
        assert tab.page.evaluate("studio.step.first.currentSrc").endswith("made=1")
        assert examine(served.studio.file_of(served.studio.take("head.mp4"))).video == "h264"
        assert not tab.complaints
        tab.close()


def test_two_hours_open_at_once_and_can_be_marked_at_their_end(browser: Any, tmp_path: Path) -> None:
    stamps = range(0, 7_200_000, 10_000)  # a picture every ten seconds
    files = [write_video(tmp_path / f"{name}.mp4", len(stamps), stamps=stamps) for name in ("room", "head")]
    with serving(tmp_path / "studio", *files) as served:
        tab = Tab(browser, served.link())
        began = time.monotonic()
        tab.open_pair("room")
        assert time.monotonic() - began < 5, "a second on an idle machine: bench/studio.py hours"
        assert tab.page.evaluate("studio.step.third.duration") == pytest.approx(7200, abs=20)
        tab.page.evaluate("studio.step.seek(7100)")
        tab.until("!studio.step.third.seeking && !studio.step.first.seeking && studio.step.time === 7100")
        assert abs(tab.off()) < 0.01
        tab.page.keyboard.press("m")
        tab.until(f"{COUNT} === 1")
        assert "1:58:20.00" in tab.page.inner_text("[data-mark]")
        box = tab.page.locator(".third-side canvas").bounding_box()
        for step in range(40):  # hovering over one place after the other asks for few pictures
            tab.page.mouse.move(box["x"] + box["width"] * 0.5 + step / 40, box["y"] + 5)
            time.sleep(0.01)
        tab.until("document.querySelector('.peek img')?.complete")
        assert len(list((tmp_path / "studio" / "cache" / "frame").iterdir())) <= 2
        assert not tab.complaints
        tab.close()
