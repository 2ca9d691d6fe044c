"""Apple's GPUs have no double precision, no CUDA, and do not survive a fork: what asks for these is named here.

None is at hand to try. This reads the code, also where no test comes by, and runs what is done instead on the CPU;
`test_apple.py` runs the package on a stand-in for such a device.
"""

import ast
from collections import Counter
from pathlib import Path

import pytest
import torch

import actor_observer
from actor_observer.errors import UserError
from actor_observer.frames.ahead import decoders
from actor_observer.model.backbones import precision
from actor_observer.model.backbones.hugging_face.resize import resize
from actor_observer.model.context import with_context
from actor_observer.model.device import best_device
from actor_observer.training.planning.ranks import joined

SOURCE = Path(actor_observer.__file__).parent
DOUBLE = {  # where double precision is asked for, how often, and why that is safe
    "model/backbones/precision.py": 2,  # the place that asks what a device has
    "model/backbones/hugging_face/resize.py": 2,  # only where has_double says so, and weights made on the CPU
    "model/losses/shared_takes.py": 2,  # made on the CPU, taken to a device with its own precision
    "model/pretrained.py": 1,  # names of types in files, which are read on the CPU
    "training/after/placing.py": 3,  # features of takes as arrays, on the CPU
}
ON_CPU = ("alignment/", "auditing/")  # these rooms watch motion on the CPU, whatever the device
CUDA = {  # who speaks to CUDA itself: each behind a question whether the device is one
    *("model/device.py", "frames/slots.py", "features/passes/replay.py", "features/running.py"),
    *("training/planning/ranks.py", "training/run.py", "training/trial.py"),
}


def asked(tree: ast.AST) -> Counter[str]:
    """How often a file asks for double precision of a tensor, and for CUDA."""
    found: Counter[str] = Counter()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            of_torch = isinstance(node.value, ast.Name) and node.value.id == "torch"
            found["double"] += node.attr == "double" or (of_torch and node.attr == "float64")
            found["cuda"] += of_torch and node.attr == "cuda"
    return found


def test_what_they_lack_is_asked_for_only_where_it_is_safe() -> None:
    files = {path.relative_to(SOURCE).as_posix(): asked(ast.parse(path.read_text())) for path in SOURCE.rglob("*.py")}
    double = {name: count["double"] for name, count in files.items() if count["double"] and not name.startswith(ON_CPU)}
    assert double == DOUBLE
    assert {name for name, count in files.items() if count["cuda"]} <= CUDA


def test_the_check_can_fail() -> None:
    assert asked(ast.parse("phi.double(); torch.zeros(3, dtype=torch.float64); torch.cuda.synchronize()")) == {
        "double": 2,
        "cuda": 1,
    }


def test_without_double_precision_the_numbers_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    phi, times = torch.rand(50, 4), torch.arange(50.0) / 3
    frames = torch.randint(256, (2, 3, 30, 40), dtype=torch.uint8)
    context, small = with_context(phi, times, [2.0]), resize(frames, (16, 16))
    monkeypatch.setattr(precision, "has_double", lambda device: False)
    monkeypatch.setattr("actor_observer.model.backbones.hugging_face.resize.has_double", lambda device: False)
    torch.testing.assert_close(with_context(phi, times, [2.0]), context)
    assert (resize(frames, (16, 16)) - small).abs().max() <= 1.5  # of 255: it rounds elsewhere


def test_on_a_mac_threads_decode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("actor_observer.frames.ahead.may_fork", lambda: False)
    monkeypatch.setattr("actor_observer.frames.ahead.spare_cores", lambda processes: 4)
    pool, _ = decoders(0)
    with pool:
        assert type(pool).__name__ == "ThreadPoolExecutor"


@pytest.mark.parametrize("name", ["meta", "privateuseone", "", "toaster", "cuda:x", "lazy"])
def test_a_name_that_holds_no_numbers_is_one_line(name: str) -> None:
    with pytest.raises(UserError, match=r"device .*: cannot be used here \([^\n]+\)$"):
        best_device(name)


def test_one_that_is_not_here_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    if not torch.backends.mps.is_available():
        with pytest.raises(UserError, match="device mps: cannot be used here"):
            best_device("mps")
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setattr("actor_observer.training.planning.ranks.best_device", lambda device: "mps")
    with pytest.raises(UserError, match="several processes cannot share a device mps"), joined("mps"):
        pass
