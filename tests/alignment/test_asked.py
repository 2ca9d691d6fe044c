"""What cannot be asked for is one line, before any recording is looked at; long recordings are looked at less often."""

from collections.abc import Callable
from pathlib import Path

import pytest

import actor_observer as ao
from actor_observer.alignment.align_set import align_set
from actor_observer.alignment.asked import MOST_CELLS, MOST_FRAMES, bounded_look_rate
from actor_observer.alignment.result import write_text
from actor_observer.cli import main
from actor_observer.errors import UserError
from actor_observer.model import ActorObserverNet
from actor_observer.pairs.manifest import Manifest, Pair, Take
from same_scene import plain_network
from tiny import write_video

ROOM, HEAD = "no-room.mp4", "no-head.mp4"


def aligned_set(network: ActorObserverNet, **asked: object) -> object:
    takes = {"a": Take("a", "third", Path(ROOM), 3.0), "b": Take("b", "first", Path(HEAD), 3.0)}
    pairs = (Pair("a", "a", "b", "train"),)
    return align_set(network, Manifest(takes, pairs=pairs), "clocks.jsonl", **asked)


WAYS: dict[str, Callable[..., object]] = {
    "align": lambda network, **asked: ao.align(ROOM, HEAD, model=network, **asked),
    "a signal": lambda network, **asked: ao.align(ROOM, "no-signal.csv", model=network, **asked),
    "align_many": lambda network, **asked: ao.align_many([ROOM, HEAD], model=network, **asked),
    "pair": lambda network, **asked: ao.pair([ROOM], [HEAD], model=network, **asked),
    "align_set": aligned_set,
}


@pytest.mark.parametrize("way", WAYS)
def test_what_cannot_be_asked_is_refused_before_files_are_opened(way: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    network = plain_network()
    with pytest.raises(UserError, match="device toaster: cannot be used here"):
        WAYS[way](network, device="toaster")
    with pytest.raises(UserError, match="give seconds, zero or more"):
        WAYS[way](network, max_offset=float("nan"))
    with pytest.raises(UserError, match="give a rate above zero"):
        WAYS[way](network, look_rate=0.0)
    assert not list(tmp_path.iterdir()), "nothing is begun"


@pytest.mark.parametrize("option", ["--out", "--timeline", "--labels", "--trim"])
def test_a_name_that_is_no_text_is_refused_before_anything_is_compared(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    room, head = tmp_path / "bad\udcff.mp4", tmp_path / "head.mp4"
    write_video(room)
    write_video(head, frames=30)
    out = {"--timeline": "a.fcpxml", "--labels": "a.csv"}.get(option, "a")
    with pytest.raises(SystemExit) as stop:
        main(["align", str(room), str(head), option, str(tmp_path / out)])
    said = capsys.readouterr().err
    assert stop.value.code == 2 and "its name is no text" in said and len(said.splitlines()) == 1
    assert {path.name for path in tmp_path.iterdir()} == {room.name, head.name}


def test_a_program_that_writes_such_a_name_hears_it_too(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="the name of a recording is no text"):
        write_text(tmp_path / "a.json", "bad\udcff.mp4")


def test_the_matrix_of_long_videos_stays_small() -> None:
    for lengths in ((3600.0, 3600.0), (12 * 3600.0, 600.0), (12 * 3600.0, 12 * 3600.0), (40.0, 12 * 3600.0)):
        rate = bounded_look_rate(lengths, 6.0)
        assert lengths[0] * lengths[1] * rate**2 <= MOST_CELLS * 1.001
        assert max(lengths) * rate <= MOST_FRAMES * 1.001
    assert bounded_look_rate((60.0, 90.0), 6.0) == 6.0
