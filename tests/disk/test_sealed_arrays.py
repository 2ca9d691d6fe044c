"""A seal is noticed to be broken wherever a file is harmed; files of other people need none."""

import json
from pathlib import Path

import numpy as np
import safetensors
import safetensors.numpy
import safetensors.torch
import torch
from hypothesis import given
from hypothesis import strategies as st

from actor_observer.disk.sealed_arrays import is_whole, sealed, unpacked
from actor_observer.disk.sums import sum_of

PLAIN = safetensors.numpy.save(
    {
        "a/times": np.arange(900.0),
        "b": np.random.default_rng(0).normal(size=(70, 30)).astype("f4"),
        "none": np.zeros(0),
    },
    {"views": json.dumps({"ä": 'th"ird'}), "config": "x\n"},
)
SEALED = sealed(PLAIN)


def whole(folder: Path, content: bytes, needed: bool = False) -> bool:
    (folder / "a.safetensors").write_bytes(content)
    return is_whole(folder / "a.safetensors", needed)


def test_a_sealed_file_is_read_by_everybody(tmp_path: Path) -> None:
    (tmp_path / "a.safetensors").write_bytes(SEALED)
    with safetensors.safe_open(tmp_path / "a.safetensors", framework="pt") as file:
        assert file.metadata()["views"] == json.dumps({"ä": 'th"ird'})
        assert torch.equal(file.get_tensor("a/times"), torch.arange(900.0, dtype=torch.float64))
    arrays, told = unpacked(SEALED)
    assert told["config"] == "x\n" and all(np.array_equal(arrays[k], v) for k, v in unpacked(PLAIN)[0].items())
    assert sealed(SEALED) == SEALED and whole(tmp_path, SEALED, needed=True)


def test_a_file_without_a_seal_is_taken_as_it_is_unless_one_is_needed(tmp_path: Path) -> None:
    assert whole(tmp_path, PLAIN) and not whole(tmp_path, PLAIN, needed=True)
    assert whole(tmp_path, b"") and not whole(tmp_path, b"", needed=True)


@given(st.data())
def test_any_bit_counts_or_it_is_no_safetensors_file_any_more(tmp_path_factory, data: st.DataObject) -> None:  # type: ignore[no-untyped-def]
    place = data.draw(st.integers(0, len(SEALED) - 1))
    harmed = bytearray(SEALED)
    harmed[place] ^= 1 << data.draw(st.integers(0, 7))
    folder = tmp_path_factory.getbasetemp()
    if whole(folder, bytes(harmed)):
        try:
            unpacked(bytes(harmed))
            raise AssertionError(place)
        except (safetensors.SafetensorError, ValueError):
            pass


@given(st.lists(st.integers(0, 3 * 4096 + 99), min_size=1, max_size=3, unique=True), st.integers(1, 255))
def test_one_to_three_other_bytes_are_another_sum(places: list[int], by: int) -> None:
    content = np.random.default_rng(1).integers(0, 255, 3 * 4096 + 100, dtype=np.uint8)
    other = content.copy()
    other[places] ^= by
    assert sum_of(content) != sum_of(other)


def test_what_is_exchanged_moved_or_longer_is_another_sum() -> None:
    content = np.random.default_rng(2).integers(0, 255, 5 * 4096, dtype=np.uint8)
    pages = content.reshape(5, 4096)
    words = content.reshape(-1, 8)
    swapped = words.copy()
    swapped[[3, 9]] = swapped[[9, 3]]
    sums = {sum_of(one.ravel()) for one in (content, pages[[1, 0, 2, 3, 4]], pages[::-1].copy(), swapped, content[:-1])}
    assert len(sums) == 5 and sum_of(bytes(4096)) != sum_of(bytes(8192)) != sum_of(b"")
