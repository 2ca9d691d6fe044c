"""Collect in a real browser: consent, a script, two recordings with Chromium's fake camera, withdrawal."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from actor_observer.pairs import read_manifest
from actor_observer.web.settings import ScriptRow
from browsing import Tab
from served import serving


def test_record_upload_and_withdraw(browser: Any, tmp_path: Path, model: Path) -> None:
    scripts = (ScriptRow("A person opens <script>alert(1)</script> a door.", ("c001",), "door"),)
    with serving(tmp_path / "studio", scripts=scripts, model=str(model)) as served:
        threading.Thread(target=served.studio.lanes["intake"].warm, daemon=True).start()
        tab = Tab(browser, served.link("collect", "ann"), viewport={"width": 390, "height": 844})
        tab.page.click("text=I have read this and agree")
        tab.page.click("text=Give me a script")
        assert "<script>alert(1)</script>" in tab.page.inner_text(".box.script"), "a script is text"
        assert tab.violations() == []
        for view in ("third", "first"):
            tab.page.click(f"[data-record={view}]")
            tab.page.click("[data-now]")  # instead of counting down
            tab.page.wait_for_selector("[data-stop]")
            tab.page.wait_for_timeout(3600)
            tab.context.set_offline(view == "third")  # a phone loses its network just before all is sent
            tab.page.click("[data-stop]")
            tab.page.wait_for_timeout(300)
            tab.context.set_offline(False)
            done = "[data-step=third] .good" if view == "third" else "[data-doubt]"
            tab.page.wait_for_selector(done, timeout=300_000)
        assert "Are both of this script?" in tab.page.inner_text("[data-doubt]"), "a test pattern twice"
        tab.page.click("text=Yes, keep them as a pair")
        tab.page.wait_for_selector("text=Give me a script")
        tab.page.click("text=Watch them")
        tab.page.click("details.own details:first-of-type > summary")
        tab.until("document.querySelector('details.own video')?.readyState > 0")
        folder = served.studio.collected
        manifest = read_manifest(folder)
        assert len(manifest.pairs) == 1 and not manifest.faults
        assert all(2.5 < take.length < 8 for take in manifest.takes.values())
        tab.page.on("dialog", lambda dialog: dialog.accept())
        tab.page.click("text=Withdraw: delete all my recordings")
        tab.page.wait_for_selector("text=Before you begin")
        assert not list((folder / "videos").iterdir()) and not (folder / "pairs.csv").exists()
        assert not [line for line in tab.complaints if "camera" not in line and "DISCONNECTED" not in line]
        tab.close()


def test_a_link_that_expired_is_one_sentence_on_the_page(browser: Any, tmp_path: Path) -> None:
    with serving(tmp_path / "studio") as served:
        page = browser.new_page()
        page.goto(f"{served.base}/enter/never-given")
        assert page.inner_text("p") == "This link is not known here: ask the studio's owner for a new one."
        page.goto(served.base)
        page.wait_for_selector("h1")
        assert "open your link again" in page.inner_text("main")
        page.close()
