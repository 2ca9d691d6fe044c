"""A studio in a process of its own and a browser to look at it, for the studio's measurements."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from studio_people import Person

__all__ = ["MINI", "browser", "server"]

MINI = Path(__file__).parents[1] / "src/actor_observer/playhouse/mini"


@contextmanager
def server(keep: Path, port: int, *places: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A studio in a process of its own, and its owner's link."""
    command = [sys.executable, "-c", "from actor_observer.cli import main; main()", "studio", *map(str, places)]
    command += ["--keep", str(keep), "--port", str(port), "--no-open", "--name", "bench"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    link = re.search(r"http\S+", process.stdout.readline())
    assert link, "the studio did not start"
    while True:  # it says its link just before it listens
        try:
            asyncio.run(Person.at(link[0]))
            break
        except OSError:
            time.sleep(0.05)
    try:
        yield process, link[0]
    finally:
        process.kill()
        process.wait()


@contextmanager
def browser(*flags: str) -> Iterator[Any]:
    """A Chromium that is installed, with further flags."""
    from playwright.sync_api import sync_playwright

    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", *flags])
        yield running
        running.close()
