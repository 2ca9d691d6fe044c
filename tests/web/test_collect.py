"""Collecting: who gets which script, uploads that break off, what is refused, the data set, withdrawal."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from actor_observer.frames import check_manifest
from actor_observer.pairs import read_manifest
from actor_observer.web.collect.handout import Offer, choose
from actor_observer.web.collect.scripts import read_scripts
from actor_observer.web.settings import Limits, ScriptRow
from served import Client, Served, serving
from tiny import write_csv, write_video

SCRIPTS = tuple(ScriptRow(f"A person does <i>thing {n}</i>.", (f"c00{n}",), "cup") for n in range(3))


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory, model: Path) -> Iterator[Served]:
    keep = tmp_path_factory.mktemp("collecting")
    settings = {"limits": Limits(longest=60.0, free=0), "model": str(model), "per_class": 2}
    with serving(keep, scripts=SCRIPTS, class_names={"c000": "Thing zero"}, **settings) as running:
        threading.Thread(target=running.studio.lanes["intake"].warm, daemon=True).start()
        yield running


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return write_video(tmp_path_factory.mktemp("made") / "take.mp4", 80, 20).read_bytes()


@pytest.fixture(scope="module")
def another(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return write_video(tmp_path_factory.mktemp("made") / "another.mp4", 80, 13).read_bytes()


def begin(studio: Served, name: str) -> tuple[Client, dict[str, object]]:
    client = studio.client("collect", name)
    client.good("POST", "/api/consent")
    return client, client.good("POST", "/api/script")["script"]


def test_scripts_whose_classes_are_rare_come_first_and_two_people_get_the_same() -> None:
    offers = [Offer(1, ("a", "b")), Offer(2, ("a",)), Offer(3, ("c",))]
    assert choose(offers, {"a": 10, "b": 10}, per_class=10, had=[], person=1) == 3
    once = [Offer(1, ("a",), people=1), Offer(2, ("a",), people=0), Offer(3, ("a",), people=2)]
    assert choose(once, {}, per_class=10, had=[], person=5) == 1, "a pair across people is worth more"
    assert choose(once, {}, per_class=10, had=[1], person=5) == 2


def test_scripts_of_ours_and_of_charades(tmp_path: Path) -> None:
    own = write_csv(tmp_path / "own.csv", [{"text": "Pour  tea.", "classes": "c001; c002"}], ["text", "classes"])
    assert read_scripts(own) == (ScriptRow("Pour tea.", ("c001", "c002")),)
    row = {"id": "A", "script": "Pour tea.", "actions": "c009 0.0 3.0;c008 1.0 2.0", "objects": "cup"}
    charades = write_csv(tmp_path / "Charades_v1_train.csv", [row], list(row))
    assert read_scripts(charades) == (ScriptRow("Pour tea.", ("c009", "c008"), "cup"),)


def test_nothing_is_handed_out_before_consent(studio: Served) -> None:
    client = studio.client("collect", "careful")
    assert client.good("GET", "/api/collect")["consent"]
    assert client.call("POST", "/api/script") == (409, {"error": "Please read and give your consent first."})


def test_a_broken_upload_goes_on_where_it_stopped(studio: Served, video: bytes) -> None:
    client, script = begin(studio, "broken")
    start = {"assignment": script["id"], "view": "third", "size": len(video)}
    id = client.good("POST", "/api/uploads", start)["id"]
    most = int(len(video) * 0.8)
    assert client.raw("PUT", f"/api/uploads/{id}?offset=0", video[:most])[0] == 200
    assert client.good("GET", f"/api/uploads/{id}")["received"] == most
    status, said, _ = client.raw("PUT", f"/api/uploads/{id}?offset=0", video[:most])  # sent again: it says where it is
    assert status == 409 and json.loads(said)["received"] == most
    status, said = client.call("POST", f"/api/uploads/{id}/finish")
    assert status == 409 and said["received"] == most
    assert client.raw("PUT", f"/api/uploads/{id}?offset={most}", video[most:])[0] == 200
    assert studio.client("collect", "thief").call("GET", f"/api/uploads/{id}")[0] == 409
    assert not [one for one in client.taken(id)["result"]["findings"] if one["blocks"]]


REFUSED = {
    "a text": (b"this is not a video at all" * 50, "This is not a video"),
    "a torn one": (bytes(4) + b"ftypisom" + b"\x00" * 4000, "not a video that can be used"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_video_is_refused_in_one_sentence(studio: Served, what: str) -> None:
    client, script = begin(studio, "strange")
    content, sentence = REFUSED[what]
    state = client.taken(client.upload(script["id"], "third", content))  # type: ignore[arg-type]
    assert state["state"] == "failed" and sentence in state["error"] and "\n" not in state["error"]
    assert not list((studio.studio.collected / "videos").glob("strange*"))


def test_a_recording_that_is_too_long_or_too_short_says_so(studio: Served, tmp_path: Path) -> None:
    client, script = begin(studio, "lengthy")
    long = write_video(tmp_path / "long.mp4", 140, 2).read_bytes()
    state = client.taken(client.upload(script["id"], "third", long))  # type: ignore[arg-type]
    assert state["error"] == "This recording is longer than 1 minutes: cut it, or record less."
    short = write_video(tmp_path / "short.mp4", 20, 20).read_bytes()
    state = client.taken(client.upload(script["id"], "third", short))  # type: ignore[arg-type]
    assert [one["what"] for one in state["result"]["findings"]][:1] == ["short"]
    assert client.good("GET", "/api/collect")["script"]["recorded"]["third"]["findings"][0]["blocks"]


def test_a_full_disk_and_a_used_quota_are_said(studio: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    client, script = begin(studio, "poor")
    big = {"assignment": script["id"], "view": "third", "size": 5 << 40}
    assert "too large" in client.call("POST", "/api/uploads", big)[1]["error"]
    import collections

    usage = collections.namedtuple("usage", "total used free")
    monkeypatch.setattr("actor_observer.web.collect.uploads.shutil.disk_usage", lambda _: usage(10, 10, -1))
    status, said = client.call("POST", "/api/uploads", {**big, "size": 100})
    assert status == 409 and "disk is full" in said["error"]


def test_two_people_make_a_data_set_and_one_withdraws(studio: Served, video: bytes, another: bytes) -> None:
    ids = {}
    for name in ("ann", "bob"):
        client, script = begin(studio, name)
        for view in ("third", "first"):
            content = video if view == "third" else another
            state = client.taken(client.upload(script["id"], view, content))  # type: ignore[arg-type]
            ids[name, view] = state["result"]["recording"]
            if view == "third":
                status, said = client.call("POST", f"/api/script/{script['id']}/keep")
                assert status == 409 and said["error"] == "Record it in both views first."
        assert client.good("GET", "/api/collect")["script"]["doubt"], "nothing tells that they belong together"
        client.good("POST", f"/api/script/{script['id']}/keep")
        assert client.good("GET", "/api/collect")["script"] is None, "the script is done"
        assert client.raw("GET", f"/media/own?id={ids[name, 'first']}", range="bytes=0-99")[0] == 206
    assert client.call("GET", f"/media/own?id={ids['ann', 'first']}")[0] == 409, "somebody else's"
    folder = studio.studio.collected
    assert ids["ann", "first"] == ids["ann", "third"] + "EGO"
    for data in (folder, folder / "CharadesEgo_v1_train.csv"):
        manifest = check_manifest(read_manifest(data))
        assert len([pair for pair in manifest.pairs if pair.same_person]) == 2
        assert manifest.faults == ()
    assert "ann" not in (folder / "pairs.csv").read_text(), "people are numbers"
    assert "<i>" in (folder / "pairs.csv").read_text()
    before = sorted(path.name for path in (folder / "videos").iterdir())
    assert studio.client("collect", "ann").good("POST", "/api/withdraw") == {"deleted": 2}
    left = sorted(path.name for path in (folder / "videos").iterdir())
    assert [name for name in before if name not in left] == sorted(
        f"{ids['ann', view]}.mp4" for view in ("third", "first")
    )
    assert len(read_manifest(folder).pairs) == 1
    assert studio.client("collect", "ann").good("GET", "/api/collect")["consent"], "consent went with the recordings"
