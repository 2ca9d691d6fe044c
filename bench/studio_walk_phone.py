"""Walk through item 10: the page of a pair on a phone, and the recorder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from studio_walk_data import write_film
from studio_walks import Walk, check

__all__ = ["ITEMS", "to_script"]

_BOXES = "[...document.querySelectorAll('{}')].map((one) => one.getBoundingClientRect())"


def phone_and_recorder(walk: Walk) -> None:
    """10: both videos and the mark button fit a phone; a recorder over all of it; a question before a bad pair."""
    page = walk.open_pair("event-door")
    if walk.phone:
        page.evaluate("scrollTo(0, 0)")
        bottom = page.evaluate(
            f"Math.max(...{_BOXES.format('.videos .screen, .steer .mark')}.map((one) => one.bottom))"
        )
        check(bottom <= 844, f"both videos and the mark button fit: {bottom}")
        sizes = page.evaluate(f"{_BOXES.format('.line input[type=range], .steer button')}.map((one) => one.height)")
        check(min(sizes) >= 43.9, f"fingers hit them: {sizes}")
        check(page.query_selector("[aria-label='A frame on']") is not None, "frame steps")
    clipped = page.evaluate(
        "(() => { const nav = document.getElementById('nav'); return nav.scrollWidth > nav.clientWidth + 1; })()"
    )
    check(not clipped, "the bar of rooms does not clip")
    check(not page.evaluate("document.documentElement.scrollWidth > innerWidth + 1"), "nothing sticks out sideways")
    walk.keeps(10, "pair")
    _collect(walk)


def to_script(walk: Walk) -> Any:
    """The page Collect with a script to act out, whatever was agreed to before."""
    page = walk.open("collect")
    for sign in ("button:has-text('I have read this')", "button:has-text('Give me a script')"):
        page.wait_for_selector(f"{sign}, [data-step=third]")
        if page.query_selector(sign):
            page.click(sign)
    page.wait_for_selector("[data-step=third]")
    return page


def _collect(walk: Walk) -> None:
    page = to_script(walk)
    page.wait_for_selector("[data-record=third]")
    walk.keeps(10, "script")
    page.click("[data-record=third]")
    page.wait_for_selector(".recorder .count")
    page.screenshot(path=walk.out / f"10-countdown-{walk.look}.png")
    page.wait_for_selector("[data-stop]:visible", timeout=60_000)
    box = page.locator("[data-stop]").bounding_box()
    high = page.evaluate("innerHeight")
    check(box and box["y"] + box["height"] <= high and box["height"] >= 60, f"stop in sight, large: {box}")
    cover = page.locator(".recorder").bounding_box()
    check(
        cover and cover["width"] >= page.evaluate("innerWidth") - 1 and cover["height"] >= high - 1,
        "over the whole screen",
    )
    page.wait_for_timeout(4500)
    walk.keeps(10, "recorder")
    page.click("[data-stop]")
    page.wait_for_selector("[data-step=third] .good", timeout=300_000)
    film = walk.out / "elsewhere.mp4"
    if not film.exists():
        write_film(film, seed=9, seconds=6.0)
    page.set_input_files("[data-step=first] input[type=file]", film)
    page.wait_for_selector("[data-doubt], [data-step=first] .bad, button:has-text('Give me')", timeout=400_000)
    if page.query_selector("[data-step=first] .bad"):
        raise AssertionError(page.inner_text("[data-step=first]"))
    check(page.query_selector("[data-doubt]") is not None, "two that do not belong together are questioned")
    walk.keeps(10, "question")
    page.click("text=Yes, keep them as a pair")
    page.wait_for_selector("text=Give me a script")
    page.click("text=Watch them")
    page.locator(".own details summary").first.click()
    walk.until("document.querySelector('.own video')?.readyState >= 1")
    walk.keeps(10, "own")


ITEMS: dict[int, Callable[[Walk], None]] = {10: phone_and_recorder}
