"""Recording: what is on disk is what the scene graph says, for any number of workers, also after a kill."""

import csv
import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import av
import numpy as np
import pytest

from actor_observer.errors import UserError
from actor_observer.pairs.clock import Clock
from actor_observer.playhouse.acting.scripting.actions import ACTIONS
from actor_observer.playhouse.filming.render import Painter, check_drawing
from actor_observer.playhouse.make import make
from actor_observer.playhouse.planner import plan_set
from actor_observer.playhouse.record import filming_of, render_frames
from actor_observer.playhouse.set_plan import TakePlan, performance_of
from actor_observer.playhouse.truth_files import CAUSE_NAMES, read_truth
from drawing import needs_drawing

SIZE = (160, 120)
SMALL = {"size": SIZE, "fps": 1.4, "seed": 3, "seconds": (10.0, 14.0), "quiet": True}


RUN = """from pathlib import Path
from actor_observer.playhouse import make
if __name__ == "__main__":
    make(Path({out!r}), pairs=2, labelled=1, workers=2, **{settings!r})
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("playhouse")
    make(out, pairs=2, labelled=1, for_each=map, **SMALL)  # type: ignore[arg-type]
    return out


def takes() -> tuple[TakePlan, ...]:
    return plan_set(2, 3, fps=1.4, labelled=1, seconds=(10.0, 14.0)).takes


def first_hit(painter: Painter, eye: np.ndarray, point: np.ndarray) -> int:
    """The geom that a ray from the camera meets first; walls are left out, a camera may look through one."""
    import mujoco

    geom, groups = np.zeros(1, np.int32), np.array([1, 0, 0, painter.filming.view == "third", 0, 0], np.uint8)
    way = (point - eye) / np.linalg.norm(point - eye)
    mujoco.mj_ray(painter.scene.model, painter.scene.data, eye, way, groups, 1, -1, geom)
    return int(geom[0])


def hashes(out: Path) -> dict[str, str]:
    files = (path for path in sorted(out.rglob("*")) if path.is_file() and path.suffix != ".mp4")
    return {str(path.relative_to(out)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@needs_drawing
def test_every_take_has_a_video_and_a_truth_of_the_same_frames(made: Path) -> None:
    for take in takes():
        with av.open(str(made / "videos" / f"{take.id}.mp4")) as file:
            times = [frame.time for frame in file.decode(video=0)]
        truth = read_truth(made / "truth" / f"{take.id}.npz")
        np.testing.assert_allclose(times, truth["time"], atol=1e-3)
        assert len(times) == take.frames and truth["hands"].shape == (len(times), 2, 3)


@needs_drawing
def test_truth_is_that_of_the_performance(made: Path) -> None:
    labels = [*ACTIONS]
    for take in takes():
        truth, filming = read_truth(made / "truth" / f"{take.id}.npz"), filming_of(take)
        for action in take.actions:
            inside = (truth["time"] > action.start + 0.05) & (truth["time"] < action.end - 0.05)
            assert {labels[i] for i in truth["action"][inside]} <= {action.label}
        using = [truth["objects"][i] for i in truth["object"]]
        assert using == performance_of(take).in_use(take.times)
        for spell in filming.spells:
            full = (truth["time"] > spell.start + 0.3) & (truth["time"] < spell.end - 0.3)
            assert not truth["informative"][full].any()
            assert (truth["cause"][full] == CAUSE_NAMES.index(spell.cause)).all()


@needs_drawing
def test_hands_are_seen_where_the_scene_graph_has_them(made: Path) -> None:
    """Out of the picture by the camera's own pose: not a pixel. Well inside, and hit by a ray first: some."""
    checked = {"out": 0, "seen": 0}
    for take in takes():
        truth = read_truth(made / "truth" / f"{take.id}.npz")
        with Painter(filming_of(take), SIZE) as painter:
            eyes, frames = painter.camera(take.times)
            fields = np.tan(np.radians(painter.fields_of_view(take.times)) / 2)
            grips = painter.filming.bodies(take.times).grips
            for i in range(len(take.times)):
                local = (grips[i] - eyes[i]) @ frames[i]  # (2, 3): right, forward, up
                bounds = np.array([fields[i] * 4 / 3, fields[i]])
                ahead = np.maximum(local[:, 1:2], 1e-3)
                # How far the grip is outside each side of the picture, in metres; a hand reaches 14 cm from it.
                beyond = (np.abs(local[:, [0, 2]]) - bounds * local[:, 1:2]) / np.sqrt(1 + bounds**2)
                if (beyond.max(axis=1) > 0.14).all():
                    assert truth["hands_share"][i] == 0.0, (take.id, i)
                    checked["out"] += 1
                painter.pose(float(take.times[i]))
                inside = (local[:, 1] > 0.2) & (np.abs(local[:, [0, 2]]) / ahead < 0.9 * bounds).all(axis=1)
                if any(first_hit(painter, eyes[i], grip) in painter.scene.hands for grip in grips[i][inside]):
                    assert truth["hands_share"][i] > 0.0, (take.id, i)
                    checked["seen"] += 1
    assert min(checked.values()) > 2


@needs_drawing
def test_tables_are_in_the_form_of_charades_ego(made: Path) -> None:
    rows = [row for name in ("train", "test") for row in csv.DictReader((made / f"CharadesEgo_v1_{name}.csv").open())]
    others = [row for name in ("train", "test") for row in csv.DictReader((made / f"Charades_v1_{name}.csv").open())]
    assert len(rows) == 4 and len(others) == 3 and list(rows[0])[-2:] == ["egocentric", "charades_video"]
    for row in rows + others:
        take = next(take for take in takes() if take.id == row["id"])
        assert row["subject"] == take.actor and row["script"] == take.script.text
        assert len(row["actions"].split(";")) == len(take.free.order if take.free else take.script.steps)
        assert float(row["length"]) == pytest.approx(take.length, abs=0.01)
    assert {row["charades_video"] for row in rows} <= {row["id"] for row in others}
    clocks = {row["id"]: Clock.parse(row["clock"]) for row in csv.DictReader((made / "truth" / "clocks.csv").open())}
    assert len(clocks) == 4
    assert {row["split"] for row in csv.DictReader((made / "splits.csv").open())} <= {"train", "validation", "test"}
    assert (made / "classes.txt").read_text().splitlines()[0].startswith("c000 ")


@needs_drawing
def test_other_workers_and_a_kill_change_no_byte_of_what_is_not_video(made: Path, tmp_path: Path) -> None:
    script = tmp_path / "run.py"
    script.write_text(RUN.format(out=str(tmp_path), settings=SMALL))
    child = subprocess.Popen([sys.executable, str(script)], start_new_session=True)
    deadline = time.monotonic() + 300
    while not list((tmp_path / "truth").glob("*.npz")) and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    script.unlink()
    done = {path.name for path in (tmp_path / "truth").glob("*.npz")}
    assert 0 < len(done) < 7 and not (tmp_path / "CharadesEgo_v1_train.csv").exists()
    before = {name: (tmp_path / "truth" / name).stat().st_mtime_ns for name in done}
    make(tmp_path, pairs=2, labelled=1, workers=2, **SMALL)  # type: ignore[arg-type]
    assert before == {name: (tmp_path / "truth" / name).stat().st_mtime_ns for name in done}
    assert hashes(tmp_path) == hashes(made)


@needs_drawing
def test_some_frames_can_be_drawn_without_the_rest(made: Path) -> None:
    take = takes()[1]
    truth = read_truth(made / "truth" / f"{take.id}.npz")
    frames = render_frames(take, take.times[[5, 2]], size=SIZE)
    assert frames.images.shape == (2, 120, 160, 3)
    np.testing.assert_array_equal(frames.hands_share.astype(np.float16), truth["hands_share"][[5, 2]])


@needs_drawing
def test_together_is_written_with_its_clock(tmp_path: Path) -> None:
    make(tmp_path, pairs=1, seed=2, size=SIZE, fps=2.0, seconds=(10.0, 13.0), together=True, for_each=map, quiet=True)
    (row,) = csv.DictReader((tmp_path / "pairs.csv").open())
    clock = Clock.parse(row["clock"])
    lengths = []
    for view in ("third", "first"):
        with av.open(str(tmp_path / row[view])) as file:
            lengths.append(float(file.streams.video[0].frames / file.streams.video[0].average_rate))
    assert clock.overlap(*lengths)[1] > 5.0 and abs(clock.to_first(0.0)) > 1.5


def test_a_folder_holds_one_set(tmp_path: Path) -> None:
    (tmp_path / "truth").mkdir()
    (tmp_path / "truth" / "made.json").write_text('{"plan": "another"}')
    with pytest.raises(UserError, match=r"other settings|EGL|MuJoCo"):
        make(tmp_path, pairs=1, **SMALL)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["CharadesEgo_v1_train.csv", "pairs.csv", "classes.txt", "videos/ABCDE.mp4"])
def test_a_data_set_of_others_is_not_written_over(name: str, tmp_path: Path) -> None:
    theirs = tmp_path / name
    theirs.parent.mkdir(exist_ok=True)
    theirs.write_text("years of work\n")
    with pytest.raises(UserError, match=f"holds {name}, which the playhouse did not make; choose another folder"):
        make(tmp_path, pairs=1, **SMALL)  # type: ignore[arg-type]
    assert theirs.read_text() == "years of work\n"
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [theirs], "nothing is begun"


def test_a_size_the_encoder_cannot_take_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="multiples of 4"):
        make(tmp_path, pairs=1, seed=0, size=(63, 47))


def test_without_egl_it_says_what_to_install() -> None:
    code = "from actor_observer.playhouse.filming.render import check_drawing; check_drawing()"
    nowhere = {**os.environ, "__EGL_VENDOR_LIBRARY_FILENAMES": "/nowhere.json"}
    run = subprocess.run([sys.executable, "-c", code], env=nowhere, capture_output=True, text=True)
    assert run.returncode and "UserError" in run.stderr and ("libegl1" in run.stderr or "[sim]" in run.stderr)


def test_without_mujoco_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(UserError, match=r"\[sim\]"):
        check_drawing()
