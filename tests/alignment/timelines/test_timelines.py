"""Timelines say which frames of which file stand beside each other; programs that are not ours read them so."""

import os
from fractions import Fraction
from pathlib import Path
from typing import Any
from urllib.parse import unquote, unquote_to_bytes
from xml.etree import ElementTree

import pytest

from actor_observer.alignment.cameras.clocked import Clocked
from actor_observer.alignment.timelines.tracks import Tracks, stated_rates, tracks_of
from actor_observer.alignment.timelines.write import check_rates, check_timeline, write_timeline
from actor_observer.cli import main
from actor_observer.errors import UserError
from actor_observer.pairs import Clock
from tiny import write_frames, write_video
from tiny_sound import clicks, write_recorder, write_sounding

otio: Any = pytest.importorskip("opentimelineio")

NTSC = Fraction(1000, 1001)
RATES = {"23.976": 24 * NTSC, "25": Fraction(25), "29.97": 30 * NTSC, "30": Fraction(30), "59.94": 60 * NTSC}
ODD = "küche #1 100% 猫.mp4"
FRAMES = 40


def clocked(path: Path, fps: Fraction, start: int, speed: float = 1.0) -> Clocked:
    """A recording whose first frame is shown at frame `start` of the common clock."""
    begun = float(start / fps)
    return Clocked(path, "third", float(FRAMES / fps), Clock(((begun, 0.0), (begun + 1.0, speed))))


def two(folder: Path, fps: Fraction, **video: Any) -> list[Clocked]:
    write_video(folder / "media" / "room.mp4", FRAMES, fps, size=(48, 48), **video)  # type: ignore[arg-type]
    other = {"comment": "another recording"}  # and no copy of the first
    write_video(folder / "media" / ODD, FRAMES, fps, size=(48, 48), metadata=other)  # type: ignore[arg-type]
    return [clocked(folder / "media" / "room.mp4", fps, 0), clocked(folder / "media" / ODD, fps, 7)]


def read(path: Path, adapter: str, **more: Any) -> Any:
    """The timeline in a file, by OpenTimelineIO's own reader."""
    found = otio.adapters.read_from_file(str(path), adapter_name=adapter, **more)
    if isinstance(found, otio.schema.SerializableCollection):
        (found,) = (one for one in found if isinstance(one, otio.schema.Timeline))
    return found


def spans(timeline: Any) -> dict[str, tuple[float, float]]:
    """First frame and number of frames of each clip."""
    ranges = {clip.name: clip.source_range for clip in timeline.find_clips()}
    return {name: (used.start_time.value, used.duration.value) for name, used in ranges.items()}


@pytest.mark.parametrize("rate", RATES)
def test_every_format_has_the_same_frames(tmp_path: Path, rate: str) -> None:
    fps = RATES[rate]
    tracks = tracks_of(two(tmp_path, fps), tmp_path, "edit", marks=[(float(12 / fps), "at its twelfth frame")])
    assert tracks.fps == fps and not tracks.notes and [frame for frame, _ in tracks.markers] == [12 - 7]
    truth = {"room.mp4": (7, FRAMES - 7), ODD: (0, FRAMES - 7)}
    adapters = {"otio": "otio_json", "xml": "fcp_xml"} | ({"fcpxml": "fcpx_xml"} if fps.denominator == 1 else {})
    for suffix, adapter in adapters.items():  # that of fcpxml cannot count at 29.97, not even what it wrote itself
        (path,) = write_timeline(tracks, tmp_path / f"edit.{suffix}")
        timeline = read(path, adapter)
        assert spans(timeline) == truth
        for clip in timeline.find_clips():
            assert clip.source_range.start_time.rate == pytest.approx(float(fps), abs=1e-6)
            assert (tmp_path / unquote(clip.media_reference.target_url)).is_file()
    files = write_timeline(tracks, tmp_path / "edit.edl")
    assert [path.name for path in files] == ["edit-room.edl", f"edit-{Path(ODD).stem}.edl"]
    found = [spans(read(path, "cmx_3600", rate=float(fps))) for path in files]
    assert [list(one.values()) for one in found] == [[span] for span in truth.values()]


@pytest.mark.parametrize("rate", RATES)
def test_times_in_final_cuts_format_are_exact_fractions(tmp_path: Path, rate: str) -> None:
    fps = RATES[rate]
    (path,) = write_timeline(tracks_of(two(tmp_path, fps), tmp_path, "edit"), tmp_path / "edit.fcpxml")
    root = ElementTree.parse(path).getroot()

    def frames(name: str) -> list[Fraction]:
        return [Fraction((clip.get(name) or "").removesuffix("s")) * fps for clip in root.iter("asset-clip")]

    assert frames("start") == [7, 0] and frames("duration") == [FRAMES - 7] * 2 and frames("offset") == [0, 0]
    assert [clip.get("lane") for clip in root.iter("asset-clip")] == ["1", "2"]


def test_drift_sound_timecode_and_varying_rates_are_in_it(tmp_path: Path) -> None:
    fps = Fraction(25)
    stamps = [40 * number + (120 if number > 20 else 0) for number in range(FRAMES)]
    phone = write_video(tmp_path / "phone.mp4", FRAMES, stamps=stamps, size=(48, 48))
    room = write_sounding(tmp_path / "room.mp4", clicks(2.0, [1.0]))
    camera = write_video(tmp_path / "camera.mov", FRAMES, 25, size=(48, 48), metadata={"timecode": "10:00:00:05"})
    recorder = write_recorder(tmp_path / "recorder.wav", clicks(2.0, [1.0]))
    recordings = [
        clocked(room, fps, 0),
        clocked(phone, fps, 0, speed=1.02),
        clocked(camera, fps, 3),
        Clocked(recorder, "third", 2.0, Clock(((0.0, 0.0),)), recorder=True),
    ]
    tracks = tracks_of(recordings, tmp_path, "edit", marks=[(1.0, "best moment"), (9.0, "too late")])
    assert [note.partition(",")[0] for note in tracks.notes] == [
        "phone.mp4: its clock drifts by +0.029 s over the stretch",
        "phone.mp4: its frame rate varies; frames are counted as if 25 a second were shown",
    ]
    timeline = read(write_timeline(tracks, tmp_path / "edit.otio")[0], "otio_json")
    kinds = [(track.kind, track.name) for track in timeline.tracks]
    assert kinds[:3] == [("Video", name) for name in ("room.mp4", "phone.mp4", "camera.mov")]
    assert kinds[3:] == [("Audio", "room.mp4"), ("Audio", "recorder.wav")]
    warped = {clip.name: clip.effects[0].time_scalar for clip in timeline.find_clips() if len(clip.effects)}
    assert warped == {"phone.mp4": pytest.approx(1.02)}
    assert spans(timeline)["camera.mov"][0] == 36000 * 25 + 5
    best = timeline.tracks.markers[0]
    assert (best.name, best.marked_range.start_time.value) == ("best moment", int((1.0 - 0.12) * 25))


def test_a_drop_frame_timecode_counts_frames_that_exist(tmp_path: Path) -> None:
    room, other = two(tmp_path, RATES["29.97"], metadata={"timecode": "01:00:00;00"})
    begins = [track.begin for track in tracks_of([room, other], tmp_path, "edit").tracks]
    assert begins == [107892, 0]  # an hour has as many


def test_names_that_no_xml_may_hold(tmp_path: Path) -> None:
    for name in ("a\x1bb.mp4", os.fsdecode(b"latin-\xfc.mp4")):
        path = write_video(tmp_path / "plain.mp4", FRAMES, 25).rename(tmp_path / name)
        tracks = tracks_of([clocked(path, Fraction(25), 0)], tmp_path, path.stem)
        for suffix in ("fcpxml", "xml"):
            (written,) = write_timeline(tracks, tmp_path / f"edit.{suffix}")
            ElementTree.parse(written)
        assert (tmp_path / os.fsdecode(unquote_to_bytes(tracks.tracks[0].url))).is_file()


def test_align_writes_one_and_says_what_it_is_worth(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = [str(one.path) for one in two(tmp_path, Fraction(20))]  # too short to tell when
    edit = tmp_path / "edit.otio"
    with pytest.raises(SystemExit) as stop:
        main(["align", *names, "--first", "none", "--timeline", str(edit)])
    assert stop.value.code == 3 and not edit.exists() and "--timeline: nothing was written" in capsys.readouterr().err
    main(["align", *names, "--first", "none", "--timeline", str(edit), "--anyway"])
    said = [mark.name for mark in read(edit, "otio_json").tracks.markers]
    assert any(text.startswith("not in step, by the best guess") for text in said)
    asked = ["align", *names, "--offset", "0.6", "--timeline", str(edit)]
    with pytest.raises(SystemExit) as stop:
        main(asked)
    assert stop.value.code == 2 and "--force writes over it" in capsys.readouterr().err
    main([*asked, "--force"])
    assert spans(read(edit, "otio_json"))["room.mp4"] == (12, FRAMES - 12)


def test_what_no_timeline_can_hold_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match=r"Kdenlive opens \.otio by itself"):
        check_timeline(tmp_path / "edit.kdenlive")
    frames = write_frames(tmp_path / "frames", 12)
    with pytest.raises(UserError, match="a timeline names video files"):
        tracks_of([Clocked(frames, "third", 0.5, Clock(((0.0, 0.0),)))] * 2, tmp_path, "edit")
    slow = tracks_of(two(tmp_path, Fraction(7)), tmp_path, "edit")
    for name in ("edit.edl", "edit.xml"):
        with pytest.raises(UserError, match=r"no timecode counts the 7 .* of room\.mp4; .* --trim DIR --rate 30"):
            write_timeline(slow, tmp_path / name)
    assert write_timeline(slow, tmp_path / "edit.fcpxml")
    media = [tmp_path / "media" / name for name in ("room.mp4", ODD)]
    with pytest.raises(UserError, match="no timecode counts the 7"):  # before anything is looked at
        check_rates(tmp_path / "a.xml", stated_rates(media))
    with pytest.raises(UserError, match="say another --rate"):
        check_rates(tmp_path / "a.xml", {}, Fraction(7))
    monkeypatch.setitem(__import__("sys").modules, "opentimelineio", None)
    with pytest.raises(UserError, match="a timeline needs the extra `timeline`"):
        write_timeline(Tracks("edit", Fraction(25), 1, (), (), ()), tmp_path / "edit.otio")
