"""Write frames as JPEG files, and many of them on one contact sheet."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont, ImageOps
from torch import Tensor

from actor_observer.errors import UserError

__all__ = ["Tile", "contact_sheet", "file_name", "make_folder", "write_jpeg"]

TILE = (240, 180)  # width and height of a picture on a sheet
CAPTION, GAP, COLUMNS = 40, 10, 4  # pixels, pixels, pictures in a row
PAPER, INK, FAINT, MARK = (255, 255, 255), (29, 29, 31), (119, 119, 124), (0, 114, 178)  # of 255


@dataclass(frozen=True)
class Tile:
    """A picture on a sheet with two lines under it; a grey box where there is no picture."""

    frame: Tensor | None  # (3, H, W) uint8
    title: str
    note: str
    marked: bool = False  # has a coloured edge


def make_folder(folder: Path) -> Path:
    """Make a folder if needed, and remove pictures of an earlier answer (`file_name`) from it.

    >>> import tempfile
    >>> make_folder(Path(tempfile.mkdtemp()) / "a" / "b").name
    'b'
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file in folder.iterdir():
            if re.fullmatch(r"\d{2,}_(.+_)?\d+\.\d\ds\.jpg", file.name):
                file.unlink()
    except OSError as error:
        raise UserError(f"{folder}: cannot be written ({error.strerror or error})") from None
    return folder


def write_jpeg(path: Path, frame: Tensor, quality: int = 92) -> Path:
    """Write a frame (3, H, W) at its own size.

    >>> import tempfile, torch
    >>> write_jpeg(Path(tempfile.mkdtemp()) / "black.jpg", torch.zeros((3, 8, 8), dtype=torch.uint8)).name
    'black.jpg'
    """
    try:
        _picture(frame).save(path, "JPEG", quality=quality)
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({error.strerror or error})") from None
    return path


def file_name(rank: int, time: float, name: str = "") -> str:
    """A file name that sorts by rank and contains the time, in characters that every disk takes.

    >>> file_name(3, 12.5, "my kitchen/../x")
    '03_my_kitchen_.._x_12.50s.jpg'
    """
    plain = re.sub(r"[^\w.-]", "_", name)[:60]
    return "_".join(filter(None, (f"{rank:02d}", plain, f"{time:.2f}s"))) + ".jpg"


def contact_sheet(path: Path, tiles: Sequence[Tile]) -> Path:
    """Write pictures in rows, in order.

    >>> import tempfile
    >>> contact_sheet(Path(tempfile.mkdtemp()) / "sheet.jpg", [Tile(None, "kitchen.mp4", "12.50 s")]).name
    'sheet.jpg'
    """
    columns = min(COLUMNS, max(1, len(tiles)))
    rows = -(-len(tiles) // columns)
    wide, high = TILE[0] + GAP, TILE[1] + CAPTION + GAP
    sheet = Image.new("RGB", (GAP + columns * wide, GAP + rows * high), PAPER)
    for number, tile in enumerate(tiles):
        _draw(sheet, tile, GAP + number % columns * wide, GAP + number // columns * high)
    try:
        sheet.save(path, "JPEG", quality=90)
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({error.strerror or error})") from None
    return path


def _draw(sheet: Image.Image, tile: Tile, left: int, top: int) -> None:
    pen, width, height = ImageDraw.Draw(sheet), *TILE
    pen.rectangle((left, top, left + width - 1, top + height - 1), (236, 236, 240))
    if tile.frame is None:
        pen.text((left + width / 2, top + height / 2), "no picture", FAINT, ImageFont.load_default(13), anchor="mm")
    else:
        picture = ImageOps.contain(_picture(tile.frame), TILE, Image.Resampling.LANCZOS)
        sheet.paste(picture, (left + (width - picture.width) // 2, top + (height - picture.height) // 2))
    if tile.marked:
        pen.rectangle((left - 3, top - 3, left + width + 2, top + height + 2), outline=MARK, width=3)
    for place, (text, colour) in enumerate(((tile.title, INK), (tile.note, FAINT))):
        font = ImageFont.load_default(13)
        while len(text) > 8 and pen.textlength(text, font) > width:
            text = text.rstrip("…")[: len(text) - 3] + "…"
        pen.text((left, top + height + 5 + 17 * place), text, colour, font)


def _picture(frame: Tensor) -> Image.Image:
    return Image.fromarray(np.ascontiguousarray(frame.permute(1, 2, 0).numpy()))
