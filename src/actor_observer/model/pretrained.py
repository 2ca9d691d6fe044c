"""A network as two files, config.json and model.safetensors: written whole or not at all, read without running code."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
import torch
from torch import Tensor

from actor_observer.disk import write_whole as write_whole
from actor_observer.disk.read_sealed import read_sealed
from actor_observer.disk.sealed_arrays import Damaged, sealed
from actor_observer.errors import UserError, missing_extra

__all__ = ["BOX", "check_shapes", "read_pretrained", "write_pretrained"]

CONFIG = "config.json"
WEIGHTS = "model.safetensors"
BOX = Path(__file__).parents[1] / "box"  # the network that comes with the package
FORMAT = "actor-observer 1"
HUB = "hf:"  # before the name of a network on the hub
_TYPES = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16, "BOOL": torch.bool}
_TYPES |= {"I64": torch.int64, "I32": torch.int32, "I16": torch.int16, "I8": torch.int8, "U8": torch.uint8}
CHECKSUM = "checksum"  # in the metadata of files made before there were seals


def write_pretrained(folder: Path, config: Mapping[str, object], tensors: Mapping[str, Tensor]) -> None:
    """Write both files, each under another name first and then renamed.

    The weights' file carries the configuration too, so that the one rename of that file is the whole change: a process
    killed between the two renames leaves a network that loads.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_pretrained(Path(folder), {"backbone": "resnet18"}, {"weight": torch.ones(2)})
    ...     read_pretrained(folder)
    ({'backbone': 'resnet18'}, {'weight': tensor([1., 1.])})
    """
    text = json.dumps({"format": FORMAT, **config}, indent=2, ensure_ascii=False) + "\n"
    plain = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    packed = sealed(safetensors.torch.save(plain, {"config": text}))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / WEIGHTS, packed)
        write_whole(folder / CONFIG, text.encode())
    except OSError as error:
        raise UserError(f"{folder}: the network cannot be written ({error.strerror or error})") from error


def checksum(tensors: Mapping[str, Tensor], text: str = "") -> str:
    """A fingerprint of tensors on the CPU, by name, and of a text that belongs to them.

    >>> checksum({"a": torch.zeros(2)}) == checksum({"a": torch.zeros(2)}), len(checksum({}))
    (True, 32)
    """
    digest = hashlib.blake2b(text.encode(), digest_size=16)
    for name, tensor in sorted(tensors.items()):
        digest.update(f"\0{name} {tensor.dtype} {tuple(tensor.shape)}\0".encode())
        if tensor.numel():
            digest.update(tensor.contiguous().reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()


def refuse_other_sum(path: Path, said: str | None, tensors: Mapping[str, Tensor], text: str, again: str) -> None:
    """Refuse a file made before there were seals whose checksum, where it has one, does not fit."""
    if said and said != checksum(tensors, text):
        raise UserError(f"{path}: damaged, not as it was written; {again}")


def read_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, str]]:
    """The tensors and the metadata of a .safetensors file; `Damaged` is raised where it is not as it was written.

    >>> read_tensors(BOX / WEIGHTS)[0]["balance.seen"].shape
    torch.Size([])
    """
    found = read_sealed(path)
    if found is not None and all(kind in _TYPES for kind, _, _ in found.entries.values()):
        plain = ((name, kind, shape, torch.from_numpy(part)) for name, (kind, shape, part) in found.entries.items())
        return {name: part.view(_TYPES[kind]).reshape(shape) for name, kind, shape, part in plain}, found.told
    with safetensors.safe_open(path, framework="pt") as file:
        return {name: file.get_tensor(name) for name in file.keys()}, file.metadata() or {}  # noqa: SIM118 (not a dict)


def read_pretrained(source: str | Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Configuration and tensors of a network: a folder, its safetensors file, or `hf:NAME` for one on the hub.

    >>> read_pretrained("runs/none/such")
    Traceback (most recent call last):
    actor_observer.errors.UserError: runs/none/such: no such file or folder
    """
    path = find_weights(source)
    try:
        tensors, told = read_tensors(path)
    except Damaged:
        raise UserError(f"{path}: damaged, not as it was written; get it anew, or train again") from None
    except (safetensors.SafetensorError, OSError) as error:
        raise UserError(f"{path}: not a whole safetensors file ({error})") from error
    text = told.get("config")
    refuse_other_sum(path, told.get(CHECKSUM), tensors, text or "", "get it anew, or train again")
    try:
        config = json.loads(text or path.with_name(CONFIG).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(f"{path.with_name(CONFIG)}: no readable configuration ({error})") from error
    if not isinstance(config, dict) or config.pop("format", None) != FORMAT:
        raise UserError(f"{path}: this is not a network of actor-observer (format {FORMAT!r})")
    return config, tensors


def check_shapes(wanted: Mapping[str, Tensor], found: Mapping[str, Tensor]) -> None:
    """Refuse tensors that do not fit, before a network is made for them.

    >>> check_shapes({"weight": torch.zeros(10**12, device="meta")}, {"weight": torch.zeros(3)})
    Traceback (most recent call last):
    ValueError: weight has 3 numbers, not 1000000000000
    """
    for name in wanted.keys() ^ found.keys():
        raise ValueError(f"{name} is {'missing' if name in wanted else 'not part of such a network'}")
    for name, tensor in wanted.items():
        if tensor.shape != found[name].shape:
            shapes = (" × ".join(map(str, one.shape)) or "1" for one in (found[name], tensor))
            raise ValueError("{} has {} numbers, not {}".format(name, *shapes))


def find_weights(source: str | Path) -> Path:
    """Where a network's weights are on this machine; `hf:OWNER/NAME` is downloaded from the hub first.

    >>> find_weights("some/name")
    Traceback (most recent call last):
    actor_observer.errors.UserError: some/name: no such file or folder (a network on the hub is written hf:some/name)
    """
    if str(source).startswith(HUB):
        return _download(str(source).removeprefix(HUB))
    path = Path(source)
    if path.is_file():
        return path
    if path.is_dir():
        if not (path / WEIGHTS).is_file():
            raise UserError(f"{path}: there is no {WEIGHTS} in this folder")
        return path / WEIGHTS
    like_hub = re.fullmatch(r"[\w-][\w.-]*/[\w-][\w.-]*", str(source)) and not path.parent.is_dir()
    hint = f" (a network on the hub is written {HUB}{source})" if like_hub else ""
    raise UserError(f"{source}: no such file or folder{hint}")


def _download(name: str) -> Path:
    try:
        import huggingface_hub  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise missing_extra(f"downloading {HUB}{name}", "hf") from None
    try:
        return Path(huggingface_hub.hf_hub_download(name, WEIGHTS))
    except Exception as error:  # the hub's errors have no other common base
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise UserError(f"{HUB}{name}: cannot be had from the hub ({reason})") from error
