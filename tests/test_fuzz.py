"""Every file format we read, damaged at random: an answer or one line, never a traceback, never much memory."""

from __future__ import annotations

import io
import json
import re
import resource
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import nn

from actor_observer import load
from actor_observer.errors import TakeError, UserError
from actor_observer.evaluation.statistics.bootstrap import Interval
from actor_observer.evaluation.submission import read_submission, score_submission
from actor_observer.evaluation.tables.layout import Figures
from actor_observer.features import Embeddings, TakeEmbedding, load_embeddings, save_embeddings
from actor_observer.features.identity import Identity
from actor_observer.features.known import Known
from actor_observer.features.see import open_take
from actor_observer.frames import frames_at
from actor_observer.model.saved_recipe import recipe_of
from actor_observer.pairs import read_manifest
from actor_observer.pictures.report.report import read_tables
from actor_observer.searching.engines.engine import Filter
from actor_observer.searching.engines.entries import Entry, IndexHead
from actor_observer.searching.engines.flat_index import open_index
from actor_observer.searching.engines.index_writer import write_index
from actor_observer.searching.query import read_picture
from actor_observer.training import as_yaml, recipe_named, with_settings
from actor_observer.training.folder.checkpoint import Progress, load_checkpoint, save_checkpoint
from asked import small_network
from tiny import write_charades_ego, write_csv, write_frames, write_video

MEMORY = 1 << 30  # bytes of resident memory that reading a damaged file may take
BEYOND = 8 << 30  # bytes of address space, so that a failing test does not take the machine with it
WORDS = [
    b"-1",
    b"0",
    b"1e400",
    b"NaN",
    b"Infinity",
    b"9" * 40,
    b"1000000000",
    b"null",
    b'"x"',
    b"[" * 9000,
    b"true",
    b"",
]


@dataclass(frozen=True)
class Damage:
    """One change to a file, by shares of its length, so that it means something for every file."""

    kind: str
    place: float
    length: float
    word: bytes

    def apply(self, content: bytes) -> bytes:
        start = int(self.place * len(content))
        end = min(len(content), start + 1 + int(self.length * 64))
        if self.kind == "flip":
            return content[:start] + bytes(byte ^ 0x55 for byte in content[start:end]) + content[end:]
        if self.kind == "cut":
            return content[:start]
        if self.kind == "drop":
            return content[:start] + content[end:]
        if self.kind == "insert":
            return content[:start] + self.word + content[start:]
        numbers = list(re.finditer(rb"-?\d+(\.\d+)?", content[:20000]))
        if not numbers:
            return self.word
        found = numbers[int(self.place * len(numbers)) % len(numbers)]
        return content[: found.start()] + self.word + content[found.end() :]


KINDS = ["flip", "cut", "drop", "insert", "number", "number"]
DAMAGE = st.lists(
    st.builds(Damage, st.sampled_from(KINDS), st.floats(0, 0.999), st.floats(0, 1), st.sampled_from(WORDS)),
    min_size=1,
    max_size=3,
)


def resident(line: str) -> int:
    return 1024 * int(re.search(rf"{line}:\s+(\d+)", Path("/proc/self/status").read_text())[1])  # type: ignore[index]


def check(path: Path, original: bytes, damages: list[Damage], read: Callable[[], object]) -> None:
    """Read a damaged file; what is raised must be a line for the user, and the peak of memory modest."""
    content = original
    for damage in damages:
        content = damage.apply(content)
    path.write_bytes(content)
    before_limit = resource.getrlimit(resource.RLIMIT_AS)
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    before = resident("VmRSS")
    resource.setrlimit(resource.RLIMIT_AS, (resident("VmSize") + BEYOND, before_limit[1]))
    try:
        read()
    except (UserError, TakeError) as error:
        assert len(str(error).splitlines()) == 1, "more than one line"
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before_limit)
        path.write_bytes(original)
    assert resident("VmHWM") - before < MEMORY


def index_files(folder: Path) -> Path:
    with write_index(folder, IndexHead(Identity("mine", "93ab12cd34ef56ab"), 4, 1.0)) as writer:
        for name in "abc":
            writer.add(Entry(f"{name}.mp4", "first", 3), np.arange(3.0), np.ones((3, 4), np.float32))
    return folder


def embeddings(path: Path) -> Path:
    one = TakeEmbedding("third", np.arange(3.0), np.ones((3, 2), np.float32), weight=np.ones(3, np.float32))
    save_embeddings(Embeddings({"a": one, "b": one}), path)
    return path


def checkpoint(folder: Path) -> Callable[[], object]:
    def parts() -> tuple[nn.Module, torch.optim.Optimizer]:
        layer = nn.Linear(3, 2)
        return layer, torch.optim.SGD(layer.parameters(), lr=0.1, momentum=0.9)

    layer, optimiser = parts()
    layer(torch.ones(1, 3)).sum().backward()
    optimiser.step()
    save_checkpoint(folder, Progress(step=7, best=0.5, best_step=7), layer, optimiser)
    return lambda: load_checkpoint(folder, *parts())


def known(folder: Path) -> Path:
    some, one = np.ones((2, 4), np.float32), np.ones(2, np.float32)
    made = Known("93ab", "homes", some, some[:, None], some[:, :2], some, one, np.array([0.0, 9.0]), some[:, :2])
    return made.write(folder)


def run_folder(folder: Path) -> Path:
    (folder / "recipe.yaml").write_text(as_yaml(recipe_named("quick")))
    (folder / "run.json").write_text(json.dumps({"recipe": {"name": "quick", "epochs": 3}, "takes": {"train": ["a"]}}))
    table = Figures("fair", "Fair", ("all",), {"chance": (0.5,), "mine": (Interval(0.6, 0.5, 0.7),)}).to_dict()
    (folder / "tables.json").write_text(json.dumps({"split": "test", "takes": "these", "tables": {"fair": table}}))
    return folder


class Formats:
    """The files, whole, and how each is read."""

    def __init__(self, root: Path) -> None:
        charades = write_charades_ego(root / "ego", train=2, test=1, seconds=2, fps=4)
        index = index_files(root / "index")
        read_index = lambda: open_index(index).nearest(np.ones(4, np.float32), Filter(), 9)  # noqa: E731
        rows = [{"id": "p", "third": "ego/videos/T0000.mp4", "first": "ego/videos/T0000EGO.mp4", "clock": "0 0;1 1"}]
        pairs = write_csv(root / "pairs.csv", rows, list(rows[0]))
        truth = write_csv(root / "truth.csv", [{"id": "A", "actions": "c000 0 1"}], ["id", "actions"])
        (root / "s.txt").write_text("A 0.9 0.1 0.3\n")
        frames = write_frames(root / "frames", 3)
        (frames / "fps.txt").write_text("12.5\n")
        video = write_video(root / "a.mp4", frames=8)
        picture = next(frames.glob("*.jpg"))
        shutil.copy(picture, root / "query.jpg")
        torch.save({"state_dict": {"fc.weight": torch.ones(3, 4)}}, root / "published.pth")
        for name in ("checkpoint", "run"):
            (root / name).mkdir()
        run = run_folder(root / "run")
        self.read: dict[Path, Callable[[], object]] = {
            index / "index.json": read_index,
            index / "videos.jsonl": read_index,
            index / "vectors.f32": read_index,
            index / "times.f64": read_index,
            embeddings(root / "mine.npz"): lambda: load_embeddings(root / "mine.npz"),
            embeddings(root / "mine.safetensors"): lambda: load_embeddings(root / "mine.safetensors"),
            pairs: lambda: read_manifest(pairs),
            charades / "CharadesEgo_v1_train.csv": lambda: read_manifest(charades),
            charades / "classes.txt": lambda: read_manifest(charades),
            root / "s.txt": lambda: read_submission(root / "s.txt"),
            truth: lambda: score_submission(root / "s.txt", truth),
            frames / "fps.txt": lambda: open_take(frames, "third"),
            known(root / "run"): lambda: Known.read(root / "run"),
            run / "tables.json": lambda: read_tables(run, "test", "these"),
            run / "run.json": lambda: recipe_of(run),
            run / "recipe.yaml": lambda: recipe_of(run),
            root / "checkpoint" / "last.safetensors": checkpoint(root / "checkpoint"),
            video: lambda: frames_at(open_take(video, "first"), [0.0, 0.5], size=24, threads=1),
            picture: lambda: frames_at(frames, [0.0], size=24, threads=1),
            root / "query.jpg": lambda: read_picture(root / "query.jpg"),
            root / "published.pth": lambda: load(root / "published.pth"),
        }
        self.original = {path: path.read_bytes() for path in self.read if path.exists()}


@pytest.fixture(scope="module")
def formats(tmp_path_factory: pytest.TempPathFactory) -> Formats:
    return Formats(tmp_path_factory.mktemp("formats"))


FUZZ = settings(
    deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def test_every_format_is_there(formats: Formats) -> None:
    assert [path for path in formats.read if path not in formats.original] == []
    for path, read in formats.read.items():
        if path.suffix != ".pth":  # too small to be a network
            read()  # whole, it can be read


@pytest.mark.parametrize("word", WORDS, ids=range(len(WORDS)))
def test_each_word_alone_in_front_and_for_the_first_number(formats: Formats, word: bytes) -> None:
    for path, read in formats.read.items():
        for kind in ("cut", "insert", "number"):
            check(path, formats.original[path], [Damage(kind, 0.0, 0.0, word), Damage("insert", 0.0, 0.0, b"")], read)
        check(path, formats.original[path], [Damage("cut", 0.0, 0.0, b""), Damage("insert", 0.0, 0.0, word)], read)


@settings(FUZZ, max_examples=150)
@given(number=st.integers(0, 10**6), damages=DAMAGE)
def test_a_damaged_file_is_an_answer_or_one_line(formats: Formats, number: int, damages: list[Damage]) -> None:
    path = list(formats.read)[number % len(formats.read)]
    check(path, formats.original[path], damages, formats.read[path])


def test_the_measure_of_memory_can_fail(tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        check(tmp_path / "x", b"1", [], lambda: bytearray(b"x") * (MEMORY + (64 << 20)))
    with pytest.raises(ZeroDivisionError):
        check(tmp_path / "x", b"1", [], lambda: 1 / 0)


def test_an_npz_that_unpacks_to_gigabytes(tmp_path: Path) -> None:
    path = tmp_path / "bomb.npz"
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f4", "fortran_order": False, "shape": (288 << 20, 1)})
    packed = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1)
    with packed, packed.open("a/features.npy", "w", force_zip64=True) as file:
        file.write(header.getvalue())
        for _ in range(72):
            file.write(bytes(16 << 20))
    check(path, path.read_bytes(), [], lambda: load_embeddings(path))


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    folder = tmp_path_factory.mktemp("network")
    small_network(backbone="mobilenet_v2").save_pretrained(folder)  # small: it is read again and again
    (folder / "config.json").unlink()
    return folder / "model.safetensors", (folder / "model.safetensors").read_bytes()


@settings(FUZZ, max_examples=25)
@given(damages=DAMAGE)
def test_a_damaged_network_is_an_answer_or_one_line(saved: tuple[Path, bytes], damages: list[Damage]) -> None:
    path, original = saved
    header = 8 + int.from_bytes(original[:8], "little")
    content = original[:header]
    for damage in damages:
        content = damage.apply(content)
    check(path, content + original[header:], [], lambda: load(path))


SIZES = ["projection_size", "projection_hidden", "videos", "pairs", "size", "context_size", "selector_scale", "video_k"]


@settings(FUZZ, max_examples=25)
@given(name=st.sampled_from(SIZES), value=st.sampled_from([-1, 0, 10**7, 10**9, 10**12, 1e308, "x", None, [1], {}]))
def test_a_network_that_claims_any_size(saved: tuple[Path, bytes], name: str, value: object) -> None:
    path, original = saved
    header = 8 + int.from_bytes(original[:8], "little")
    described = json.loads(original[8:header])
    config = json.loads(described["__metadata__"]["config"])
    described["__metadata__"]["config"] = json.dumps(config | {name: value})
    packed = json.dumps(described).encode()
    check(path, len(packed).to_bytes(8, "little") + packed + original[header:], [], lambda: load(path))


@settings(FUZZ, max_examples=40)
@given(
    name=st.sampled_from(
        ["seed", "epochs", "batch", "optimiser.lr", "size", "network.videos", "objective", "drop", ""]
    ),
    value=st.sampled_from(
        ["-1", "0", "1e400", "nan", "[[[[", "{a: &x [*x]}", "!!python/object:os.system x", "9" * 40, "~"]
    ),
)
def test_a_setting_is_taken_or_refused_in_one_line(name: str, value: str) -> None:
    try:
        with_settings(recipe_named("quick"), [f"{name}={value}"])
    except UserError as error:
        assert len(str(error).splitlines()) == 1
