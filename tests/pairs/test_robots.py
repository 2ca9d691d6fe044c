"""The robot pairs inside the package: whole, small, attributed, and split so that no episode is on both sides."""

import tomllib
from pathlib import Path

import pytest

from actor_observer.frames.check import check_manifest
from actor_observer.pairs import ROBOTS, Manifest, read_manifest


@pytest.fixture(scope="module")
def manifest() -> Manifest:
    return read_manifest(ROBOTS)


def test_every_clip_is_there_and_can_be_read(manifest: Manifest) -> None:
    assert not manifest.faults and not check_manifest(manifest).faults
    splits = [pair.split for pair in manifest.pairs]
    assert [splits.count(split) for split in ("train", "validation", "test")] == [52, 9, 14]
    assert {path.name for path in (ROBOTS / "videos").iterdir()} == {take.path.name for take in manifest.takes.values()}


def test_it_is_small() -> None:
    assert sum(path.stat().st_size for path in ROBOTS.rglob("*") if path.is_file()) <= 4_000_000


def test_no_episode_is_in_two_splits(manifest: Manifest) -> None:
    scripts = {split: {take.script for take in manifest.of(split).takes.values()} for split in ("train", "test")}
    scripts["validation"] = {take.script for take in manifest.of("validation").takes.values()}
    assert [len(scripts[split]) for split in ("train", "validation", "test")] == [35, 5, 10]
    assert len(set.union(*scripts.values())) == 50


def test_its_licence_and_its_makers_travel_with_it() -> None:
    text = (ROBOTS / "LICENSE.md").read_text()
    assert "CC BY 4.0" in text and "Jianlan Luo" in text and "Changes made" in text
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    shipped = project["tool"]["setuptools"]["package-data"]["actor_observer"]
    assert "pairs/robots/**/*" in shipped
