"""The demo: its folder, what it puts in step, its table, what it says about it, and its page."""

import json
import re
from dataclasses import replace
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from rich.console import Console

import make_event
import run_demo
from actor_observer.evaluation.statistics.bootstrap import Interval
from actor_observer.evaluation.tables.gain import Gain, gain
from actor_observer.evaluation.tables.layout import Figures
from actor_observer.features import Embeddings, TakeEmbedding
from actor_observer.frames.frame_index import index_video
from actor_observer.model.loading import load
from actor_observer.model.pretrained import BOX
from actor_observer.pairs import ROBOTS, read_manifest
from actor_observer.pairs.probe import probe
from actor_observer.pictures.gallery import Plate
from actor_observer.pictures.report.headline import ALIGNMENT, CORRESPONDENCE
from actor_observer.playhouse import EVENT, MINI
from actor_observer.training import recipe_named, with_settings
from demo_event import FILES, OneClock, put_on_one_clock
from demo_learn import ADAPTED, COLUMNS, FROM_BOX, ROWS, SCRATCH, Learned, section_learned, table_of
from demo_page import Page, section_in_step, section_one_clock
from demo_step import FPS, LATE, InStep, episodes_of, join_episode, put_in_step


def tables(**rights: tuple[float, float, float]) -> dict[str, Figures]:
    """What `evaluate` gives for methods with these figures; all place moments equally well."""
    rivals = ("frozen features", "frozen features, standardised", "ridge map")
    right = {f"{name}, by margin": (Interval(0.6, 0.55, 0.65),) for name in rivals}
    right |= {f"{name.replace('_', ' ')}, by margin": (Interval(*figures),) for name, figures in rights.items()}
    off = {name.removesuffix(", by margin"): (Interval(0.5, 0.4, 0.6),) for name in right}
    fair = Figures(CORRESPONDENCE, "", ("all",), {"chance": (0.5,), **right}, ("all",), ("800 quads of 14 pairs.",))
    placed = Figures(ALIGNMENT, "", ("every moment, median",), {"uniform guess": (0.6,), **off})
    return {CORRESPONDENCE: fair, ALIGNMENT: placed}


@pytest.fixture
def learned(tmp_path: Path) -> Learned:
    robots = tables(
        **{
            "quick-short": (0.9, 0.8, 0.95),
            "clock (uses time)": (0.65, 0.6, 0.7),
            "model in the box (uses time)": (0.52, 0.4, 0.6),
            "box, adapted (uses time)": (0.88, 0.8, 0.95),
        }
    )
    plate = Plate("alignment", "A pair <it> never saw.", lambda: Figure((2, 1)))
    gained = Gain(Interval(0.36, 0.2, 0.5), Interval(-0.1, -0.3, 0.1), 14)
    return Learned(table_of(robots), gained, Interval(0.3, 0.2, 0.4), plate, read_manifest(ROBOTS), tmp_path)


@pytest.fixture(scope="module")
def in_step(tmp_path_factory: pytest.TempPathFactory) -> InStep:
    return put_in_step(read_manifest(ROBOTS), tmp_path_factory.mktemp("in-step"), load(), count=1)


@pytest.fixture(scope="module")
def one_clock(tmp_path_factory: pytest.TempPathFactory) -> OneClock:
    return put_on_one_clock(tmp_path_factory.mktemp("one-clock"), load())


def test_the_table_fits_a_terminal(learned: Learned) -> None:
    assert list(learned.table.rows) == list(ROWS) and learned.table.columns == COLUMNS
    assert learned.table.rows[SCRATCH][0] == Interval(0.9, 0.8, 0.95)
    assert learned.table.rows[ADAPTED][0] == Interval(0.88, 0.8, 0.95)
    assert learned.table.rows["clock"][0] == Interval(0.65, 0.6, 0.7)  # marked as using time, and found
    console = Console(width=80, record=True, file=StringIO())
    console.print(learned.in_terminal())
    text = console.export_text()
    assert "90.0 [80–95]" in text and max(map(len, text.splitlines())) <= 80


def test_what_is_said_follows_from_the_intervals(learned: Learned) -> None:
    scratch, box = learned.sentences
    assert "above every rival (best: clock, 65.0)" in scratch and "30.0 [20.0, 40.0] points" in scratch
    assert "52.0 [40.0, 60.0] % as it comes, 88.0" in box and "it gained" in box
    poor = replace(learned, table=table_of(tables(**{"quick-short": (0.6, 0.5, 0.7)})), above=None).sentences[0]
    assert "not wholly above chance (50.0)" in poor and "ridge map (60.0)" in poor and "too few videos" in poor


def test_a_gain_is_called_one_only_where_the_interval_says_so(learned: Learned) -> None:
    level = replace(learned, gain=Gain(Interval(0.05, -0.01, 0.1), Interval(-0.1, -0.3, 0.1), 12))
    worse = replace(learned, gain=Gain(Interval(0.0, -0.1, 0.1), Interval(0.2, 0.1, 0.3), 12))
    assert "no difference that 12 videos could show" in level.sentences[1] and "it lost" in worse.sentences[1]


def test_the_gain_is_of_the_same_quads_and_moments() -> None:
    manifest, pairs = read_manifest(MINI).of("test"), read_manifest(MINI).of("test").pairs[:2]
    rng = np.random.default_rng(0)
    line = {
        id: TakeEmbedding(manifest.takes[id].view, times := np.arange(0.5, 18), times[:, None].astype(np.float32))
        for pair in pairs
        for id in (pair.third, pair.first)
    }
    noise = {id: replace(take, features=rng.normal(size=(18, 1)).astype(np.float32)) for id, take in line.items()}
    found = gain(Embeddings(noise), Embeddings(line), manifest, pairs)
    assert found.quads.value > 0.2 and found.moments.value < 0 and found.videos == 2
    assert gain(Embeddings(line), Embeddings(line), manifest, pairs).quads == Interval(0.0, 0.0, 0.0)


def test_episodes_are_joined_in_order_and_the_wrist_camera_starts_late(tmp_path: Path) -> None:
    manifest = read_manifest(ROBOTS)
    (episode,) = episodes_of(manifest, 1)
    assert [pair.id.rpartition("_")[2] for pair in episode.pairs] == ["grasp", "rotate", "insert"]
    counts = [len(index_video(manifest.takes[pair.third].path).times) for pair in episode.pairs]
    wrist = join_episode(manifest, episode, "first", LATE, tmp_path / "wrist.mp4")
    assert len(index_video(wrist).times) == sum(counts) - LATE * FPS


def test_align_finds_how_late_and_all_of_it_is_shown(in_step: InStep) -> None:
    assert in_step.right == [in_step.shown] and f"{len(in_step.sure)} called in step" in in_step.sentence
    assert in_step.picture.is_file() and probe(in_step.video).length > 8
    assert "1.50 s" in in_step.cells()[in_step.shown]


def test_cameras_and_a_gyroscope_are_put_on_one_clock(one_clock: OneClock) -> None:
    assert list(one_clock.truth) == list(FILES) and one_clock.right == [*FILES[1:]]
    assert one_clock.found.verdict == "in step" and "3 called in step, 3 of 3 rightly" in one_clock.sentence
    assert one_clock.picture.is_file() and probe(one_clock.video).length > 15
    assert one_clock.cells()["gyro.csv"][-1] == "in step (99%)"


def test_the_event_in_the_package_is_small_and_its_truth_is_that_of_its_seed() -> None:
    assert sum(path.stat().st_size for path in EVENT.iterdir()) <= make_event.LIMIT
    truth = json.loads((EVENT / "clocks.json").read_text())
    takes = make_event.takes_of(make_event.SEEDS[0])
    assert {f"{name}.mp4": take.offset for name, take in takes.items()}.items() <= {
        name: clock["offset"] for name, clock in truth.items()
    }.items()
    rows, (offset, _) = make_event.gyroscope(takes["head"], make_event.SEEDS[0])
    made, kept = (np.loadtxt(lines, delimiter=",", skiprows=1) for lines in (StringIO(rows), EVENT / "gyro.csv"))
    assert np.allclose(made, kept, atol=0.002) and abs(offset - truth["gyro.csv"]["offset"]) < 0.001


def test_the_page_grows_needs_nothing_else_and_names_the_makers_of_the_clips(
    in_step: InStep, one_clock: OneClock, learned: Learned, tmp_path: Path
) -> None:
    page = Page(tmp_path / "report.html")
    page.add(*section_in_step(in_step))
    early = page.path.read_text()
    assert "still running" in early and "data:video/mp4" in early and "2. Several" not in early
    page.add(*section_one_clock(one_clock))
    assert "gyro.csv" in page.path.read_text() and "still running" in page.path.read_text()
    page.add(*section_learned(learned), last=True)
    late = page.path.read_text()
    assert "still running" not in late and "1. In step" in late and "90.0 <small>[80.0, 95.0]</small>" in late
    assert "&lt;it&gt;" in late and "Jianlan Luo" in late and "CC BY 4.0" in late
    links = re.findall(r'(?:src|srcset|href)="(.*?)"', late)
    assert links and all(link.startswith(("data:", "https://creativecommons.org")) for link in links)


def test_the_box_is_adapted_in_its_own_size() -> None:
    recipe = with_settings(recipe_named("quick-short"), FROM_BOX)
    assert (recipe.init, recipe.frozen, recipe.size) == ("box", True, load().config.size)


def test_the_folder_is_made_anew_only_when_its_source_changed(tmp_path: Path) -> None:
    out = tmp_path / "demo"
    run_demo.prepare(out, "recipe 1")
    (out / "run.json").write_text("{}")
    run_demo.prepare(out, "recipe 1")
    assert (out / "run.json").exists()
    run_demo.prepare(out, "recipe 2")
    assert not (out / "run.json").exists() and out.is_dir()


def test_a_folder_that_no_demo_made_is_kept(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    run_demo.prepare(tmp_path, "recipe")
    assert (tmp_path / "thesis.tex").exists()


def test_what_a_folder_holds_is_known_by_names_and_contents(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    before = run_demo.fingerprint(tmp_path)
    (tmp_path / "a").write_text("2")
    assert run_demo.fingerprint(tmp_path) != before
    assert "model.safetensors" in run_demo.fingerprint(BOX)
