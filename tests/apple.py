"""A stand-in for an Apple GPU: tensors say that they are on "mps", and cannot do what such a device cannot.

Numbers are worked out on the CPU. What is refused, in the words of torch:

- numbers of double precision, made there or taken there;
- operators that this torch has no kernel for on mps. Its own list says which: `native_functions.yaml`, which comes
  with it and which its kernels are registered from. What is put together of others (composite) counts as there, and
  what it is put together of is not looked at where C++ does it below the dispatcher;
- tensors of the CPU and of the device in one operation (but numbers without a shape, indices, and copies), and random
  numbers of the one for the other;
- NumPy's view of a tensor that is there.

It says nothing of speed, of memory, of kernels that are there and wrong, or of forks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
import torchgen
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode, return_and_correct_aliasing
from torch.utils._pytree import tree_leaves, tree_map

NAME = torch.device("mps:0")
LISTED = Path(torchgen.__file__).parent / "packaged" / "ATen" / "native" / "native_functions.yaml"
TOO_LONG = {torch.float64: "float64", torch.complex128: "complex128"}
DONE: Counter[str] = Counter()
PLAIN = torch.Generator
ACROSS = ("_to_copy", "copy_", "copy", "index", "index_put", "index_put_", "_index_put_impl_", "_unsafe_index")


class OnApple(Tensor):
    """A tensor on the device. C++ takes it for one of "meta", which has no numbers: nothing reads them by mistake."""

    held: Tensor  # the same on the CPU

    @staticmethod
    def __new__(cls, held: Tensor) -> OnApple:
        strides, offset = held.stride(), held.storage_offset()
        made: OnApple = Tensor._make_wrapper_subclass(  # type: ignore[attr-defined]
            cls, held.shape, strides=strides, storage_offset=offset, dtype=held.dtype, device="meta"
        )
        made.held = held
        return made

    __torch_function__ = torch._C._disabled_torch_function_impl

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return on_apple(func, args, kwargs or {})

    @property
    def device(self) -> torch.device:  # type: ignore[override]
        return NAME

    @property
    def is_meta(self) -> bool:  # type: ignore[override]
        return False

    def numpy(self, *, force: bool = False) -> Any:
        """Refuse, as torch does."""
        raise TypeError("can't convert mps:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor first.")

    def __array__(self, *_: Any) -> Any:
        return self.numpy()

    def tolist(self) -> Any:
        """The numbers, as torch fetches them."""
        return self.cpu().tolist()

    def __repr__(self, **_: Any) -> str:  # type: ignore[override]
        return f"on mps: {self.held!r}"


@contextmanager
def apple() -> Iterator[Counter[str]]:
    """Within it, "mps" is a device that can be used; gives how often each operator was run there.

    >>> with apple() as done:
    ...     there = torch.ones(2).to("mps")
    ...     (there + 1).device.type, (there + 1).tolist(), done["add"]
    ('mps', [2.0, 2.0], 2)
    """
    DONE.clear()
    with pytest.MonkeyPatch.context() as patch, _Numbered(), _Apple():
        patch.setattr(torch, "Generator", _Generator)
        yield DONE


class Dice(torch.Generator):
    """The device's own random numbers."""


class _Generator(torch.Generator):
    """Random numbers, of the device where it is asked for."""

    def __new__(cls, device: str | torch.device = "cpu") -> torch.Generator:  # type: ignore[misc]
        return Dice() if torch.device(device).type == "mps" else PLAIN(device)


class _Numbered(TorchFunctionMode):
    """Keeps C++ from asking for the device's own library: for the device's number, or for memory to fill."""

    shapes_alone = False  # whether Python asks for "meta" itself, for shapes without memory

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        args = tuple(map(self._with_number, args))
        kwargs = {name: self._with_number(given) for name, given in (kwargs or {}).items()}
        dice = kwargs.get("generator")
        on = kwargs.get("device") == NAME or isinstance(next(iter(args), None), OnApple)
        if dice is not None and isinstance(dice, Dice) != on:
            raise RuntimeError(f"Expected a '{'mps' if on else 'cpu'}' device type for generator")
        if func in (torch.tensor, torch.as_tensor) and kwargs.get("device") == NAME:  # C++ fills memory there itself
            return func(*args, **{**kwargs, "device": None}).to(NAME)
        if func is Tensor.__setitem__ and isinstance(args[0], OnApple) and isinstance(args[2], (bool, int, float)):
            args = (*args[:2], torch.tensor(args[2], dtype=args[0].dtype))  # so does it with a number
        before, meta = _Numbered.shapes_alone, str(kwargs.get("device")) == "meta"
        _Numbered.shapes_alone = before or meta
        try:
            return func(*args, **kwargs)
        finally:
            _Numbered.shapes_alone = before

    @staticmethod
    def _with_number(given: Any) -> Any:
        return NAME if isinstance(given, (str, torch.device)) and str(given) == "mps" else given


class _Apple(TorchDispatchMode):
    """Catches what is asked for on the device where no tensor is there yet."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """False: nothing is compiled here, and keeping a compiler away means to import it first."""
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return on_apple(func, args, kwargs or {})


def on_apple(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """Do one operation where its tensors are, or where it is asked for."""
    if is_composite(func):  # as inference leaves it: what it is put together of comes here, too
        with _Apple():
            return func.decompose(*args, **kwargs)
    asked = kwargs.get("device")
    given = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)]
    there = [tensor for tensor in given if isinstance(tensor, OnApple)]
    name = func._schema.name.removeprefix("aten::")
    places = ("mps",) if _Numbered.shapes_alone else ("mps", "meta")  # "meta": C++ wants it beside such a tensor
    goes = torch.device(asked).type in places if asked is not None else bool(there)
    if not there and not goes:
        return func(*args, **kwargs)
    if there and name not in ACROSS:
        for tensor in given:
            if not isinstance(tensor, OnApple) and tensor.ndim:
                raise RuntimeError(f"{name}: Expected all tensors to be on the same device, but found mps:0 and cpu!")
    if "index" in name and there and not isinstance(args[0], OnApple):
        raise RuntimeError("indices should be either on cpu or on the same device as the indexed tensor (cpu)")
    if not has_kernel(str(func)):
        raise NotImplementedError(f"The operator 'aten::{name}' is not currently implemented for the MPS device.")
    DONE[name] += 1
    held = tree_map(lambda leaf: leaf.held if isinstance(leaf, OnApple) else leaf, (args, kwargs))
    if goes and asked is not None:
        held[1]["device"] = torch.device("cpu")
    found = func(*held[0], **held[1])
    if not goes:
        return found
    made = tree_map(lambda leaf: taken(leaf) if isinstance(leaf, Tensor) else leaf, found)
    return return_and_correct_aliasing(func, args, kwargs, made) if there else made


@cache
def is_composite(func: Any) -> bool:
    """Whether an operator is nothing but others, on every device."""
    return bool(torch._C._dispatch_has_kernel_for_dispatch_key(func.name(), "CompositeImplicitAutograd"))


def taken(held: Tensor) -> OnApple:
    """Numbers on the device, if it can hold them."""
    if held.dtype in TOO_LONG:
        raise TypeError(
            f"Cannot convert a MPS Tensor to {TOO_LONG[held.dtype]} dtype as the MPS framework doesn't support "
            f"{TOO_LONG[held.dtype]}. Please use float32 instead."
        )
    with torch.inference_mode(False):  # one made under it could not share a count of changes with its views
        return OnApple(held)


@cache
def kernels() -> dict[str, tuple[set[str], str]]:
    """Of every operator: the keys that it has a kernel for, and the operator that it leaves its work to."""
    found: dict[str, tuple[set[str], str]] = {}
    for entry in re.split(r"(?m)^- func: ", LISTED.read_text(encoding="utf-8"))[1:]:
        name = entry.partition("(")[0]
        delegate = re.search(r"(?m)^  structured_delegate: (\S+)", entry)
        keys = {key for line in re.findall(r"(?m)^    ([\w, ]+): \w", entry) for key in line.split(", ")}
        found[name] = keys, delegate[1] if delegate else ""
        made = re.search(r"(?m)^  autogen: (.+)", entry)
        for other in made[1].split(", ") if made else ():
            found.setdefault(other, (keys, delegate[1] if delegate else ""))
    return found


@cache
def has_kernel(operator: str) -> bool:
    """Whether an operator, as torch writes it ("aten.add.Tensor"), can be run on mps.

    >>> has_kernel("aten.add.Tensor"), has_kernel("aten._linalg_eigh.default")
    (True, False)
    """
    name = operator.removeprefix("aten.").removesuffix(".default")
    keys, delegate = kernels().get(name, (set(), ""))
    if delegate:
        return has_kernel(f"aten.{delegate}")
    return not keys or any(key == "MPS" or key.startswith("Composite") for key in keys)
