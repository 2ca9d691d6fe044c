from pathlib import Path

import numpy as np

from actor_observer.pairs import Action, Clock, Manifest, Pair, Take
from actor_observer.sampling import LabelledSource, apart_from


def take(id: str, subject: str = "", script: str = "", view: str = "third", *actions: Action) -> Take:
    return Take(id, view, Path(id), 20.0, subject=subject, script=script, actions=actions)  # type: ignore[arg-type]


def test_frames_lie_in_their_action_and_actions_count_by_their_length() -> None:
    takes = {
        "a": take("a", "", "", "third", Action("c1", 2.0, 12.0), Action("c0", 5.0, 5.2)),
        "b": take("b", "", "", "first", Action("c1", 0.0, 20.0)),  # first person: never a source of labels
        "c": take("c"),
    }
    source = LabelledSource(Manifest(takes, classes={"c0": "x", "c1": "y"}), per_second=3.0)
    assert len(source) == 31  # 10 s at 3 a second, and one for the short one
    batch = source.draw(np.arange(31), np.random.default_rng(0))
    assert [take.id for take in source.takes] == ["a"]
    long = batch.label == 1
    assert long.sum() == 30
    assert ((batch.time[long] >= 2) & (batch.time[long] <= 12)).all()
    assert (np.diff(batch.time[long]) > 0).all()  # spread over the action, one in each part
    assert ((batch.time[~long] >= 5) & (batch.time[~long] <= 5.2)).all()


def test_labels_kept_apart_from_pairs_by_clip_subject_and_script() -> None:
    label = Action("c0", 0.0, 5.0)
    takes = {
        "p": take("p", "ann", "make tea", "third", label),
        "pEGO": take("pEGO", "ann", "make tea", "first"),
        "q": take("q", "ann", "sweep", "third", label),
        "r": take("r", "bob", "Make  tea", "third", label),
        "s": take("s", "bob", "sweep", "third", label),
    }
    manifest = Manifest(takes, (Pair("p", "p", "pEGO", Clock.scaled(20, 20)),), {"c0": "x"})
    kept, left_out = apart_from(manifest, manifest.pairs)
    assert [take.id for take in kept] == ["s"]
    assert left_out == {"clip": 1, "subject": 1, "script": 1}
    assert len(apart_from(manifest, manifest.pairs, ties=("clip",))[0]) == 3
    assert len(LabelledSource(manifest, kept)) == 5


def test_no_takes_are_no_labelled_takes() -> None:
    """An empty choice of takes was taken for all of them."""
    take = Take("a", "third", Path("a.mp4"), 9.0, actions=(Action("c0", 2.0, 5.0),))
    manifest = Manifest({"a": take}, classes={"c0": "sit"})
    assert manifest.labelled([]) == []
    assert len(LabelledSource(manifest, [])) == 0
