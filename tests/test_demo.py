"""The demo: its folder, its table, what it says about it, and its page."""

import re
from dataclasses import replace
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from rich.console import Console

import run_demo
from actor_observer.evaluation.statistics.bootstrap import Interval
from actor_observer.evaluation.tables.gain import Gain, gain
from actor_observer.evaluation.tables.layout import Figures
from actor_observer.features import Embeddings, TakeEmbedding
from actor_observer.model.network import load
from actor_observer.model.pretrained import BOX
from actor_observer.pairs import ROBOTS as ROBOT_PAIRS
from actor_observer.pairs import read_manifest
from actor_observer.pictures.gallery import Plate
from actor_observer.pictures.report.headline import ALIGNMENT, CORRESPONDENCE
from actor_observer.playhouse import MINI
from actor_observer.training import recipe_named, with_settings
from demo_page import (
    ADAPTED,
    COLUMNS,
    HOMES,
    ROBOTS,
    ROWS,
    SCRATCH,
    Shown,
    in_terminal,
    sentences,
    table_of,
    write_page,
)


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
def shown(tmp_path: Path) -> Shown:
    robots = tables(
        **{
            "quick-short": (0.9, 0.8, 0.95),
            "clock (uses time)": (0.65, 0.6, 0.7),
            "model in the box (uses time)": (0.52, 0.4, 0.6),
            "box, adapted (uses time)": (0.88, 0.8, 0.95),
        }
    )
    homes = tables(
        **{
            "quick (uses time)": (0.6, 0.5, 0.7),
            "model in the box (uses time)": (0.8, 0.7, 0.9),
            "box, adapted (uses time)": (0.85, 0.75, 0.95),
        }
    )
    plate = Plate("alignment", "A pair <it> never saw.", lambda: Figure((2, 1)))
    manifest = read_manifest(ROBOT_PAIRS)
    gained = Gain(Interval(0.36, 0.2, 0.5), Interval(-0.1, -0.3, 0.1), 14)
    level = Gain(Interval(0.05, -0.01, 0.1), Interval(-0.1, -0.3, 0.1), 12)
    above = Interval(0.3, 0.2, 0.4), Interval(0.02, -0.05, 0.08)
    return Shown(table_of(robots, homes), (gained, level), above, plate, manifest, manifest, tmp_path)


def test_the_table_has_both_sets_side_by_side(shown: Shown) -> None:
    assert list(shown.table.rows) == list(ROWS) and shown.table.columns == COLUMNS
    row = shown.table.rows[SCRATCH]
    assert row[ROBOTS] == Interval(0.9, 0.8, 0.95) and row[HOMES] == Interval(0.6, 0.5, 0.7)
    assert shown.table.rows[ADAPTED][ROBOTS] == Interval(0.88, 0.8, 0.95)
    assert shown.table.rows["clock"][ROBOTS] == Interval(0.65, 0.6, 0.7)  # marked as using time, and found
    console = Console(width=80, record=True, file=StringIO())
    console.print(in_terminal(shown.table))
    text = console.export_text()
    assert "90.0 [80–95]" in text and max(map(len, text.splitlines())) <= 80


def test_what_is_said_follows_from_the_intervals(shown: Shown) -> None:
    robots, robots_box, scratch, box = sentences(shown)
    assert "above every rival (best: clock, 65.0)" in robots
    assert "52.0 [40.0, 60.0] % as it comes, 88.0" in robots_box and "it gained" in robots_box
    assert "not wholly above chance (50.0)" in scratch and "ridge map (60.0)" in scratch and "too few videos" in scratch
    assert "80.0 [70.0, 90.0] % as it comes, 85.0 [75.0, 95.0] % adapted" in box and "75 pairs" in scratch
    assert "+5.0 [-1.0, +10.0] points" in box and "no difference that 12 videos could show" in box


def test_a_gain_is_called_one_only_where_the_interval_says_so(shown: Shown) -> None:
    better = replace(shown, gains=(Gain(Interval(0.05, 0.01, 0.1), Interval(-0.1, -0.3, 0.1), 12),) * 2)
    worse = replace(shown, gains=(Gain(Interval(0.0, -0.1, 0.1), Interval(0.2, 0.1, 0.3), 12),) * 2)
    assert "it gained" in sentences(better)[-1] and "it lost" in sentences(worse)[-1]


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


def test_the_page_needs_nothing_else_and_names_the_makers_of_the_clips(shown: Shown) -> None:
    page = write_page(shown).read_text()
    assert "&lt;it&gt;" in page and "90.0 <small>[80.0, 95.0]</small>" in page
    assert "Jianlan Luo" in page and "CC BY 4.0" in page
    links = re.findall(r'(?:src|srcset|href)="(.*?)"', page)
    assert links and all(link.startswith(("data:", "https://creativecommons.org")) for link in links)


def test_the_box_is_adapted_in_its_own_size() -> None:
    recipe = with_settings(recipe_named("quick"), run_demo.ADAPT)
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
