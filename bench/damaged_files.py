"""Every kind of file that we write and read again, small: how it is made, and the answer that hangs on it."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from actor_observer.alignment.align_set import align_set
from actor_observer.alignment.calibration import load_calibration
from actor_observer.alignment.kinds.learned_motion import load_heads
from actor_observer.alignment.performances.confidence import Calibration
from actor_observer.cluster.merge import merge
from actor_observer.evaluation.compared.method import Method, Protocol
from actor_observer.evaluation.judge import fingerprint, judge
from actor_observer.evaluation.measures.exact_truth import find_truth
from actor_observer.features import Embeddings, FeatureCache, Look, TakeEmbedding, load_embeddings, save_embeddings
from actor_observer.features.embed_videos import embed_videos, unopened
from actor_observer.features.extract import extract
from actor_observer.features.known import find_known
from actor_observer.features.on_disk.kept_motion import kept_motion
from actor_observer.features.see import open_take
from actor_observer.frames import frames_at
from actor_observer.frames.kept.jpegs_of import FrameForm
from actor_observer.frames.kept.keep import keep_frames
from actor_observer.model.loading import load
from actor_observer.model.network import ActorObserverNet
from actor_observer.model.pretrained import BOX
from actor_observer.pairs import Manifest, Pair, read_manifest
from actor_observer.pairs.clock import Clock
from actor_observer.pictures.report.report import read_tables
from actor_observer.searching.convert import convert
from actor_observer.searching.engines import open_engine
from actor_observer.searching.engines.engine import Filter
from actor_observer.shards import PartNote, Shard, write_note
from actor_observer.training.folder.checkpoint import Progress, load_checkpoint, read_progress, save_checkpoint
from asked import small_network
from tiny import write_csv, write_video
from tiny_embeddings import embedded_pairs
from tiny_index import walk, write_flat

__all__ = ["Kind", "all_kinds"]

Answer = Callable[[], str]  # a digest


@dataclass(frozen=True)
class Kind:
    """Files of one kind, and what is answered from them."""

    name: str
    files: tuple[Path, ...]
    answer: Answer
    mended: bool = False  # damage costs time, and nothing else: the answer stays


def digest(*parts: Any) -> str:
    """The same for the same arrays, texts and numbers."""
    out = hashlib.blake2b(digest_size=16)
    for part in parts:
        array = part.numpy() if isinstance(part, torch.Tensor) else part
        out.update(np.ascontiguousarray(array).tobytes() if isinstance(array, np.ndarray) else repr(array).encode())
    return out.hexdigest()


def all_kinds(root: Path) -> Iterator[Kind]:
    """All of them, in folders of their own."""
    network = small_network()
    videos = [write_video(root / "videos" / f"{name}.mp4", frames=24, fps=8) for name in ("a", "b")]
    yield from caches(root, network, videos)
    yield from embeddings(root, network, videos)
    yield from parts(root, videos)
    yield from frames(root, videos)
    yield from truths(root)
    yield from judged(root)
    yield from networks(root, network)
    yield from box(root)
    yield from indexes(root)


def caches(root: Path, network: ActorObserverNet, videos: list[Path]) -> Iterator[Kind]:
    takes = [open_take(video, "third") for video in videos]
    cache, look = FeatureCache(root / "phi"), Look.of_network(network.config, 2.0)

    def phi() -> str:
        found, _ = cache.features("resnet18", network.backbone, takes, look)
        return digest(*(array for take in found.values() for array in (take.times, take.features)))

    def motion() -> str:
        moved = [kept_motion(take, root / "motion") for take in takes]
        return digest(*(value for one in moved for value in vars(one).values()))

    for name, answer in (("features cache", phi), ("motion cache", motion)):
        answer()
        yield Kind(name, (*(root / ("phi" if answer is phi else "motion")).iterdir(),), answer, mended=True)


def embeddings(root: Path, network: ActorObserverNet, videos: list[Path]) -> Iterator[Kind]:
    rng = np.random.default_rng(0)
    some = {
        id: TakeEmbedding("third", np.arange(60.0), rng.normal(size=(60, 32)).astype(np.float32), np.ones(60))
        for id in ("a", "b")
    }
    for suffix in (".safetensors", ".npz"):
        path = root / f"embeddings{suffix}"
        save_embeddings(Embeddings(some), path)

        def read(path: Path = path) -> str:
            found = load_embeddings(path)
            return digest(*((id, take.view, take.times, take.features) for id, take in found.items()), *_arrays(found))

        yield Kind(f"embeddings {suffix}", (path,), read)

    begun = root / "begun"
    with suppress(KeyboardInterrupt):
        embed_videos(network, unopened({v.stem: v for v in videos}, "first"), begun / "x.safetensors", extract=_killed)

    def resume() -> str:
        shutil.rmtree(root / "resumed", ignore_errors=True)
        shutil.copytree(begun, root / "resumed")
        out = root / "resumed" / "x.safetensors"
        embed_videos(network, unopened({v.stem: v for v in videos}, "first"), out)
        return digest(out.read_bytes())

    yield Kind("embed, resumed", (*(begun / "x.safetensors.parts").glob("*.safetensors"),), resume, mended=True)


def _arrays(found: Embeddings) -> list[Any]:
    return [array for take in found.values() for array in (take.times, take.features)]


def _killed(*arguments: Any, **settings: Any) -> Iterator[Any]:
    """The first take, and no more."""
    yield from islice(extract(*arguments, **settings), 1)
    raise KeyboardInterrupt


def parts(root: Path, videos: list[Path]) -> Iterator[Kind]:
    folder = root / "parts"
    lines, film, vectors = folder / "clocks.jsonl", folder / "film", folder / "v.safetensors"
    (film / "videos").mkdir(parents=True)
    (film / "truth").mkdir()
    lines.write_bytes(b"".join(json.dumps({"id": id, "offset": 1.25}).encode() + b"\n" for id in "ab"))
    shutil.copy(videos[0], film / "videos" / "a.mp4")
    np.savez_compressed(film / "truth" / "a.npz", time=np.arange(9.0))
    one = TakeEmbedding("first", np.arange(60.0), np.random.default_rng(1).normal(size=(60, 32)).astype(np.float32))
    save_embeddings(Embeddings({"a": one}), vectors)
    made = {"align": (lines, [lines]), "playhouse": (film, [*film.rglob("*.*")]), "embed": (vectors, [])}
    for job, (part, files) in made.items():
        names = ["a", "b"] if job == "align" else ["a"]
        write_note(part, PartNote.of(job, Shard(1, 1), names, {}, names), files)

        def merged(job: str = job, part: Path = part) -> str:
            out = folder / "merged" / (part.name if part.is_file() else "film")
            shutil.rmtree(out.parent, ignore_errors=True)
            merge([part], out)
            files = [out] if out.is_file() else sorted(file for file in out.rglob("*") if file.is_file())
            return digest(*(file.read_bytes() for file in files))

        touched = [part, *part.parent.glob(f"{part.name}.shard.json")] if part.is_file() else [*part.rglob("*.*")]
        yield Kind(f"part of {job}", tuple(touched), merged)
    yield _resumed_alignment(root / "aligned", videos)


def _resumed_alignment(folder: Path, videos: list[Path]) -> Kind:
    takes = {video.stem: open_take(video, "third" if video.stem == "a" else "first") for video in videos}
    pairs = tuple(Pair(id, "a", "b", Clock.scaled(3.0, 3.0)) for id in ("p", "q", "r"))
    network = small_network()

    def run(out: Path, at_most: int) -> None:
        def some(work: Any, items: Any) -> Iterator[Any]:
            for number, (id, *_) in enumerate(items):
                if number == at_most:
                    raise KeyboardInterrupt
                yield {"id": id, "verdict": "in step", "offset": ord(id) / 7}

        align_set(network, Manifest(takes, pairs), out, for_each=some)

    with suppress(KeyboardInterrupt):
        run(folder / "begun" / "x.jsonl", at_most=2)

    def resume() -> str:
        shutil.rmtree(folder / "resumed", ignore_errors=True)
        shutil.copytree(folder / "begun", folder / "resumed")
        run(folder / "resumed" / "x.jsonl", at_most=9)
        return digest((folder / "resumed" / "x.jsonl").read_bytes())

    return Kind("align DATA, resumed", ((folder / "begun" / "x.jsonl.parts" / "lines.jsonl"),), resume, mended=True)


def frames(root: Path, videos: list[Path]) -> Iterator[Kind]:
    rows: list[dict[str, object]] = [{"id": "p", "third": str(videos[0]), "first": str(videos[1])}]
    data = write_csv(root / "pairs.csv", rows, ["id", "third", "first"])
    for tar in (5.0, None):
        out = root / f"frames-{tar}"
        keep_frames(data, read_manifest(data), out, FrameForm(size=48), tar, workers=1)
        take = next(iter(read_manifest(out).takes.values())).path

        def seen(take: Path = take) -> str:
            opened = open_take(take, "third")
            return digest(opened.length, opened.frame_rate, frames_at(opened, np.arange(0.05, 2.9, 0.125), size=32))

        files = [*(out / "shards").iterdir()] if tar else [*take.iterdir()]
        yield Kind("frames in a tar" if tar else "frames in a folder", tuple(files), seen)


def truths(root: Path) -> Iterator[Kind]:
    folder = root / "set" / "truth"
    folder.mkdir(parents=True)
    (folder / "clocks.csv").write_text("third,first,clock\na,b,0:0;9:9\n")
    rng = np.random.default_rng(4)
    np.savez_compressed(folder / "a.npz", time=np.arange(90.0), hands_share=rng.random(90), seen=rng.random(90) > 0.5)

    def truth() -> str:
        known = find_truth(root / "set")
        frames = known.frames("a") if known else None
        return digest(*(frames or {}).items(), *(frames or {}).values())

    yield Kind("truth .npz", (folder / "a.npz",), truth)


def judged(root: Path) -> Iterator[Kind]:
    manifest, truth = embedded_pairs(3, lambda view, n, times: times[:, None] + n, length=8.0)
    judge([Method("truth", truth)], manifest, "test", protocol=Protocol(per_pair=2)).write(root / "judged")
    path = root / "judged" / "tables.json"
    yield Kind("tables.json", (path,), lambda: digest(read_tables(path.parent, "test", fingerprint(manifest))))


def networks(root: Path, network: ActorObserverNet) -> Iterator[Kind]:
    small = small_network(backbone="mobilenet_v2")
    small.save_pretrained(root / "network")
    state = lambda: digest(*load(root / "network").state_dict().values())  # noqa: E731
    yield Kind("model.safetensors", (root / "network" / "model.safetensors",), state)

    def pieces() -> tuple[nn.Module, torch.optim.Optimizer]:
        torch.manual_seed(0)
        layer = nn.Linear(64, 32)
        optimiser = torch.optim.SGD(layer.parameters(), lr=0.1, momentum=0.9)
        layer(torch.ones(1, 64)).sum().backward()
        optimiser.step()
        return layer, optimiser

    (root / "run").mkdir()
    save_checkpoint(root / "run", Progress(step=7), *pieces())

    def resumed() -> str:
        layer, optimiser = pieces()
        done = read_progress(root / "run")
        load_checkpoint(root / "run", layer, optimiser)
        return digest(done, *layer.state_dict().values(), repr(optimiser.state_dict()["state"]))

    yield Kind("checkpoint", (root / "run" / "last.safetensors",), resumed)


def box(root: Path) -> Iterator[Kind]:
    """A copy of the box, file by file; its weights are read as any network's."""
    copy = root / "box"
    shutil.copytree(BOX, copy)
    network = load(copy)

    def heads() -> str:
        found = load_heads.__wrapped__(copy)
        return digest("none") if found is None else digest(*found.state_dict().values())

    def known() -> str:
        found = find_known(network)
        return digest("none") if found is None else digest(*vars(found).values())

    answers: dict[str, Answer] = {
        "alignment.json": lambda: digest(load_calibration.__wrapped__(copy)),
        "confidence.json": lambda: digest(Calibration.read(copy)),
        "known.safetensors": known,
        "motion.safetensors": heads,
        "model.safetensors": lambda: digest(*load(copy).state_dict().values()),
        "sums.json": lambda: digest(load_calibration.__wrapped__(copy), Calibration.read(copy)),
    }
    for name, answer in answers.items():
        yield Kind(f"box: {name}", (copy / name,), answer)


def indexes(root: Path) -> Iterator[Kind]:
    for engine in ("flat", "faiss"):
        folder = root / f"index-{engine}"
        write_flat(folder, range(16))
        convert(folder, folder, engine)

        def nearest(folder: Path = folder) -> str:
            index = open_engine(folder)
            found = [index.nearest(walk(number)[40], Filter(), 10) for number in (3, 11)]
            return digest(*(near for some in found for near in some))

        yield Kind(f"index, {engine}", tuple(path for path in folder.iterdir() if path.stat().st_size), nearest)
