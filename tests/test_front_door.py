"""What `import actor_observer as ao` offers: names, their help, and short answers."""

import inspect
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import actor_observer as ao
from actor_observer.answers.recognise import Recognised
from actor_observer.answers.select import Chosen, Selected
from actor_observer.features.embed_videos import Embedded
from actor_observer.features.embeddings import Embeddings, TakeEmbedding
from actor_observer.pairs.manifest import Fault
from actor_observer.searching.index import Indexed
from actor_observer.searching.search import Answers, Hit

FUNCTIONS = [name for name in ao.__all__ if inspect.isfunction(getattr(ao, name))]


def test_names_at_the_front_door() -> None:
    assert ao.ActorObserverNet.__module__.startswith("actor_observer.model")
    assert len(FUNCTIONS) == len(ao.__all__) - 1
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = ao.no_such_name


def test_importing_the_package_imports_no_torch_and_lists_every_name() -> None:
    code = "import sys, actor_observer, actor_observer.cli; print('torch' in sys.modules, *dir(actor_observer))"
    torch, *names = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.split()
    assert torch == "False"
    assert {*ao.__all__, "__version__"} <= {*names}


def test_the_version_is_that_of_the_package() -> None:
    project = (Path(__file__).parents[1] / "pyproject.toml").read_text()
    assert f'version = "{ao.__version__}"' in project


def described(function: object) -> set[str]:
    """The parameters that a docstring describes, itself or by naming a function that does."""
    text = (inspect.getdoc(function) or "").partition("Args:")[2]
    found = set()
    for names, what in re.findall(r"^ {4}(\w[\w, ]*): (.*)$", text, flags=re.MULTILINE):
        own = set(names.split(", "))
        elsewhere = re.match(r"as for `(\w+)`", what)
        found |= own & described(getattr(ao, elsewhere[1])) if elsewhere else own
    return found


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name != "load"])
def test_every_parameter_is_described_in_the_help(name: str) -> None:
    function = getattr(ao, name)
    assert described(function) == set(inspect.signature(function).parameters)


def test_an_answer_shows_itself_on_one_short_line() -> None:
    many = np.arange(900.0)
    take = TakeEmbedding("first", many, np.ones((900, 64)))
    hits = tuple(Hit(f"{number}.mp4", 1.0, 0.5, "first") for number in range(90))
    frames = tuple(Chosen(rank, float(rank), 1.0) for rank in range(90))
    faults = tuple(Fault("take", f"{number}.mp4", "no such file") for number in range(90))
    labels = tuple(f"c{number:03d}" for number in range(157))
    answers = [
        take,
        Embeddings({"a": take}),
        Answers("room.mp4@1", "third", hits, np.zeros((3, 400, 400)), (None,) * 90),
        Selected(np.zeros((900, 8, 8, 3)), "first", many, many, frames),
        Recognised("room.mp4", "third", labels, (), many.astype(int), np.ones((900, 157)), np.ones(157)),
        Indexed(Path("moments"), added=["a.mp4"] * 500, faults=list(faults)),
        Embedded(Path("a.npz"), 90, 900, 0, faults),
    ]
    for answer in answers:
        shown = repr(answer)
        assert shown.startswith(f"<{type(answer).__name__}") and len(shown) < 200 and "\n" not in shown, shown
