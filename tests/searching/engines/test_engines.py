"""The same answers from every engine, filters inside it, appends that survive a kill, and what goes wrong in a line."""

import json
import shutil
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from actor_observer.cli import main
from actor_observer.errors import UserError
from actor_observer.searching.convert import convert
from actor_observer.searching.engines import engine_at, faiss_index, open_engine
from actor_observer.searching.engines.engine import Filter
from actor_observer.searching.engines.entries import Entry
from actor_observer.searching.engines.faiss_index import FaissIndex
from actor_observer.searching.engines.flat_index import FlatIndex
from actor_observer.searching.engines.index_writer import write_index
from actor_observer.searching.engines.lance_index import speaking
from actor_observer.web.data import sort_places
from forked import Forked
from tiny_index import HEAD, convert_in_small_batches, walk, write_flat

VIDEOS = 30
FILTERS = [
    Filter(),
    Filter(view="third"),
    Filter(subject="o'neil"),
    Filter(video="v1*"),
    Filter(view="first", subject="o'neil", video="*5.mp4"),
    Filter(video="v7.mp4"),
]


@pytest.fixture(scope="module")
def flat(tmp_path_factory: pytest.TempPathFactory) -> FlatIndex:
    return write_flat(tmp_path_factory.mktemp("engines") / "flat", range(VIDEOS))


@pytest.fixture(scope="module")
def places(flat: FlatIndex) -> dict[str, Path]:
    pytest.importorskip("faiss")
    pytest.importorskip("lancedb")
    found = {"flat": flat.folder}
    for name in ("faiss", "lance"):
        found[name] = flat.folder.with_name(name)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("actor_observer.searching.engines.lance_append.SORTED_FROM", 1000)
            convert(flat.folder, found[name], name)  # type: ignore[arg-type]
    return found


@pytest.mark.parametrize("name", ["faiss", "lance"])
@pytest.mark.parametrize("filter", FILTERS, ids=str)
def test_recall_with_every_filter(places: dict[str, Path], flat: FlatIndex, name: str, filter: Filter) -> None:
    engine = open_engine(places[name])
    rng = np.random.default_rng(5)
    found, wanted = 0, 0
    with pytest.MonkeyPatch.context() as patch:
        for module in ("faiss_index", "lance_index"):
            patch.setattr(f"actor_observer.searching.engines.{module}.FEW", 250)  # so that the cells are asked
        for number in range(12):
            query = walk(number * 7)[number * 11] + rng.normal(size=32, scale=0.02).astype(np.float32)
            exact = flat.nearest(query, filter, 10)
            near = engine.nearest(query, filter, 10)
            assert len(near) == len(exact) and all(filter.matches(one.entry) for one in near)
            distances = [one.distance for one in near]
            assert distances == sorted(distances)
            places_of = {(one.entry.video, one.time): one.distance for one in exact}
            same = [one for one in near if (one.entry.video, one.time) in places_of]
            for one in same:
                assert one.distance == pytest.approx(places_of[one.entry.video, one.time], abs=1e-4)
            found, wanted = found + len(same), wanted + len(exact)
    assert found / wanted >= 0.98


def test_it_goes_from_engine_to_engine_and_back_without_a_loss(places: dict[str, Path], tmp_path: Path) -> None:
    for name in ("faiss", "lance"):
        convert(places[name], tmp_path / name, "flat")
        for file in ("videos.jsonl", "vectors.f32", "times.f64", "index.json"):
            assert (tmp_path / name / file).read_bytes() == (places["flat"] / file).read_bytes(), (name, file)


def test_the_studio_knows_an_index_of_every_engine(places: dict[str, Path], tmp_path: Path) -> None:
    for name, place in places.items():
        assert engine_at(place) == name
        found = sort_places([tmp_path, place])
        assert (found.index, found.data) == (place, (tmp_path,))
    with pytest.raises(UserError, match="choose a folder of its own for --engine flat"):
        convert(places["flat"], places["lance"], "flat")


def test_an_index_that_grows_is_searched_whole_before_and_after_its_cells_are_made_again(tmp_path: Path) -> None:
    pytest.importorskip("faiss")
    write_flat(tmp_path / "i", range(10))
    convert(tmp_path / "i", tmp_path / "i", "faiss")
    write_flat(tmp_path / "i", range(10, 12))
    for _ in range(2):
        engine = open_engine(tmp_path / "i")
        assert isinstance(engine, FaissIndex)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("actor_observer.searching.engines.faiss_index.FEW", 0)
            (best,) = engine.nearest(walk(11)[40], Filter(), 1)
        assert (best.entry.name, best.time) == ("v11.mp4", 40.5)
        convert(tmp_path / "i", tmp_path / "i", "faiss")
    (tmp_path / "i" / "cells.json").write_text("{}")
    with pytest.raises(UserError, match="its cells are not finished, or damaged"):
        open_engine(tmp_path / "i")


def test_cells_of_earlier_versions_have_no_sums_and_are_searched_until_they_are_sorted_again(
    flat: FlatIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("faiss")
    monkeypatch.setattr(faiss_index, "FEW", 0)
    shutil.copytree(flat.folder, tmp_path / "i")
    convert(tmp_path / "i", tmp_path / "i", "faiss")
    note = tmp_path / "i" / "cells.json"
    told = json.loads(note.read_bytes())
    note.write_text(json.dumps({"rows": told["rows"], "last": told["last"]}))
    found, wanted = (engine.nearest(walk(4)[20], Filter(), 10) for engine in (open_engine(tmp_path / "i"), flat))
    assert [(one.entry.video, one.time) for one in found] == [(one.entry.video, one.time) for one in wanted]
    convert(tmp_path / "i", tmp_path / "i", "faiss")
    assert json.loads(note.read_bytes()) == told
    note.write_text(json.dumps({key: told[key] for key in ("rows", "last", "ahead")}))
    with pytest.raises(UserError, match="its cells are not finished, or damaged"):
        open_engine(tmp_path / "i")


@pytest.mark.parametrize("form", ["IVF8,SQ8", "IVF8,SQfp16", "IVF8,Flat"])
@pytest.mark.parametrize("mapped", ["as now", "before faiss 1.11"])
def test_cells_of_other_forms_and_older_libraries_are_read(
    form: str, mapped: str, flat: FlatIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    faiss = pytest.importorskip("faiss")
    if mapped != "as now":
        monkeypatch.delattr(faiss, "IO_FLAG_MMAP_IFC", raising=False)
    monkeypatch.setattr(faiss_index, "sort_into_cells", partial(sorted_as, form))
    monkeypatch.setattr(faiss_index, "FEW", 0)
    shutil.copytree(flat.folder, tmp_path / "i")
    convert(tmp_path / "i", tmp_path / "i", "faiss")
    found, wanted = (engine.nearest(walk(4)[20], Filter(), 10) for engine in (open_engine(tmp_path / "i"), flat))
    assert [(one.entry.video, one.time) for one in found] == [(one.entry.video, one.time) for one in wanted]


def test_cells_that_cannot_be_searched_are_refused_in_a_line_and_converting_again_mends_them(
    flat: FlatIndex, tmp_path: Path
) -> None:
    pytest.importorskip("faiss")
    place = tmp_path / "i"
    shutil.copytree(flat.folder, place)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(faiss_index, "sort_into_cells", partial(sorted_as, "HNSW8"))
        with pytest.raises(UserError, match=r"of a form that is not searched here \(IndexHNSWFlat\); sort them again"):
            convert(place, place, "faiss")
    with pytest.raises(UserError, match="of a form that is not searched here"):
        open_engine(place)
    assert isinstance(convert(place, place, "faiss"), FaissIndex)
    (place / "cells.faiss").write_bytes(b"IwSq, and no more")
    with pytest.raises(UserError, match=r"cells\.faiss: damaged, not as it was written; sort them again"):
        open_engine(place)
    assert isinstance(convert(place, place, "faiss"), FaissIndex)
    (place / "cells.faiss").unlink()
    assert isinstance(convert(place, place, "faiss"), FaissIndex)


def sorted_as(form: str, vectors: NDArray[np.float32]) -> object:
    """Another form of a faiss index of these vectors."""
    import faiss

    made = faiss.index_factory(vectors.shape[1], form)
    made.train(np.array(vectors))
    made.add(np.array(vectors))
    return made


def test_an_append_to_lance_that_is_killed_loses_nothing_and_has_nothing_twice(tmp_path: Path) -> None:
    pytest.importorskip("lancedb")
    flat = write_flat(tmp_path / "flat", range(24))
    out = tmp_path / "lance"
    for kill in range(2):
        running = Forked(convert_in_small_batches, flat.folder, out)
        enough = 4 + 2 * kill + (len([*out.rglob("*.manifest")]) if out.exists() else 0)
        running.wait_until(lambda enough=enough: len([*out.rglob("*.manifest")]) >= enough)  # type: ignore[misc]
        running.stop()
    engine = convert(flat.folder, out, "lance")
    assert [entry.video for entry in engine.videos] == [entry.video for entry in flat.videos]
    assert engine.moments.count_rows() == len(flat) == len(engine)  # type: ignore[attr-defined, arg-type]


def test_a_video_that_changed_takes_its_own_place_in_lance(tmp_path: Path) -> None:
    pytest.importorskip("lancedb")
    write_flat(tmp_path / "flat", range(3))
    convert(tmp_path / "flat", tmp_path / "lance", "lance")
    with write_index(tmp_path / "flat", HEAD) as writer:
        writer.add(Entry("/home/v1.mp4", "first", 5), np.arange(5.0), walk(99, 5))
    engine = convert(tmp_path / "flat", tmp_path / "lance", "lance")
    assert len(engine.videos) == 3
    near = engine.nearest(walk(1)[7], Filter(video="v1"), 10)
    assert len(near) == 5


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["search", "s3://no-such-bucket-of-ours/i", "x.jpg"], "s3://no-such-bucket-of-ours/i: cannot be opened"),
        (["convert", "nowhere", "--engine", "lance", "--out", "x"], "nowhere: no index there"),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str], line: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("lancedb")
    monkeypatch.chdir(tmp_path)
    for name, value in {
        "AWS_ACCESS_KEY_ID": "nobody",
        "AWS_SECRET_ACCESS_KEY": "nothing",
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
        "AWS_ENDPOINT": "http://127.0.0.1:9",
        "AWS_ALLOW_HTTP": "true",
        "OBJECT_STORE_CLIENT_MAX_RETRIES": "0",
        "AWS_EC2_METADATA_DISABLED": "true",
    }.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    told = capsys.readouterr().err
    assert line in told and len(told.strip().splitlines()) == 1


def test_a_folder_with_other_things_is_not_written_to(flat: FlatIndex, tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(UserError, match="not empty; use another --out"):
        convert(flat.folder, tmp_path, "lance")


@pytest.mark.parametrize(("module", "extra"), [("faiss", "search"), ("lancedb", "lance")])
def test_without_the_extra_one_line_says_what_to_install(
    flat: FlatIndex, tmp_path: Path, module: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UserError, match=rf"pip install '\.\[{extra}\]'"):
        convert(flat.folder, tmp_path / "x", {"search": "faiss", "lance": "lance"}[extra])  # type: ignore[arg-type]


@pytest.mark.parametrize("base", [Exception, BaseException])
def test_a_panic_in_lance_is_one_line(base: type[BaseException]) -> None:
    what = "cannot be opened"
    panic = type("RustPanic" if base is Exception else "PanicException", (base,), {})
    with (
        pytest.raises(UserError, match=r"^moments: cannot be opened \(damaged\)$"),
        speaking("moments", "cannot be opened"),
    ):
        raise panic("range start must not be greater than end: 67112824 <= 4040")
    with pytest.raises(KeyboardInterrupt), speaking("moments", what):
        raise KeyboardInterrupt
