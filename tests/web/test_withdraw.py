"""Withdrawing: nothing in the studio's folder speaks of the person's recordings any more, whatever was made of them."""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from actor_observer.web.collect import take_in
from actor_observer.web.settings import Limits, ScriptRow
from served import Client, Served, serving
from tiny import write_video

SCRIPTS = tuple(ScriptRow(f"Script number {number}.", ("c000",)) for number in range(9))
SCENE = "a kitchen with blue tiles"


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return write_video(tmp_path_factory.mktemp("made") / "take.mp4", 70, 20).read_bytes()


class Unlooked:
    """In place of the process that looks at recordings, which takes seconds: it copies and finds nothing wrong."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.go.set()
        self.calls: list[str] = []

    def __call__(self, task: str, *_: Any, **asked: Any) -> dict[str, Any]:
        self.calls.append(task)
        assert self.go.wait(60)
        if task == "convert":
            Path(asked["out"]).write_bytes(Path(asked["path"]).read_bytes())
        return {"findings": [], "verdict": "in step"}


@pytest.fixture
def studio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    with serving(tmp_path / "studio", scripts=SCRIPTS, limits=Limits(free=0, uploads=5)) as running:
        for helper in running.studio.lanes.values():
            monkeypatch.setattr(helper, "call", Unlooked())
        yield running


def begin(studio: Served, name: str) -> tuple[Client, int]:
    client = studio.client("collect", name)
    client.good("POST", "/api/consent")
    return client, client.good("POST", "/api/script")["script"]["id"]


def record(client: Client, script: int, view: str, video: bytes) -> str:
    facts = {"assignment": script, "view": view, "size": len(video), "scene": SCENE}
    id = client.good("POST", "/api/uploads", facts)["id"]
    assert client.raw("PUT", f"/api/uploads/{id}?offset=0", video)[0] == 200
    return str(client.taken(id)["result"]["recording"])


def speaking_of(folder: Path, *words: str) -> list[str]:
    """Files whose name or content has one of these words."""
    found = []
    for path in folder.rglob("*"):
        text = path.name.encode() + (path.read_bytes() if path.is_file() else b"")
        found += [str(path.relative_to(folder)) for word in words if word.encode() in text]
    return found


def test_nothing_is_left_of_what_somebody_withdraws(studio: Served, video: bytes) -> None:
    recorded = {}
    for name in ("ann", "bob"):
        client, script = begin(studio, name)
        recorded[name] = [record(client, script, view, video) for view in ("third", "first")]
    owner, keep, own = studio.client(), studio.studio.keep, studio.studio
    mine = own.pair(recorded["ann"][0])
    owner.good("POST", "/api/marks", {"pair": mine.id, "id": "a-mark-on-it", "third": 1.0, "first": 1.0})
    frame = own.cache.folder / "frame" / f"{own.key(own.take(mine.third))}-1-120.jpg"
    seen = own._seen.path(*own._keys(mine), None)
    motion = own.cache.models / "features" / "motion-1.safetensors"
    for made_of_it in (frame, seen, own._seen.folder / f"{'0' * 32}.json", motion):
        made_of_it.parent.mkdir(parents=True, exist_ok=True)
        made_of_it.write_text(json.dumps({"about": mine.id}))
    (keep / "index").mkdir()
    (keep / "index" / "videos.json").write_text(json.dumps([mine.third, mine.first]))
    assert mine.id in owner.raw("GET", "/api/export/pairs.csv")[1].decode()
    made = owner.good("POST", "/api/studies", {"name": "s", "find": "third", "pairs": 2, "moments": 1})
    for _ in range(2):
        task = owner.good("GET", f"/api/studies/{made['id']}/next")["task"]
        owner.good("POST", "/api/answers", {"task": task["id"], "time": 1.0})
    assert len(speaking_of(keep, *recorded["ann"], SCENE)) > 8, "there is much to delete"

    assert studio.client("collect", "ann").good("POST", "/api/withdraw") == {"deleted": 2}
    kept = Path(keep / "collected" / "pairs.csv").read_text()
    assert recorded["bob"][0] in kept and recorded["bob"][0] in (keep / "pairs.csv").read_text()
    assert speaking_of(keep, *recorded["ann"]) == []
    assert not (keep / "index").exists() and not own.cache.models.exists() and not list(own._seen.folder.iterdir())
    state = owner.good("GET", f"/api/studies/{made['id']}/next")
    assert (state["task"], state["done"], state["total"]) == (None, 1, 1)

    studio.client("collect", "bob").good("POST", "/api/withdraw")
    assert speaking_of(keep, *recorded["bob"], SCENE) == []
    assert owner.good("GET", f"/api/studies/{made['id']}/next")["total"] == 0
    assert owner.good("GET", "/api/agreement") == {"found": []}


def test_another_script_takes_the_recording_with_it(studio: Served, video: bytes) -> None:
    client, script = begin(studio, "eve")
    record(client, script, "third", video)
    open_upload = client.good("POST", "/api/uploads", {"assignment": script, "view": "first"})["id"]
    client.raw("PUT", f"/api/uploads/{open_upload}?offset=0", b"half")
    client.good("POST", f"/api/script/{script}/other")
    assert client.good("GET", "/api/collect")["mine"] == []
    assert not list((studio.studio.keep / "collected" / "videos").iterdir())
    assert not list((studio.studio.keep / "uploads").glob("*.part"))
    assert client.call("POST", f"/api/script/{script}/other")[0] == 409, "it is no longer theirs to give back"


def test_a_removed_person_can_still_be_withdrawn(studio: Served, video: bytes) -> None:
    client, script = begin(studio, "gone")
    record(client, script, "third", video)
    owner = studio.client()
    who = next(row["id"] for row in owner.good("GET", "/api/people") if row["name"] == "gone")
    owner.good("DELETE", f"/api/people/{who}")
    row = next(row for row in owner.good("GET", "/api/people") if row["id"] == who)
    assert row["removed"] and row["recordings"] == 1
    assert owner.good("POST", f"/api/people/{who}/withdraw") == {"deleted": 1}
    assert all(row["id"] != who for row in owner.good("GET", "/api/people"))


def test_a_large_recording_keeps_nobody_waiting(studio: Served, video: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    large = studio.studio.lanes["large"].call
    large.go.clear()  # type: ignore[attr-defined]
    monkeypatch.setattr(take_in, "LARGE", 0.0)
    slow, script = begin(studio, "large")
    id = slow.upload(script, "third", video)
    assert slow.call("POST", f"/api/uploads/{id}/finish")[0] == 200
    end = time.monotonic() + 60
    while not large.calls:  # type: ignore[attr-defined]
        assert time.monotonic() < end
        time.sleep(0.01)
    monkeypatch.setattr(take_in, "LARGE", 1e12)
    quick, script = begin(studio, "quick")
    assert record(quick, script, "third", video)
    assert slow.good("GET", f"/api/uploads/{id}/taken")["state"] == "running"
    large.go.set()  # type: ignore[attr-defined]
    assert slow.taken(id)["state"] == "done"


def test_withdrawing_ends_the_process_that_looks(tmp_path: Path, video: bytes) -> None:
    with serving(tmp_path / "studio", scripts=SCRIPTS, limits=Limits(free=0)) as studio:
        helper = studio.studio.lanes["intake"]
        helper.call("echo")
        child: Any = helper._child
        child.send_signal(signal.SIGSTOP)  # it never gets on with it
        client, script = begin(studio, "ann")
        id = client.upload(script, "third", video)
        assert client.call("POST", f"/api/uploads/{id}/finish")[0] == 200
        end = time.monotonic() + 60
        while not helper._about:
            assert time.monotonic() < end
            time.sleep(0.01)
        assert client.good("POST", "/api/withdraw") == {"deleted": 0}
        assert child.poll() is not None
        assert not list((studio.studio.keep / "uploads").rglob(f"{id}*"))
        assert helper.call("echo", text="again") == {"text": "again"}


def test_pictures_that_are_too_large_and_too_many_uploads_are_refused(
    studio: Served, video: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, script = begin(studio, "vast")
    small = replace(studio.studio.settings, limits=Limits(free=0, pixels=96 * 40))
    monkeypatch.setattr(studio.studio, "settings", small)
    state = client.taken(client.upload(script, "third", video))
    assert state["error"] == "Its pictures are too large (96 × 48): film in 4K or less."
    monkeypatch.undo()
    for _ in range(5):
        id = client.good("POST", "/api/uploads", {"assignment": script, "view": "third"})["id"]
        client.raw("PUT", f"/api/uploads/{id}?offset=0", b"x")
    status, said = client.call("POST", "/api/uploads", {"assignment": script, "view": "third"})
    assert status == 409 and said["error"].startswith("You have 5 unfinished uploads")
