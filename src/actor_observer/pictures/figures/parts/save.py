"""A figure as a file, or as bytes for a page."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Literal

from matplotlib.figure import Figure

from actor_observer.errors import UserError
from actor_observer.model.pretrained import write_whole

__all__ = ["picture_bytes", "save_picture"]

DPI = 200  # dots an inch: sharp on high-resolution screens


def save_picture(figure: Figure, path: str | Path) -> Path:
    """Write a figure as PNG, or as WebP if the name ends so. The file is renamed into place: never half a file.

    >>> import tempfile
    >>> from actor_observer.pictures.figures.parts.style import sheet
    >>> save_picture(sheet(0.1), Path(tempfile.mkdtemp()) / "new" / "empty.png").name
    'empty.png'
    """
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, picture_bytes(figure, "webp" if path.suffix == ".webp" else "png"))
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({error.strerror or error})") from error
    return path


def picture_bytes(figure: Figure, form: Literal["png", "webp"]) -> bytes:
    """The figure as PNG, or as WebP, which is a quarter of the size for photographs.

    >>> from actor_observer.pictures.figures.parts.style import sheet
    >>> picture_bytes(sheet(0.1), "webp")[8:12]
    b'WEBP'
    """
    written = io.BytesIO()
    settings = {"quality": 80, "method": 5} if form == "webp" else {"compress_level": 5}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")  # a file's name may be in any script
        figure.savefig(written, format=form, dpi=DPI, pil_kwargs=settings)
    return written.getvalue()
