"""Embeddings as a file: ours and strangers', and nothing in them is run."""

import io
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest

from actor_observer.errors import UserError
from actor_observer.features import Embeddings, TakeEmbedding, load_embeddings, save_embeddings
from actor_observer.pairs import Manifest, Take


def some() -> Embeddings:
    rng = np.random.default_rng(0)
    times = np.array([0.25, 0.75, 1.25])
    third = TakeEmbedding("third", times, rng.random((3, 4)), rng.random(3), rng.random((3, 2)))
    return Embeddings({"a": third, "aEGO": TakeEmbedding("first", times[:2], rng.random((2, 4)))})


@pytest.mark.parametrize("suffix", [".npz", ".safetensors"])
def test_what_is_saved_is_loaded(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / ("mine" + suffix)
    save_embeddings(some(), path)
    loaded = load_embeddings(path)
    assert list(loaded) == ["a", "aEGO"]
    for id, take in some().items():
        assert loaded[id].view == take.view
        for part in ("times", "features", "weight", "scores"):
            expected, found = getattr(take, part), getattr(loaded[id], part)
            assert (found is None) == (expected is None)
            if expected is not None:
                np.testing.assert_array_equal(found, expected)


def test_a_strangers_file_needs_only_times_and_features(tmp_path: Path) -> None:
    path = tmp_path / "theirs.npz"
    np.savez(path, **{"a/times": np.arange(3), "a/features": np.ones((3, 2), dtype=np.int32)})
    with pytest.raises(UserError, match="the view of take a is not given"):
        load_embeddings(path)
    loaded = load_embeddings(path, Manifest({"a": Take("a", "first", Path("a.mp4"), 3.0)}))
    assert loaded["a"].view == "first"
    assert loaded["a"].features.dtype == np.float32


class Malicious:
    def __reduce__(self):
        return Path.touch, (Path("pwned"),)


def test_a_pickle_is_refused_and_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    np.savez("evil.npz", **{"a/times": np.arange(1.0), "a/features": np.array([[Malicious()]], dtype=object)})
    Path("evil2.npz").write_bytes(pickle.dumps(Malicious()))
    for name in ("evil.npz", "evil2.npz"):
        with pytest.raises(UserError, match="plain arrays"):
            load_embeddings(name)
    assert not Path("pwned").exists()


@pytest.mark.parametrize(
    ("arrays", "complaint"),
    [
        ({"x": np.ones(2)}, "no ID/features"),
        ({"a/features": np.ones((2, 2))}, "without a/times"),
        ({"a/features": np.ones((2, 2)), "a/times": np.arange(3.0)}, "a/features must be 3 rows"),
        ({"a/features": np.ones((2, 2)), "a/times": np.array([1.0, 0.0])}, "a/times must increase"),
        ({"a/features": np.full((1, 2), np.nan), "a/times": np.arange(1.0)}, "finite"),
        ({"a/features": np.array([["x"]]), "a/times": np.arange(1.0)}, "finite numbers"),
    ],
)
def test_what_is_wrong_is_one_line(tmp_path: Path, arrays: dict[str, np.ndarray], complaint: str) -> None:
    path = tmp_path / "wrong.npz"
    np.savez(path, views=np.array('{"a": "third"}'), **arrays)
    with pytest.raises(UserError, match=complaint):
        load_embeddings(path)


def test_half_a_file_is_one_line(tmp_path: Path) -> None:
    for name in ("a.npz", "a.safetensors"):
        save_embeddings(some(), tmp_path / name)
        content = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(content[: len(content) // 2])
        with pytest.raises(UserError, match=r"not a readable|damaged, not as it was written"):
            load_embeddings(tmp_path / name)
    with pytest.raises(UserError, match=r"\.safetensors or \.npz"):
        save_embeddings(some(), tmp_path / "a.pkl")


def packed(path: Path, name: str, content: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return path


def test_a_file_that_unpacks_to_gigabytes_is_refused_unread(tmp_path: Path) -> None:
    header = {"descr": "<f4", "fortran_order": False, "shape": (100, 1 << 20)}
    with (
        zipfile.ZipFile(tmp_path / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("a/features.npy", "w", force_zip64=True) as entry,
    ):
        np.lib.format.write_array_header_1_0(entry, header)
        for _ in range(100):
            entry.write(bytes(4 << 20))
    assert (tmp_path / "bomb.npz").stat().st_size < 1 << 20
    with pytest.raises(UserError, match="it would unpack to 400 MiB"):
        load_embeddings(tmp_path / "bomb.npz")


def test_an_array_that_says_it_is_larger_than_it_is_is_refused(tmp_path: Path) -> None:
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (10**12, 10**3)})
    with pytest.raises(UserError, match="says it is larger than it is"):
        load_embeddings(packed(tmp_path / "a.npz", "a/features.npy", header.getvalue()))


def test_an_npy_by_another_name_and_nested_json_are_one_line(tmp_path: Path) -> None:
    with (tmp_path / "a.npz").open("wb") as file:
        np.save(file, np.zeros(3))
    with pytest.raises(UserError, match="not a readable"):
        load_embeddings(tmp_path / "a.npz")
    np.savez(tmp_path / "b.npz", views=np.array("[" * 100_000))
    with pytest.raises(UserError, match="not a readable"):
        load_embeddings(tmp_path / "b.npz")
