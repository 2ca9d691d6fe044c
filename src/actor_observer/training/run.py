"""Train a recipe on a data set. The same call starts a run, or resumes one that ended early."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path

import numpy as np
import torch

from actor_observer.console import progress as progress_bar
from actor_observer.errors import UserError
from actor_observer.features.embeddings import Embeddings
from actor_observer.features.feature_cache import FeatureCache
from actor_observer.features.look import Look
from actor_observer.frames.check import check_manifest
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs.manifest import VIEWS, Fault, Manifest
from actor_observer.pairs.read import read_manifest
from actor_observer.training.after.fit_heads import fit_after
from actor_observer.training.batches.readers import aspects_of, reader_for, seen_in_takes
from actor_observer.training.folder.checkpoint import read_progress
from actor_observer.training.folder.run_folder import RunFolder
from actor_observer.training.loop import Loop
from actor_observer.training.planning.from_box import follow_box
from actor_observer.training.planning.material import Material, choose_material
from actor_observer.training.planning.plan import Planner, skipped_pairs
from actor_observer.training.planning.ranks import Ranks, joined
from actor_observer.training.planning.recipes import FROM_BOX, Recipe
from actor_observer.training.start import make_network
from actor_observer.training.validate import Validation

__all__ = ["train"]


def train(
    recipe: Recipe,
    data: str | Path | Manifest,
    out: str | Path,
    videos: Sequence[str | Path] = (),  # further folders of recordings
    cache: str | Path | None = None,  # of features; None: the usual folder
    device: str = "auto",
    quiet: bool = False,
    checked: bool = False,  # True: the files were checked before
    first: str | None = None,  # which camera is the actor's, of data sets that do not say
) -> Path:
    """Train, and give back the run's folder, which `load` reads: the network that validated best.

    If the folder holds a run already, it is resumed; its recipe and its data must be the same.

    >>> train(Recipe(), "no-such-folder", "runs/none")
    Traceback (most recent call last):
    actor_observer.errors.UserError: no-such-folder: no such file or folder
    """
    recipe = follow_box(recipe)
    manifest = data if isinstance(data, Manifest) else read_manifest(data, videos, recipe.seed, first)
    folder = RunFolder(Path(out))
    with joined(device) as ranks, ExitStack() as until_done:
        speaker = _Speaker(quiet or not ranks.first)
        if folder.started:
            for note in folder.check_recipe(recipe):
                speaker.say(f"note: {note}")
            if ranks.first:
                until_done.enter_context(folder.locked())
        _set_precision(recipe)
        loop, phi = _prepare(recipe, manifest, folder, cache, ranks, speaker, checked, until_done)
        start = loop.progress.step
        if start:
            speaker.say(f"resuming after step {start} of {loop.planner.steps}")
        with speaker.bar("training", loop.planner.steps - start) as each:
            loop.each = each
            with _threads(1 if recipe.frozen else folder.threads()):
                loop.run()
                if phi is not None and ranks.first:
                    fit_after(folder.path, recipe, loop.planner.material, phi, ranks.device, speaker.say)
        ranks.wait()
        speaker.say(_result(loop))
    return folder.path


def _prepare(
    recipe: Recipe,
    manifest: Manifest,
    folder: RunFolder,
    cache: str | Path | None,
    ranks: Ranks,
    speaker: _Speaker,
    checked: bool,
    until_done: ExitStack,  # keeps the folder locked
) -> tuple[Loop, Embeddings | None]:
    """Prepare everything up to the first step. Also gives φ if the backbone is frozen."""
    material = choose_material(recipe, manifest)
    network, notes = make_network(recipe, material)
    phi, faults = _features(recipe, material, network, cache, ranks, speaker, checked)
    if faults:
        for fault in faults.values():
            speaker.say(str(fault))
        material = choose_material(recipe, manifest.without(faults))
        network, notes = make_network(recipe, material)
    for note in (*material.notes, *notes):
        speaker.say(f"note: {note}")
    resumed = folder.started
    if resumed:
        folder.check_takes(material)
        folder.check_contents(material)
    planner = Planner(recipe, material, ranks, None if phi is not None else aspects_of(material.takes))
    for line in skipped_pairs(planner):
        speaker.say(f"note: {line}")
    if phi is not None and network.projection.kind != "none" and recipe.init != FROM_BOX:  # the box has its own
        _standardise(network, material, phi)
    with speaker.bar("decoding all takes", len(material.takes)) if recipe.frames == "memory" else nullcontext() as each:
        reader = reader_for(planner, phi, network, each)
    validation = Validation(recipe, material, phi, ranks.device)
    if not validation.what:
        speaker.say("note: nothing to validate on; the last network is kept as the best")
    ranks.wait()  # until all have seen whether the run had started
    if not resumed and ranks.first:
        until_done.enter_context(folder.locked())
        if folder.started:
            raise UserError(f"{folder.path}: another training began in this folder meanwhile; use another --out")
        folder.start(recipe, material)
    ranks.wait()
    loop = Loop(
        folder.path, planner, reader, planner.objective.make_step(network, planner.pairs), validation, speaker.say
    )
    if (done := read_progress(folder.path)) is not None:
        loop.resume(done)
    return loop, phi


def _features(
    recipe: Recipe,
    material: Material,
    network: ActorObserverNet,
    cache: str | Path | None,
    ranks: Ranks,
    speaker: _Speaker,
    checked: bool,
) -> tuple[Embeddings | None, dict[str, Fault]]:
    """φ of all takes if the backbone is frozen; otherwise the files are only checked. Faults: take id -> fault."""
    takes = list({take.id: take for take in (*material.takes, *material.validation_takes)}.values())
    if checked and not recipe.frozen:
        return None, {}
    if not recipe.frozen:
        with speaker.bar("checking the files", len(takes)) as each:
            clean = check_manifest(Manifest({take.id: take for take in takes}), each)
        left_out = [fault for fault in clean.faults if fault.left_out]
        lost = [take for take in takes if take.id not in clean.takes]
        return None, dict(zip((take.id for take in lost), left_out, strict=True))
    store, look = FeatureCache(cache), Look(recipe.look_rate, recipe.size, recipe.crop)
    name, backbone = recipe.network.backbone, network.backbone
    if ranks.count > 1:  # each process fills the cache with its share; then all read everything
        share = takes[ranks.rank :: ranks.count]
        store.features(name, backbone, share, look, ranks.device, processes=ranks.count)
        ranks.wait()
    with speaker.bar("features of all takes", len(takes)) as each:
        return store.features(name, backbone, takes, look, ranks.device, each)


def _standardise(network: ActorObserverNet, material: Material, phi: Embeddings) -> None:
    """Scale each view's φ to mean 0 and standard deviation 1 over the training takes."""
    for row, view in enumerate(VIEWS):
        takes = [phi[take.id] for take in material.takes if take.view == view]
        if takes:
            network.projection.standardise(seen_in_takes(network, takes, torch.device("cpu")), view)
            if network.config.takes_needed:
                network.usual[row] = torch.from_numpy(np.concatenate([take.features for take in takes])).mean(dim=0)


@contextmanager
def _threads(count: int) -> Iterator[None]:
    """Use this many threads for a while. Heads on cached features are too small to gain from several."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _set_precision(recipe: Recipe) -> None:
    """Turn TF32 on or off on a GPU, as the recipe says, whatever the default is."""
    torch.backends.cuda.matmul.allow_tf32 = recipe.tf32
    torch.backends.cudnn.allow_tf32 = recipe.tf32


def _result(loop: Loop) -> str:
    best = loop.progress.best
    if best is None:
        return f"done: {loop.folder}"
    epoch = loop.progress.best_step // loop.planner.steps_per_epoch
    return f"done: {loop.folder} holds the network of epoch {epoch}, {loop.validation.what} {100 * best:.1f}"


class _Speaker:
    """Prints lines and progress bars, or nothing: only the first process prints."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet

    def say(self, line: str) -> None:
        if not self.quiet:
            print(line, flush=True)

    def bar(self, what: str, total: int) -> AbstractContextManager[Callable[[], None]]:
        return nullcontext(lambda: None) if self.quiet else progress_bar(what, total)
