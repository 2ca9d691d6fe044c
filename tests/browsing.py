"""A page in a real browser: it notes every console message and failed request, and waits without `eval`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

AXE = Path(__file__).parent / "web" / "vendor" / "axe.min.js"


class Tab:
    """A tab of a browser, at one person's link."""

    def __init__(self, browser: Any, link: str, **options: Any) -> None:
        self.context = browser.new_context(
            **{"viewport": {"width": 1200, "height": 800}, "permissions": ["camera"], **options}
        )
        self.page = self.context.new_page()
        self.base = link.split("/enter/")[0]
        self.complaints: list[str] = []
        self.watch(self.page)
        self.page.goto(link)
        self.until("document.querySelectorAll('#nav a').length > 0")

    def watch(self, page: Any) -> None:
        page.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("response", lambda got: got.status >= 400 and self.complaints.append(f"{got.status}: {got.url}"))

    def open(self, room: str) -> None:
        self.page.goto(f"{self.base}/#/{room}")

    def until(self, expression: str, seconds: float = 300) -> Any:
        """Wait until an expression is true in the page; what it was."""
        end = time.monotonic() + seconds
        while not (found := self.page.evaluate(expression)):
            assert time.monotonic() < end, f"never true: {expression}; {self.complaints}"
            time.sleep(0.03)
        return found

    def open_pair(self, id: str) -> None:
        self.page.evaluate("delete document.body.dataset.pair")
        self.open(f"pair/{id}")
        self.until(f"document.body.dataset.pair === '{id}'")

    def off(self) -> float:
        """Seconds by which the two videos are out of step, by what both say of themselves at one moment."""
        found = self.page.evaluate(
            "(() => { const s = studio.step; const t = s.third.currentTime; "
            "return s.first.currentTime - Math.min(Math.max(s.clock.toFirst(t), 0), s.first.duration); })()"
        )
        return float(found)

    def violations(self) -> list[str]:
        """What axe-core finds wrong with the page for people who cannot see it or use a mouse."""
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(AXE.read_text(encoding="utf-8"))
        found = self.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        return [
            f"{one['id']}: {node['html'][:120]} {node['failureSummary'][:200]}"
            for one in found["violations"]
            for node in one["nodes"]
        ]

    def close(self) -> None:
        self.context.close()
