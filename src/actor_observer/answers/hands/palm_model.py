"""MediaPipe's palm detector on this machine: one file out of a wheel, which is unpacked and never installed."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

from actor_observer.disk import write_whole
from actor_observer.errors import UserError
from actor_observer.features.on_disk.kept import default_cache
from actor_observer.stopping import temporary_folder

__all__ = ["palm_model"]

PACKAGE = "mediapipe==0.10.21"  # Apache-2.0; later versions do not hold the model
WHEEL = "956eb1ebc275c629e61b085b2cab89c3a5b9e93bad1bb107348d98dafb5a4bb5"  # SHA-256 of the wheel
MEMBER = "mediapipe/modules/palm_detection/palm_detection_full.tflite"
MODEL = "1b14e9422c6ad006cde6581a46c8b90dd573c07ab7f3934b5589e7cea3f89a54"  # … and of the model in it


def palm_model() -> Path:
    """The model's file in the user's cache; the first time it is fetched from the package index (36 MB)."""
    path = default_cache().parent / Path(MEMBER).name
    if path.is_file() and sha256(path.read_bytes()) == MODEL:
        return path
    content = _fetch()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content)
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({error.strerror or error})") from error
    return path


def sha256(content: bytes) -> str:
    """The hash of some bytes.

    >>> sha256(b"")[:8]
    'e3b0c442'
    """
    return hashlib.sha256(content).hexdigest()


def _fetch() -> bytes:
    """The model out of the wheel. Whatever system this is, it is the same wheel, so that one hash is enough."""
    with temporary_folder() as folder:
        which = ["--python-version", "3.12", "--platform", "manylinux_2_28_x86_64", "--only-binary=:all:"]
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "-q",
            "--retries",
            "1",
            "--no-deps",
            *which,
            "-d",
            str(folder),
            PACKAGE,
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        wheels = list(folder.glob("*.whl"))
        if done.returncode or len(wheels) != 1:
            reason = (done.stderr.strip().splitlines() or ["no wheel came"])[-1]
            raise UserError(f"the palm detector cannot be fetched: pip download {PACKAGE}: {reason}")
        return unpack(wheels[0])


def unpack(wheel: Path) -> bytes:
    """The model in a wheel, if wheel and model are the ones that are known."""
    if sha256(wheel.read_bytes()) != WHEEL:
        raise UserError(f"{wheel.name}: another file than the {PACKAGE} that is known (its hash differs); not used")
    with zipfile.ZipFile(wheel) as archive:
        content = archive.read(MEMBER)
    if sha256(content) != MODEL:
        raise UserError(f"{wheel.name}: its palm detector has another hash than the one that is known; not used")
    return content
