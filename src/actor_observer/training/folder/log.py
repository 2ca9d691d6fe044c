"""log.jsonl: a line for each step and each validation, the same however often a run was killed; and TensorBoard."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from actor_observer.errors import UserError
from actor_observer.model.pretrained import write_whole

__all__ = ["RunLog"]

LOG = "log.jsonl"


class RunLog:
    r"""Appends lines. Opened at a step, it first drops everything after that step, half-written lines included.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with RunLog(folder, step=0) as log:
    ...     log.write({"step": 1, "loss": 0.5}); log.write({"step": 2, "loss": 0.4})
    >>> with RunLog(folder, step=1) as log:
    ...     log.write({"step": 2, "loss": 0.3})
    >>> (folder / "log.jsonl").read_text()
    '{"step": 1, "loss": 0.5}\n{"step": 2, "loss": 0.3}\n'
    """

    def __init__(self, folder: Path, step: int, tensorboard: bool = False) -> None:
        self.path = folder / LOG
        try:
            kept = _up_to(self.path, step)
            write_whole(self.path, "".join(kept).encode())
            self._file = self.path.open("a", encoding="utf-8")
        except OSError as error:
            raise self._complaint(error) from error
        self._board = _board(folder, step) if tensorboard else None

    def write(self, line: dict[str, Any]) -> None:
        """Append a line; numbers keep all their digits."""
        try:
            self._file.write(json.dumps(line) + "\n")
        except OSError as error:
            raise self._complaint(error) from error
        if self._board is not None:
            for name, value in line.items():
                if name not in ("step", "epoch"):
                    self._board.add_scalar(name, value, line["step"])

    def flush(self) -> None:
        """Force everything to disk, so that a checkpoint may follow."""
        try:
            self._file.flush()
            os.fsync(self._file.fileno())
            if self._board is not None:
                self._board.flush()
        except OSError as error:
            raise self._complaint(error) from error

    def _complaint(self, error: OSError) -> UserError:
        return UserError(f"{self.path}: cannot be written ({error.strerror or error}); the last checkpoint is kept")

    def __enter__(self) -> RunLog:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._file.close()
        except OSError as error:
            raise self._complaint(error) from error
        finally:
            if self._board is not None:
                self._board.close()


def _up_to(path: Path, step: int) -> list[str]:
    if not path.exists():
        return []
    kept = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True):
        try:
            if not line.endswith("\n") or int(json.loads(line)["step"]) > step:
                break
        except (ValueError, KeyError, TypeError):
            break
        kept.append(line)
    return kept


def _board(folder: Path, step: int) -> Any:
    """TensorBoard's writer, where it is installed; what it wrote after `step` is hidden."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(folder), purge_step=step + 1 if step else None)
