"""A seal is noticed to be broken wherever a file is harmed; files of other people need none."""

import json
from pathlib import Path

import numpy as np
import pytest
import safetensors
import safetensors.numpy
import safetensors.torch
import torch
from hypothesis import given
from hypothesis import strategies as st

from actor_observer.disk.read_sealed import read_arrays, read_sealed
from actor_observer.disk.sealed_arrays import Damaged, is_whole, sealed, unpacked
from actor_observer.disk.sums import sum_of
from actor_observer.model.pretrained import read_tensors

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
    """Whether a file is as it was written; to look at it and to read it must say the same."""
    (folder / "a.safetensors").write_bytes(content)
    try:
        read = read_sealed(folder / "a.safetensors") is not None
    except Damaged:
        read = False
    assert read == is_whole(folder / "a.safetensors", needed=True)
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


def test_every_type_of_number_is_read_as_the_library_reads_it(tmp_path: Path) -> None:
    kinds = (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int8, torch.uint8)
    tensors = {str(kind): (9 * torch.rand(3, 5)).to(kind) for kind in kinds} | {"no": torch.zeros(0, 4)}
    tensors |= {"yes": torch.tensor([True, False, True]), "one": torch.tensor(7)}
    path = tmp_path / "a.safetensors"
    path.write_bytes(sealed(safetensors.torch.save(tensors, {"by": "me"})))
    found, told = read_tensors(path)
    assert told["by"] == "me" and found.keys() == tensors.keys()
    for name, tensor in tensors.items():
        assert found[name].dtype == tensor.dtype and torch.equal(found[name], tensor)
    with pytest.raises(ValueError, match="numpy has no numbers of type BF16"):
        read_arrays(path)
    found["yes"][0] = False  # what was read is the reader's own
    assert read_tensors(path)[0]["yes"][0]


def test_arrays_are_those_of_the_library_with_a_seal_or_without(tmp_path: Path) -> None:
    for content in (PLAIN, SEALED):
        (tmp_path / "a.safetensors").write_bytes(content)
        arrays, told = read_arrays(tmp_path / "a.safetensors")
        assert told["config"] == "x\n" and arrays.keys() == {"a/times", "b", "none"}
        for name, array in unpacked(PLAIN)[0].items():
            assert arrays[name].dtype == array.dtype and np.array_equal(arrays[name], array)


@pytest.mark.parametrize(
    "entry",
    [
        {"dtype": "F64", "shape": [10**12], "data_offsets": [0, 16]},
        {"dtype": "F64", "shape": [-1, -2], "data_offsets": [0, 16]},
        {"dtype": "F64", "shape": [2], "data_offsets": [8, 24]},
        {"dtype": "F64", "shape": [2.5], "data_offsets": [0, 16]},
        {"dtype": "F64", "shape": [2]},
        {"dtype": [], "shape": [2], "data_offsets": [0, 16]},
        7,
    ],
)
def test_a_header_that_lies_is_refused_though_its_seal_fits(entry: object, tmp_path: Path) -> None:
    head = json.dumps({"a": entry}).encode()
    (tmp_path / "a.safetensors").write_bytes(sealed(len(head).to_bytes(8, "little") + head + bytes(16)))
    assert is_whole(tmp_path / "a.safetensors", needed=True)
    with pytest.raises(Damaged):
        read_sealed(tmp_path / "a.safetensors")


@pytest.mark.parametrize("size", [0, 20, 10**6])
def test_a_header_that_says_another_length_is_refused(size: int, tmp_path: Path) -> None:
    content = sealed(safetensors.numpy.save({"a": np.zeros(2)}))
    (tmp_path / "a.safetensors").write_bytes(size.to_bytes(8, "little") + content[8:])
    with pytest.raises(Damaged):
        read_sealed(tmp_path / "a.safetensors")


@pytest.mark.parametrize("word", [b"sealed", b"v1 "])
def test_damage_to_the_seal_itself_does_not_make_it_a_file_without_one(word: bytes, tmp_path: Path) -> None:
    content = sealed(safetensors.numpy.save({"a": np.zeros(2)}))
    (tmp_path / "a.safetensors").write_bytes(content.replace(word, b"x" + word[1:], 1))
    assert not is_whole(tmp_path / "a.safetensors")
    with pytest.raises(Damaged):
        read_sealed(tmp_path / "a.safetensors")
