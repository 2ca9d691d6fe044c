"""The training loop. Stopped or killed at any step, a run resumes as if nothing had happened."""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from actor_observer.errors import UserError
from actor_observer.model.backbones.fold import channels_last
from actor_observer.model.dropout import set_part
from actor_observer.model.losses.gather import sum_over_ranks
from actor_observer.model.steps.step import TrainingStep
from actor_observer.stopping import keeping
from actor_observer.training.batches.readers import FeatureReader, FrameReader, MemoryReader
from actor_observer.training.folder.checkpoint import Progress, load_checkpoint, save_checkpoint
from actor_observer.training.folder.log import RunLog
from actor_observer.training.objectives.objective import log_of
from actor_observer.training.optimise import BACKBONE, Anchor, learning_rate, make_optimiser
from actor_observer.training.planning.plan import Planner
from actor_observer.training.planning.recipes import FROM_BOX
from actor_observer.training.validate import Validation

__all__ = ["Loop", "Stopped"]


class Stopped(Exception):
    """The run was asked to stop by a signal, and has saved its state."""

    def __init__(self, line: str, number: int) -> None:
        super().__init__(line)
        self.code = 128 + number  # as a process has that the signal ended: schedulers know it is not done


@dataclass
class Loop:
    """Everything that training needs. `run()` trains from the checkpoint, if there is one, to the end."""

    folder: Path
    planner: Planner
    reader: FeatureReader | MemoryReader | FrameReader
    step: TrainingStep
    validation: Validation
    say: Callable[[str], object] = print
    each: Callable[[], object] = lambda: None  # called after every step
    trial: bool = False  # only steps: nothing is logged, validated, saved or written, and no loss is looked at
    progress: Progress = field(default_factory=Progress)

    def __post_init__(self) -> None:
        self.recipe, self.ranks = self.planner.recipe, self.planner.ranks
        self.step = self.step.to(self.ranks.device).train()
        if not self.recipe.frozen:
            channels_last(self.step)
        self.optimiser = make_optimiser(self.recipe.optimiser, self.step, self.ranks.device)
        self._anchor = Anchor(self.step, self.recipe.optimiser.anchor)
        self._unchanging = BACKBONE if self.recipe.frozen else ""
        self._pending: list[tuple[int, float, dict[str, Tensor]]] = []
        self._signal = 0  # the one that asked it to stop
        self._saved, self._saved_at = 0, time.monotonic()  # which step, and when

    def resume(self, progress: Progress) -> None:
        """Continue from the folder's checkpoint."""
        self.progress, self._saved = progress, progress.step
        load_checkpoint(self.folder, self.step, self.optimiser, self._unchanging)

    def run(self) -> None:
        """Train to the end of the recipe. On SIGTERM or SIGHUP, save and raise `Stopped`."""
        with self._wrapped() as step, self._listening(), self._log() as log:
            self._compile()
            if self.progress.step == 0 and self.recipe.init == FROM_BOX:
                self._validate(0, log)  # what it starts from may be the best already
            for number, parts in self.reader.steps(self.progress.step, self.planner.steps):
                lr = learning_rate(self.recipe.optimiser, number, self.planner.steps_per_epoch, self.planner.steps)
                losses = self._one(step, number, parts, lr)
                self.progress.step = number + 1
                self.each()
                if not self.trial:
                    self._pending.append((number, lr, losses))
                    self._after(number + 1, log)

    def _one(self, step: nn.Module, number: int, parts: list[Any], lr: float) -> dict[str, Tensor]:
        """One step of the optimiser; the losses stay on the device."""
        for group in self.optimiser.param_groups:
            group["lr"] = lr * group["speed"]
        self.optimiser.zero_grad(set_to_none=True)
        sums: dict[str, Tensor] = {}
        cuda = self.ranks.device.type == "cuda"
        for place, part in enumerate(parts):
            last = place + 1 == len(parts)
            # Dropout draws the same numbers on all processes; each uses its own part of them.
            torch.manual_seed(hash((self.recipe.seed, number, 0)) & 0xFFFFFFFF)
            set_part(self.step, place * self.ranks.count + self.ranks.rank, len(parts) * self.ranks.count)
            with self._quiet(step, last):
                with torch.autocast(self.ranks.device.type, torch.bfloat16, enabled=cuda):
                    found = self.planner.objective.losses(step, part, self.planner.pairs)
                (found.loss / len(parts)).backward()
            for name, value in log_of(found).items():
                sums[name] = sums[name] + value / len(parts) if name in sums else value / len(parts)
        self.optimiser.step()
        self._anchor.draw(lr)
        return sums

    def _after(self, done: int, log: RunLog | None) -> None:
        """Do what is due after a step: log, validate, save, stop."""
        epoch_ends = done % self.planner.steps_per_epoch == 0
        looks = epoch_ends or done % self.recipe.log_every == 0
        alone = self.ranks.count == 1
        due = time.monotonic() - self._saved_at >= 60 * self.recipe.save_minutes
        stop = bool(self._signal) if alone else looks and self.ranks.any(bool(self._signal))
        save = epoch_ends or stop or (due and (alone or looks))
        if looks or save:
            self._look(log)
        if epoch_ends:
            self._validate(done // self.planner.steps_per_epoch, log)
        if save and log is not None:
            log.flush()
            save_checkpoint(self.folder, self.progress, self.step, self.optimiser, self._unchanging)
            self._saved, self._saved_at = done, time.monotonic()
        if stop and done < self.planner.steps:
            line = (
                f"stopped after step {done} of {self.planner.steps}, which is saved; run the same command to continue"
            )
            raise Stopped(line, self._signal or signal.SIGTERM)

    def _look(self, log: RunLog | None) -> None:
        """Fetch the losses since the last time, averaged over all processes, and log them."""
        if not self._pending:
            return
        names = list(self._pending[0][2])
        table = torch.stack([torch.stack([values[name] for name in names]) for _, _, values in self._pending])
        rows = (sum_over_ranks(table) / self.ranks.count).tolist()  # (steps, names)
        for (number, lr, _), row in zip(self._pending, rows, strict=True):
            if not math.isfinite(row[0]):
                raise UserError(self._about_nan(number, row[0]))
            if log is not None:
                epoch = number // self.planner.steps_per_epoch + 1
                log.write({"step": number + 1, "epoch": epoch, **dict(zip(names, row, strict=True)), "lr": lr})
        self._pending = []

    def _about_nan(self, number: int, loss: float) -> str:
        takes = self.planner.take_ids(number)
        named = ", ".join(takes[:8]) + (f" and {len(takes) - 8} more" if len(takes) > 8 else "")
        return (
            f"the loss of step {number + 1} is {loss}; its batch has the takes {named}; "
            f"the last good checkpoint in {self.folder} is kept; a lower optimiser.lr may help"
        )

    def _validate(self, epoch: int, log: RunLog | None) -> None:
        last = epoch == self.recipe.epochs
        if log is not None and (last or epoch % self.recipe.validate_every == 0):
            better, value, mark = True, None, " (best)" if self.recipe.keep == "best" else ""
            if self.validation.what:
                score = self.validation.score(self.step.network)
                value = score.value
                better = self.recipe.keep == "last" or self.progress.best is None or value > self.progress.best
                log.write({"step": self.progress.step, "epoch": epoch, "validation": value})
                if better or last:
                    self.say(f"epoch {epoch}: {self.validation.what} {score.percent()}{mark if better else ''}")
            if better:
                self.step.network.save_pretrained(self.folder)
                self.progress.best, self.progress.best_step = value, self.progress.step
        self.ranks.wait()

    def _log(self) -> AbstractContextManager[RunLog | None]:
        if self.trial or not self.ranks.first:
            return nullcontext()
        return RunLog(self.folder, self.progress.step, tensorboard=True)

    def _compile(self) -> None:
        """Compile the backbone where it pays: when it is trained on a GPU."""
        if self.recipe.compile and self.ranks.device.type == "cuda" and not self.recipe.frozen:
            import torch._inductor.config as inductor

            if hasattr(inductor, "worker_suppress_logging"):  # else its workers hold our stdout, and whoever reads it
                inductor.worker_suppress_logging = True
            self.step.network.backbone.compile()

    @contextmanager
    def _wrapped(self) -> Iterator[nn.Module]:
        """The step, wrapped so that several processes average their gradients. The tables need no synchronising."""
        if self.ranks.count == 1:
            yield self.step
            return
        devices = [self.ranks.device] if self.ranks.device.type == "cuda" else None
        yield DistributedDataParallel(self.step, device_ids=devices, broadcast_buffers=False)

    def _quiet(self, step: nn.Module, last: bool) -> AbstractContextManager[None]:
        """Exchange gradients between processes only after the last part of a batch."""
        if last or not isinstance(step, DistributedDataParallel):
            return nullcontext()
        return cast(AbstractContextManager[None], step.no_sync())

    @contextmanager
    def _listening(self) -> Iterator[None]:
        """While training, SIGTERM and SIGHUP only set a flag, which is read after each step."""
        if self.trial:
            yield
            return

        def hear(number: int, _: object) -> None:
            self._signal = number

        main = current_thread() is main_thread()  # it alone receives signals
        asked = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) != signal.SIG_IGN]
        before = {number: signal.signal(number, hear) for number in asked if main}
        try:
            with keeping(self._kept):
                yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _kept(self) -> str:
        """What is kept where the run cannot wait for the end of a step."""
        if not self._saved:
            return "no step was saved yet, and the same command starts anew"
        return f"step {self._saved} of {self.planner.steps} is saved in {self.folder}, and the same command continues"
