"""Every block and every command of docs/tutorial.md runs, in order, on a few tiny pairs."""

import re
import shlex
from pathlib import Path

import pytest

from actor_observer.cli import main
from actor_observer.pairs.probe import probe
from tiny import write_video

PAGE = (Path(__file__).parents[1] / "docs" / "tutorial.md").read_text()
STEPS = re.findall(r"```python\n(.*?)```|^    actor-observer ([^\n]*)$", PAGE, flags=re.DOTALL | re.MULTILINE)
PEOPLE = 6
SMALL = {  # what makes a command small: everything else is as the page has it
    "train": "--device cpu --set network.backbone=mobilenet_v2 init=random size=32 epochs=1 look_rate=1 "
    "validate_every=1 quads_per_pair=10",
    "evaluate": "--device cpu",
    "report": "--device cpu",
}


def shrink(recordings: Path) -> None:
    """Keep one pair of each of a few people, among them the pair that the page looks at; make them tiny."""
    (looked_at,) = set(re.findall(r"room/(P\d+-\w+\.mp4)", PAGE))
    kept = {path.name.split("-")[0]: path.name for path in sorted((recordings / "room").iterdir())}
    kept = {looked_at.split("-")[0]: looked_at} | dict(list(kept.items())[: PEOPLE - 1])
    for number, path in enumerate(sorted(recordings.glob("*/*.mp4"))):
        if path.name in kept.values():  # as long as it was, for its clock; no two alike
            write_video(path, frames=round(2 * probe(path).length) + number % 5, fps=2)
        else:
            path.unlink()


def test_the_page_runs_from_top_to_bottom(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ACTOR_OBSERVER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("actor_observer.pictures.figures.parts.save.DPI", 60)
    monkeypatch.setattr("actor_observer.model.loading.BOX", model)
    verbs: list[str] = []
    for block, command in STEPS:
        if block:
            exec(compile(block, "docs/tutorial.md", "exec"), {})
        else:
            if not verbs:
                assert len(list(tmp_path.glob("*/*.mp4"))) == 120  # the small set, which `shrink` makes smaller still
                shrink(tmp_path)
            verb, *rest = shlex.split(command)
            main([verb, *rest, *SMALL.get(verb, "").split()])
            verbs.append(verb)
    assert verbs == ["align", "inspect", "train", "evaluate", "report", "align", "index", "search"]
    assert len((tmp_path / "pairs.csv").read_text().splitlines()) == 1 + PEOPLE
    for made in ("both.mp4", "aligned/alignment.png", "runs/mine/report.html", "found/sheet.jpg"):
        assert (tmp_path / made).stat().st_size > 1000
