"""The last checkpoint: one safetensors file with everything that the next step depends on, whole or not at all."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import safetensors
import safetensors.torch
import torch
from torch import Tensor, nn

from actor_observer.disk import write_whole
from actor_observer.disk.sealed_arrays import Damaged, is_whole, sealed
from actor_observer.errors import UserError
from actor_observer.model.pretrained import CHECKSUM, read_tensors, refuse_other_sum

__all__ = ["Progress", "load_checkpoint", "read_progress", "save_checkpoint"]

LAST = "last.safetensors"
ANEW = "delete it to start anew"
_STEP, _OPTIMISER = "step/", "optimiser/"


@dataclass
class Progress:
    """How far a run has come."""

    step: int = 0  # steps done
    best: float | None = None  # the best validation score so far
    best_step: int = 0


def save_checkpoint(
    folder: Path, progress: Progress, step: nn.Module, optimiser: torch.optim.Optimizer, without: str = ""
) -> None:
    """Write the state of a run; tensors whose names start with `without` never change and are left out.

    >>> import tempfile
    >>> layer = nn.Linear(2, 2)
    >>> folder = Path(tempfile.mkdtemp())
    >>> save_checkpoint(folder, Progress(step=7), layer, torch.optim.SGD(layer.parameters(), lr=0.1, momentum=0.9))
    >>> read_progress(folder)
    Progress(step=7, best=None, best_step=0)
    """
    tensors = {_STEP + name: value for name, value in _state(step, without).items()}
    for index, values in optimiser.state_dict()["state"].items():
        for name, value in values.items():
            tensors[f"{_OPTIMISER}{index}/{name}"] = torch.as_tensor(value)
    plain = {name: value.detach().cpu().contiguous() for name, value in tensors.items()}
    content = sealed(safetensors.torch.save(plain, {"progress": json.dumps(asdict(progress))}))
    try:
        write_whole(folder / LAST, content)
    except OSError as error:
        kept = read_progress(folder)
        there = f"the checkpoint of step {kept.step} is kept" if kept else "there is no earlier one"
        raise UserError(f"{folder / LAST}: cannot be written ({error.strerror or error}); {there}") from error


def read_progress(folder: Path) -> Progress | None:
    """How far a run's checkpoint has come; None if there is no checkpoint.

    >>> read_progress(Path("no-such-run")) is None
    True
    """
    path = folder / LAST
    if not path.exists():
        return None
    try:
        if not is_whole(path):
            raise UserError(f"{path}: damaged, not as it was written; {ANEW}")
        with safetensors.safe_open(path, framework="pt") as file:
            return Progress(**json.loads((file.metadata() or {})["progress"]))
    except (safetensors.SafetensorError, OSError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise UserError(f"{path}: not a checkpoint of a run ({error}); {ANEW}") from error


def load_checkpoint(folder: Path, step: nn.Module, optimiser: torch.optim.Optimizer, without: str = "") -> None:
    """Load the state of a run into its modules."""
    try:
        tensors, told = read_tensors(folder / LAST)
    except Damaged:
        raise UserError(f"{folder / LAST}: damaged, not as it was written; {ANEW}") from None
    except (safetensors.SafetensorError, OSError) as error:
        raise UserError(f"{folder / LAST}: not a checkpoint of a run ({error}); {ANEW}") from error
    refuse_other_sum(folder / LAST, told.get(CHECKSUM), tensors, told.get("progress", ""), ANEW)
    own = {name.removeprefix(_STEP): value for name, value in tensors.items() if name.startswith(_STEP)}
    if own.keys() != _state(step, without).keys():
        raise UserError(f"{folder / LAST}: the checkpoint is of another network; use another run folder")
    step.load_state_dict(own, strict=False)  # what was left out has not changed
    state: dict[int, dict[str, Tensor]] = {}
    for name, value in tensors.items():
        if name.startswith(_OPTIMISER):
            index, _, field = name.removeprefix(_OPTIMISER).partition("/")
            state.setdefault(int(index), {})[field] = value
    optimiser.load_state_dict({"state": state, "param_groups": optimiser.state_dict()["param_groups"]})
    for parameter, values in optimiser.state.items():  # fused kernels want a parameter's own layout in memory
        for name, value in values.items():
            if value.shape == parameter.shape:
                values[name] = torch.empty_like(parameter).copy_(value)


def _state(step: nn.Module, without: str) -> dict[str, Tensor]:
    return {name: value for name, value in step.state_dict().items() if not (without and name.startswith(without))}
