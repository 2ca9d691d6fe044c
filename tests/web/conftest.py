"""A small data set with an exact clock, a studio that serves it, and a Chromium where there is one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from served import Served, serving
from tiny import write_csv, write_video

CLOCKS = {"cup": "0:1.5;8:9.5", "door": "0:0.5;4:3;8:9", "book": ""}


def write_pairs(folder: Path) -> Path:
    """Three pairs of 8 and 10 seconds at 25 frames a second; two of them with clocks of their own."""
    rows: list[dict[str, object]] = []
    for name, clock in CLOCKS.items():
        write_video(folder / f"{name}-room.mp4", 200, 25, gop=25)
        write_video(folder / f"{name}-head.mp4", 250, 25, gop=25)
        rows.append(
            {
                "id": name,
                "third": f"{name}-room.mp4",
                "first": f"{name}-head.mp4",
                "subject": f"S{len(rows)}",
                "script": f"A person takes a {name} <b>now</b>.",
                "actions": f"take a {name} 1.0 4.0;put it down 5.0 7.0",
                "clock": clock,
                "split": "test",
            }
        )
    write_csv(folder / "pairs.csv", rows, list(rows[0]))
    return folder


@pytest.fixture(scope="session")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_pairs(tmp_path_factory.mktemp("pairs"))


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, pairs: Path) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("studio"), pairs) as running:
        yield running


def chromium() -> str | None:
    """A Chromium that is installed; None where there is none."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One browser for all tests. `make test-web` demands it; elsewhere its tests are skipped where it is missing."""
    path = chromium()
    if path is None:
        if os.environ.get("STUDIO_NEEDS_BROWSER"):
            pytest.fail("no Chromium found: install one (apt-get install chromium) or name it in CHROMIUM")
        pytest.skip("no Chromium found")
    from playwright.sync_api import sync_playwright

    flags = ["--no-sandbox", "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"]
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=flags)
        yield running
        running.close()
