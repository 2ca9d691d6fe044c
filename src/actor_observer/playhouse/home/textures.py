"""Procedural surfaces: planks, grain, tiles, weave. Small, so that a take starts quickly."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

from actor_observer.playhouse.home.homes import Material

__all__ = ["texture_file"]

SIDE = 64  # pixels of a tile


def _pattern(name: str, rng: np.random.Generator) -> NDArray[np.float64]:
    """A mask (SIDE, SIDE) in 0 … 1 that mixes the two colours."""
    x, y = np.meshgrid(np.arange(SIDE) / SIDE, np.arange(SIDE) / SIDE)
    noise = rng.random((SIDE, SIDE))
    soft = (noise + np.roll(noise, 1, 0) + np.roll(noise, 1, 1) + np.roll(noise, 2, 0) + np.roll(noise, 2, 1)) / 5
    if name == "checker":
        return np.asarray(((x * 2).astype(int) + (y * 2).astype(int)) % 2 * 0.85 + 0.15 * soft)
    if name == "stripes":
        return np.asarray(((x * 8).astype(int) % 2) * 0.9 + 0.1 * soft)
    if name == "planks":
        row = (y * 4).astype(int)
        tone = rng.random(16)[row * 4 + ((x + 0.37 * row) * 2 % 2).astype(int)]
        seam = ((y * 4) % 1 < 0.06) | (((x + 0.37 * row) * 2) % 1 < 0.02)
        return np.asarray(np.clip(0.7 * tone + 0.3 * soft + seam, 0, 1))
    if name == "grain":
        wave = np.sin(2 * np.pi * (y * 7 + 0.35 * np.sin(2 * np.pi * x) + 0.1 * soft))
        return np.asarray(0.35 + 0.25 * wave + 0.25 * soft)
    if name == "weave":
        return np.asarray(0.4 + 0.3 * (((x * 16).astype(int) + (y * 16).astype(int)) % 2) + 0.25 * (soft - 0.5))
    if name == "noise":
        return np.asarray(np.clip((soft - 0.5) * 1.6 + 0.5, 0, 1))
    return 0.1 * soft


def texture_file(material: Material) -> bytes:
    """The material's texture as a PNG file.

    >>> texture_file(Material("plain", (1, 1, 1), (0, 0, 0), 1.0))[1:4]
    b'PNG'
    """
    rng = np.random.default_rng(zlib.crc32(repr(material).encode()))
    mix = _pattern(material.pattern, rng)[..., None]
    image = np.array(material.one) * (1 - mix) + np.array(material.two) * mix
    return _png((np.clip(image, 0, 1) * 255).astype(np.uint8))


def _png(image: NDArray[np.uint8]) -> bytes:
    """An RGB image as PNG, without a library."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    height, width, _ = image.shape
    rows = b"".join(b"\0" + row.tobytes() for row in image)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b"")
