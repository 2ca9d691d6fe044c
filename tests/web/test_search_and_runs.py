"""Search from a moment or a picture; what a model sees in a pair; reports of runs."""

from __future__ import annotations

import io
import json
import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from actor_observer.searching.convert import convert
from actor_observer.web.data import sort_places
from served import Client, Served, serving
from tiny import write_video


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory, pairs: Path, model: Path) -> Iterator[Served]:
    run = tmp_path_factory.mktemp("run")
    (run / "report.html").write_text("<h1>Report</h1><script>alert(1)</script>")
    own, linked = tmp_path_factory.mktemp("own") / "pairs", tmp_path_factory.mktemp("links") / "pairs"
    shutil.copytree(pairs, own)
    write_video(own / "book-head.mp4", 130, 13)  # moves at another pace: motion cannot put it in step
    linked.symlink_to(own)
    with serving(tmp_path_factory.mktemp("studio"), linked, model, run, model=str(model)) as running:
        yield running


def wait_for(client: Client, path: str, seconds: float = 300) -> dict[str, Any]:
    end = time.monotonic() + seconds
    while (state := client.good("GET", path))["state"] not in ("done", "failed"):
        assert time.monotonic() < end, state
        time.sleep(0.2)
    assert state["state"] == "done", state
    found: dict[str, Any] = state
    return found


def test_a_moment_and_a_picture_find_moments_of_the_other_view_whichever_engine_keeps_them(
    studio: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = studio.client()
    assert client.good("GET", "/api/index")["state"] == "none"
    assert client.good("GET", "/api/takes") == {"state": "none"}, "the map rests on the index"
    assert "make one first" in client.call("POST", "/api/search", {"take": "cup.third", "time": 1})[1]["error"]
    looker = studio.client("look", "eve")
    assert looker.good("GET", "/api/index?start=true")["state"] == "none", "only the owner makes an index"
    client.good("GET", "/api/index?start=true")
    status, said = looker.call("POST", "/api/search", {"take": "cup.third", "time": 1})
    assert (status, said["error"][:23]) == (409, "The index is being made"), "it says that it is on its way"
    wait_for(client, "/api/index?start=true")
    found = whole = looker.good("POST", "/api/search", {"take": "cup.third", "time": 2.0})
    assert found["hits"] and {hit["view"] for hit in found["hits"]} == {"first"}
    assert all(hit["take"].endswith(".first") and hit["pair"] for hit in found["hits"])
    assert "/" not in "".join(hit["video"] for hit in found["hits"]), "no path of the disk is told"
    found = looker.good("POST", "/api/search", {"take": "cup.third", "time": 2.0, "subject": "S1"})
    assert {hit["subject"] for hit in found["hits"]} == {"S1"}
    status, said = looker.call("POST", "/api/search", {"take": "cup.third", "time": 2.0, "subject": "nobody"})
    assert status == 409 and "nobody" in said["error"]
    picture = io.BytesIO()
    Image.new("RGB", (80, 60), "red").save(picture, "PNG")
    status, answer, _ = looker.raw("POST", "/api/search/picture?view=third", picture.getvalue())
    assert status == 200 and json.loads(answer)["hits"]
    status, said = looker.call("POST", "/api/search/words", {"words": "pours water"})
    assert status == 409 and "no words here: its backbone" in said["error"]
    status, said = looker.call("POST", "/api/search/words", {"words": "/etc/secret.png"})
    assert status == 409 and said["error"] == "Write what happens, in words.", "no file of this machine is read"
    drawn = wait_for(looker, "/api/takes")
    assert {point["take"] for point in drawn["points"]} == set(studio.studio.manifest.takes) and not drawn["missing"]
    assert drawn == looker.good("GET", "/api/takes"), "made once, and kept"
    settings = studio.studio.settings
    for engine in ("faiss", "lance"):
        place = tmp_path / f"moments.{engine}"
        convert(studio.studio.keep / "index", place, engine)
        assert sort_places([place]).index == place
        monkeypatch.setattr(studio.studio, "settings", replace(settings, places=replace(settings.places, index=place)))
        again = looker.good("POST", "/api/search", {"take": "cup.third", "time": 2.0})
        assert again["hits"][0]["distance"] == pytest.approx(whole["hits"][0]["distance"], abs=1e-3)
        points = {point["take"]: point for point in wait_for(looker, "/api/takes")["points"]}
        for point in drawn["points"]:
            assert points[point["take"]]["x"] == pytest.approx(point["x"], abs=1e-3)
    monkeypatch.setattr(studio.studio, "settings", settings)
    status, answer, _ = looker.raw("POST", "/api/search/picture?view=third", b"some text")
    assert status == 409 and b"This is not a picture that can be read" in answer
    status, answer, _ = looker.raw("POST", "/api/search/picture?view=third", b"\x89PNG but broken")
    assert status == 409 and b"The picture: " in answer and str(studio.studio.keep).encode() not in answer


def test_a_model_looks_at_a_pair_once(studio: Served) -> None:
    client = studio.client()
    assert client.good("GET", "/api/seen?id=book")["state"] == "none"
    wait_for(client, "/api/seen?id=book&start=true")
    seen = client.good("GET", "/api/seen?id=book")
    assert seen["map"]["rows"] == len(seen["first"]["times"]) and len(seen["third"]["weight"]) == seen["map"]["columns"]
    assert len(seen["map"]["levels"]) == 2 * seen["map"]["rows"] * seen["map"]["columns"]
    assert seen["align"]["verdict"] in ("cannot tell", "unrelated")
    assert "align" in client.good("GET", "/api/pair?id=book")["clocks"]
    shown = client.good("GET", f"/api/pairs?verdict={seen['align']['verdict'].replace(' ', '%20')}")
    assert [card["id"] for card in shown["cards"]] == ["book"]
    wait_for(client, "/api/seen?id=book&run=0&start=true")
    assert client.call("GET", "/api/seen?id=book&run=9")[0] == 409


def test_where_motion_is_sure_likeness_is_not_counted_and_not_shown(studio: Served) -> None:
    client = studio.client()
    wait_for(client, "/api/seen?id=cup&start=true")
    seen = client.good("GET", "/api/seen?id=cup")
    assert seen["align"]["verdict"] == "in step" and seen["map"] is None


def test_reports_run_nothing(studio: Served) -> None:
    client = studio.client()
    assert [run["report"] for run in client.good("GET", "/api/runs")] == [False, True]
    status, page, headers = client.raw("GET", "/runs/1/report")
    assert status == 200 and b"<h1>Report</h1>" in page
    assert headers["content-security-policy"].startswith("sandbox; default-src 'none'")
    assert client.call("GET", "/runs/0/report")[1]["error"].startswith("This run has no report yet")
    assert client.call("GET", "/runs/7/report")[0] == 409


def test_pictures_are_made_once_and_kept(studio: Served) -> None:
    client = studio.client()
    status, picture, headers = client.raw("GET", "/media/strip?take=cup.third")
    assert status == 200 and headers["content-type"] == "image/jpeg"
    assert Image.open(io.BytesIO(picture)).size == (720, 90)
    assert Image.open(io.BytesIO(client.raw("GET", "/media/frame?take=cup.third&time=99")[1])).height == 120
    assert client.raw("GET", "/media/strip?take=cup.third")[1] == picture
    assert client.call("GET", "/media/frame?take=cup.third&time=-1")[0] == 422
