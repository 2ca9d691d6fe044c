"""An index in an object store (moto's, on this machine): the same answers, one writer, and no rights in one line."""

import json
import logging
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from actor_observer.cli import main
from actor_observer.errors import UserError
from actor_observer.searching.convert import convert
from actor_observer.searching.engines import lance_append, open_engine
from actor_observer.searching.engines.engine import Filter
from actor_observer.searching.engines.lance_append import write_lance
from forked import Forked
from tiny_index import HEAD, convert_in_small_batches, walk, write_flat

pytest.importorskip("lancedb")
server = pytest.importorskip("moto.server")


@pytest.fixture(scope="module")
def store() -> Iterator[str]:
    """The address of a store with an empty bucket, s3://bucket."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    running = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    address = f"http://{host}:{port}"
    urllib.request.urlopen(urllib.request.Request(f"{address}/bucket", method="PUT"))
    with pytest.MonkeyPatch.context() as patch:
        for name in ("AWS_ENDPOINT", "AWS_ENDPOINT_URL"):
            patch.setenv(name, address)
        for name, value in {
            "AWS_ACCESS_KEY_ID": "somebody",
            "AWS_SECRET_ACCESS_KEY": "something",
            "AWS_REGION": "us-east-1",
            "AWS_ALLOW_HTTP": "true",
            "AWS_EC2_METADATA_DISABLED": "true",
            "OBJECT_STORE_CLIENT_MAX_RETRIES": "0",
        }.items():
            patch.setenv(name, value)
        yield address
    running.stop()


def asks_who_you_are(store: str, after: int) -> None:
    """From so many requests on, the store lets in only those that it knows: nobody."""
    url, plain = f"{store}/moto-api/reset-auth", {"Content-Type": "text/plain"}
    urllib.request.urlopen(urllib.request.Request(url, str(after).encode(), plain, method="POST"))


def line_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    with pytest.raises(SystemExit) as stop:
        main([*arguments])
    assert stop.value.code == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    return line


def test_it_goes_there_and_back_and_answers_the_same(store: str, tmp_path: Path) -> None:
    flat = write_flat(tmp_path / "flat", range(12))
    there = convert(flat.folder, "s3://bucket/there", "lance")
    assert [entry.video for entry in there.videos] == [entry.video for entry in flat.videos]
    for filter in (Filter(), Filter(view="third"), Filter(subject="o'neil"), Filter(video="v1*")):
        found, wanted = (engine.nearest(walk(4)[20], filter, 10) for engine in (open_engine("s3://bucket/there"), flat))
        assert [(one.entry.video, one.time) for one in found] == [(one.entry.video, one.time) for one in wanted]
    convert("s3://bucket/there", tmp_path / "back", "flat")
    assert (tmp_path / "back" / "vectors.f32").read_bytes() == (flat.folder / "vectors.f32").read_bytes()


def test_videos_are_indexed_straight_into_it_and_searched(
    store: str, model: Path, videos: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    common = ["--view", "first", "--model", str(model), "--engine", "lance", "--json"]
    place = "s3://bucket/straight"
    main(["index", str(videos[0]), "--out", place, *common])
    capsys.readouterr()
    main(["index", *map(str, videos), "--out", place, *common])
    again = json.loads(capsys.readouterr().out)
    assert (again["index"], len(again["skipped"]), len(again["added"]), again["total"]) == (place, 1, 2, 24)
    main(["search", place, f"{videos[1]}@3.5", "--view", "first", "--model", str(model), "--json"])
    best = json.loads(capsys.readouterr().out)["answers"][0]
    assert (Path(best["video"]).name, best["time"]) == ("b.mp4", 3.5)


def test_a_killed_append_loses_nothing_and_has_nothing_twice(store: str, tmp_path: Path) -> None:
    flat, place = write_flat(tmp_path / "flat", range(20)), "s3://bucket/killed"

    def begun() -> bool:
        try:
            return len(open_engine(place).videos) >= 5
        except UserError:
            return False

    running = Forked(convert_in_small_batches, flat.folder, place)
    running.wait_until(begun)
    running.stop()
    half = len(open_engine(place).videos)
    assert 5 <= half < 20
    with pytest.raises(UserError, match=r"another process is writing to this index \(.*\); wait for it, or, if it was"):
        convert(flat.folder, place, "lance")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lance_append, "LEASE", 0.0)
        engine = convert(flat.folder, place, "lance")
    assert [entry.video for entry in engine.videos] == [entry.video for entry in flat.videos]
    assert engine.moments.count_rows() == len(flat)  # type: ignore[attr-defined]


def test_a_second_writer_gets_one_line_and_the_first_is_not_disturbed(store: str) -> None:
    place = "s3://bucket/two"
    with write_lance(place, HEAD) as writer:
        with pytest.raises(UserError, match="another process is writing to this index"):
            write_lance(place, HEAD).__enter__()
        flat_entry = writer.known
    assert not flat_entry
    with write_lance(place, HEAD):  # free again
        pass


def test_bad_places_are_one_line(
    store: str, model: Path, videos: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flat = write_flat(tmp_path / "flat", range(2))
    common = ["--view", "first", "--model", str(model)]
    assert "takes an index of lance only" in line_of(capsys, "index", str(videos[0]), "--out", "s3://bucket/x", *common)
    lance = [*common, "--engine", "lance"]
    assert "a part is made of flat files" in line_of(
        capsys, "index", str(videos[0]), "--out", "s3://bucket/x", *lance, "--shard", "1/2"
    )
    line = line_of(capsys, "convert", str(flat.folder), "--engine", "lance", "--out", "s3://no-bucket/x")
    assert line.endswith("s3://no-bucket/x: cannot be written (there is no such bucket)")
    asks_who_you_are(store, 0)
    try:
        for arguments in (
            ["search", "s3://bucket/there", f"{videos[0]}@1", "--model", str(model)],
            ["index", str(videos[0]), "--out", "s3://bucket/new", *lance],
            ["convert", str(flat.folder), "--engine", "lance", "--out", "s3://bucket/new"],
        ):
            line = line_of(capsys, *arguments)
            assert "rights" in line or "your key" in line, line
    finally:
        asks_who_you_are(store, 1 << 30)
