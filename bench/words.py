"""Do words find in first person what they find in third? The recipe `words` on rendered data, with a toy text tower.

    python bench/words.py [--data FOLDER] [--judged OUT/judged-free] [--pictures box] [--no-write]

A toy space of pictures and words (bench/toy_words.py) learns from third-person training frames and the names of their
actions. Then first person is linked to it by pairs alone (`train words`), and both views are judged on the people of
the test split (of another rendered set: `--judged`), moment by moment and video by video: beside the same words without
the link, class heads on the same features (`train quick`, taught by third-person labels), and rivals that do not look.
Writes docs/results/words.md.
"""

from __future__ import annotations

import shlex
import sys
import tempfile
from pathlib import Path
from typing import Literal

import numpy as np
import torch
import tyro
from numpy.typing import NDArray

from actor_observer import load
from actor_observer.evaluation.measures.recognition import label_matrix, score_recognition, video_scores
from actor_observer.evaluation.statistics.bootstrap import Interval
from actor_observer.evaluation.statistics.jackknife import jackknife
from actor_observer.evaluation.statistics.over_videos import Statistic
from actor_observer.evaluation.tables.layout import Cell, Figures, as_markdown
from actor_observer.features import FeatureCache, Look
from actor_observer.features.embed import embed_manifest
from actor_observer.features.embeddings import TakeEmbedding
from actor_observer.features.extract import extract
from actor_observer.model import create_backbone
from actor_observer.model.backbones.backbone import Backbone
from actor_observer.model.backbones.hugging_face.hf import HuggingFace
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs.manifest import Manifest, Split, Take, View
from actor_observer.pairs.read import read_manifest
from actor_observer.playhouse import MINI
from actor_observer.training import recipe_named, train, with_settings
from actor_observer.training.planning.material import choose_material
from actor_observer.training.start import make_network
from page import write_section
from toy_words import SIDE, make_toy

RATE, BINS = 2.0, 10
LINKED, UNLINKED, HEADS = "words, linked (`words`)", "words, no link", "class heads, third-person labels (`quick`)"
POSITION, FREQUENT, CHANCE = "position in time (no pixels)", "most frequent action (no pixels)", "at random"
COLUMNS = ("first action right (%)", "mAP of moments (%)", "mAP of videos (%)")

Scores = dict[str, NDArray[np.float64]]  # take id -> (T, C)


def main(
    data: Path = MINI,
    judged: Path | None = None,  # the set whose people are judged, if another one
    pictures: Literal["box", "mobilenet_v2"] = "box",  # whose φ: the box's backbone, or ImageNet's
    steps: int = 600,  # of the toy
    epochs: int = 30,  # of the link and of the heads
    split: Split = "test",  # who is judged; validation to choose settings
    cache: Path | None = None,
    write: bool = True,
) -> None:
    """Learn, judge, print, write."""
    torch.set_num_threads(1)
    manifest, store = read_manifest(data), FeatureCache(cache)
    people = (read_manifest(judged) if judged else manifest).of(split)
    backbone = load().backbone if pictures == "box" else create_backbone("mobilenet_v2")
    look = Look(RATE, SIDE, "whole")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "toy").mkdir()
        toy = make_toy(manifest, backbone, look, store, folder / "toy", steps)
        kept = FeatureCache(folder / "cache")
        takes = {**manifest.takes, **people.takes}  # ids of another set are its own
        keep_projected(toy, backbone, list(takes.values()), look, store, kept)
        networks = learned(manifest, toy, epochs, folder)
        found = {name: scores_of(network, people, look, kept) for name, network in networks.items()}
    tables = [table_of(found, manifest, people, view) for view in ("first", "third")]
    text = "\n\n".join(map(as_markdown, tables))
    print(text)
    if write and split == "test":
        write_section(
            f"words-{pictures.replace('_', '-')}", text, f"python {shlex.join(['bench/words.py', *sys.argv[1:]])}"
        )


def keep_projected(
    toy: str, backbone: Backbone, takes: list[Take], look: Look, store: FeatureCache, kept: FeatureCache
) -> None:
    """The toy's φ is a linear map of its pictures' network, which runs faster by itself: seen to be the same."""
    own = create_backbone(toy).eval()
    assert isinstance(own, HuggingFace) and own.to_joint is not None
    weight = next(own.to_joint.parameters()).detach().numpy()  # (D, 1280)
    phi, _ = store.features("mobilenet_v2", backbone, takes, look)
    joint = phi.mapped(lambda _, features: np.asarray(features @ weight.T, dtype=np.float32))
    [(_, one)] = extract(own, takes[:1], look)
    assert isinstance(one, TakeEmbedding)
    np.testing.assert_allclose(one.features, joint[takes[0].id].features, rtol=1e-3, atol=1e-3)
    kept.keep(toy, own, takes, look, "cpu", joint)


def learned(manifest: Manifest, toy: str, epochs: int, folder: Path) -> dict[str, ActorObserverNet]:
    """The three networks that are compared, on the toy's pictures."""
    usual = [f"network.backbone={toy}", f"size={SIDE}", f"epochs={epochs}", f"look_rate={RATE:g}"]
    words = with_settings(recipe_named("words"), usual)
    quick = with_settings(recipe_named("quick"), [*usual, "labelled_apart="])
    for name, recipe in (("words", words), ("quick", quick)):
        train(recipe, manifest, folder / name, cache=folder / "cache", device="cpu", quiet=True, checked=True)
    unlinked, _ = make_network(words, choose_material(words, manifest))
    return {HEADS: load(folder / "quick"), UNLINKED: unlinked.eval(), LINKED: load(folder / "words")}


def scores_of(network: ActorObserverNet, judged: Manifest, look: Look, cache: FeatureCache) -> Scores:
    """What a network says of every moment (T, C), classes in the order of the data; one not taught comes last."""
    embedded, _ = embed_manifest(network, judged, look, cache)
    place = [network.config.labels.index(label) if label in network.config.labels else -1 for label in judged.classes]
    found: Scores = {}
    for id, take in embedded.items():
        scores = np.asarray(take.scores, dtype=float)
        found[id] = np.concatenate([scores, np.full((len(scores), 1), -1.0)], axis=1)[:, place]
    return found


def times_of(length: int) -> NDArray[np.float64]:
    return np.asarray((np.arange(length) + 0.5) / RATE, dtype=np.float64)


def going_on(take: Take, times: NDArray[np.float64], classes: list[str]) -> NDArray[np.bool_]:  # (T, C)
    """Which actions go on at each time."""
    return np.array(
        [[any(a.label == c and a.start <= t < a.end for a in take.actions) for c in classes] for t in times]
    )


def by_position(manifest: Manifest, takes: list[Take], counts: dict[str, int]) -> tuple[Scores, Scores]:
    """How often each action goes on in each tenth of training takes, and in all: rivals that do not look."""
    classes = list(manifest.classes)
    often = np.zeros((BINS, len(classes)))
    for take in manifest.of("train").labelled():
        times = times_of(max(1, int(take.length * RATE)))
        np.add.at(often, tenth(times, take.length), going_on(take, times, classes).astype(float))
    position = {take.id: often[tenth(times_of(counts[take.id]), take.length)] for take in takes}
    return position, {take.id: np.tile(often.sum(axis=0), (counts[take.id], 1)) for take in takes}


def tenth(times: NDArray[np.float64], length: float) -> NDArray[np.int64]:
    return np.minimum(times / length * BINS, BINS - 1).astype(np.int64)


def table_of(found: dict[str, Scores], manifest: Manifest, judged: Manifest, view: View) -> Figures:
    """All rows for one view, with intervals over videos."""
    classes = list(manifest.classes)
    takes = [take for take in judged.takes.values() if take.view == view and take.actions and take.id in found[LINKED]]
    counts = {take.id: len(found[LINKED][take.id]) for take in takes}
    truth = [going_on(take, times_of(counts[take.id]), classes) for take in takes]
    position, frequent = by_position(manifest, takes, counts)
    own = {**found, POSITION: position, FREQUENT: frequent}
    labels = label_matrix([{action.label for action in take.actions} for take in takes], manifest.classes)
    statistics = {
        name: (
            *statistics_of([scores[take.id] for take in takes], truth),
            of_videos(np.stack([video_scores(scores[take.id]) for take in takes]), labels),
        )
        for name, scores in own.items()
    }
    rows: dict[str, tuple[Cell, ...]] = {}
    for name, figures in statistics.items():
        rows[name] = tuple(left_out(figure, len(takes)) for figure in figures)
    every = np.concatenate(truth)
    share = every[every.any(axis=1)].mean(axis=0)
    rows[FREQUENT] = (rows[FREQUENT][0], None, None)  # it ranks nothing
    chance = score_recognition(np.zeros(labels.shape), labels).chance
    rows[CHANCE] = (float(share.mean()), float(share[share > 0].mean()), chance)
    rivals = {"position in time": POSITION, "the most frequent action": FREQUENT}
    rivals |= {"no link": UNLINKED} if view == "first" else {}
    for name, rival in rivals.items():
        gains = [
            more_by(one, other, len(takes)) for one, other in zip(statistics[LINKED], statistics[rival], strict=True)
        ]
        rows[f"linked above {name} (points)"] = (gains[0], *([None, None] if rival == FREQUENT else gains[1:]))
    people = len({take.subject for take in takes})
    title = f"{view} person{' (zero-shot)' if view == 'first' else ''}: {len(takes)} videos of {people} people"
    note = f"{int(every.any(axis=1).sum())} moments with an action, {int((share > 0).sum())} of {len(classes)} actions."
    note += " Intervals: videos left out one at a time (jackknife)."
    return Figures(f"words-{view}", title, COLUMNS, rows, COLUMNS, (note,))


def of_videos(scores: NDArray[np.float64], labels: NDArray[np.bool_]) -> Statistic:
    """Mean average precision of the videos that count."""
    return lambda counts: score_recognition(scores[counts > 0], labels[counts > 0]).mean.value


def left_out(figure: Statistic, videos: int) -> Interval:
    """A figure and its interval from leaving out each video."""
    every = np.ones(videos)
    return jackknife(figure(every), np.array([figure(every - one) for one in np.eye(videos)]))


def more_by(one: Statistic, other: Statistic, videos: int) -> Interval:
    """How much more one figure is than another on the same videos, -1 to 1, and its interval."""
    half = left_out(lambda counts: (1 + one(counts) - other(counts)) / 2, videos)  # of a share, 0 to 1
    return Interval(*(2 * value - 1 for value in (half.value, half.low, half.high)))


def statistics_of(scores: list[NDArray[np.float64]], truth: list[NDArray[np.bool_]]) -> tuple[Statistic, Statistic]:
    """Share of moments whose first action goes on; mean average precision of moments; by how often a video counts."""
    video = np.concatenate([np.full(len(one), number) for number, one in enumerate(truth)])
    value, true = np.concatenate(scores), np.concatenate(truth)
    some = true.any(axis=1)  # where nothing goes on, no name is right
    value, true, video = value[some], true[some], video[some]
    right = true[np.arange(len(value)), value.argmax(axis=1)]
    order = np.argsort(-value, axis=0, kind="stable")
    hits, whose = np.take_along_axis(true, order, axis=0), video[order]

    def first(counts: NDArray[np.float64]) -> float:
        weight = counts[video]
        return float(weight @ right / weight.sum()) if weight.sum() else float("nan")

    def moments(counts: NDArray[np.float64]) -> float:
        weight = counts[whose]  # (T, C)
        found = (weight * hits).cumsum(axis=0)
        precision = found / np.maximum(weight.cumsum(axis=0), 1e-12)
        with np.errstate(invalid="ignore"):
            return float(np.nanmean((weight * hits * precision).sum(axis=0) / found[-1]))

    return first, moments


if __name__ == "__main__":
    tyro.cli(main)
