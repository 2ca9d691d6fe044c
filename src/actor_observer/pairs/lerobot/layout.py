"""Where things are in a LeRobot data set: what `meta/info.json` says, believed only as far as it can be true."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from actor_observer.errors import TakeError, UserError, first_line
from actor_observer.pairs.table import LEAST_RATE, MOST_RATE

__all__ = ["INFO", "VERSIONS", "Layout", "read_layout", "read_small"]

INFO = Path("meta/info.json")
VERSIONS = ("v2.0", "v2.1", "v3.0")
MOST_BYTES = 64 << 20  # of a file of JSON
_FIELD = re.compile(r"\{(\w+)(?::0?(\d{1,2})d)?\}")  # all that a path may ask for: no attributes, no widths without end
PATHS = {
    False: (
        "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet",
        "videos/chunk-{episode_chunk:03d}/{video_key}/episode_{episode_index:06d}.mp4",
    ),
    True: (
        "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
        "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4",
    ),
}


@dataclass(frozen=True)
class Layout:
    """What a data set says about itself."""

    folder: Path
    version: str
    fps: float  # rows a second, and frames of every video
    cameras: tuple[str, ...]  # keys of videos, without depth maps
    features: Mapping[str, tuple[str, ...]]  # keys of everything else -> the names of its parts, () without
    left_out: tuple[str, ...]  # a line for each camera that is not a video, or no picture
    info: Mapping[str, Any]  # as it was read

    @property
    def joined(self) -> bool:
        """Whether many episodes lie in one file."""
        return self.version.startswith("v3")

    @property
    def chunk(self) -> int:
        """Episodes in a folder, before version 3."""
        return max(1, whole(self.info.get("chunks_size")) or 1000)

    def data_file(self, **numbers: int) -> Path:
        """A table of rows; `TakeError` where it would lie outside the data set."""
        return self._place("data_path", PATHS[self.joined][0], numbers)

    def video_file(self, camera: str, **numbers: int) -> Path:
        """A camera's file."""
        return self._place("video_path", PATHS[self.joined][1], {"video_key": camera, **numbers})

    def _place(self, what: str, usual: str, values: Mapping[str, Any]) -> Path:
        template = self.info.get(what)
        text = _filled(template if isinstance(template, str) else usual, values)
        path = PurePosixPath(text) if text else None
        if path is None or path.is_absolute() or ".." in path.parts or "\\" in text or not text.isprintable():
            raise TakeError(self.folder / INFO, f"{what} {str(template)[:80]!r} does not name a file of the data set")
        return self.folder / path


def read_layout(folder: Path) -> Layout:
    """What `meta/info.json` says; what nobody could read is a `UserError`.

    >>> read_layout(Path("no-such-folder"))
    Traceback (most recent call last):
    actor_observer.errors.UserError: no-such-folder/meta/info.json: no such file
    """
    place = folder / INFO
    try:
        info = json.loads(read_small(place))
    except (ValueError, RecursionError) as error:
        raise UserError(f"{place}: not JSON ({first_line(error)[:80]})") from None
    if not isinstance(info, dict):
        raise UserError(f"{place}: not a description of a LeRobot data set")
    version = str(info.get("codebase_version"))
    if version not in VERSIONS:
        known = ", ".join(VERSIONS)
        raise UserError(f"{place}: codebase version {version[:20]} is not known here ({known} are); convert it first")
    fps = info.get("fps")
    if not isinstance(fps, (int, float)) or not LEAST_RATE <= fps <= MOST_RATE:
        raise UserError(f"{place}: fps is {str(fps)[:20]!r}; it should be the frames a second")
    features = info.get("features")
    if not isinstance(features, dict):
        raise UserError(f"{place}: no features in it, so no cameras")
    cameras, others, left_out = _sorted(features)
    return Layout(folder, version, float(fps), cameras, others, left_out, info)


def _sorted(features: Mapping[str, Any]) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]], tuple[str, ...]]:
    """Cameras, everything that is no picture, and lines about pictures that cannot be used."""
    cameras, others, left_out = [], {}, []
    for key, feature in features.items():
        kind = feature.get("dtype") if isinstance(feature, dict) else None
        if kind == "video" and _is_depth(feature):
            left_out.append(f"{key}: a depth map, not a picture")
        elif kind == "video":
            cameras.append(key)
        elif kind == "image":
            left_out.append(f"{key}: its pictures lie in the tables; lerobot's own tools make videos of them")
        elif isinstance(feature, dict):
            others[key] = _names(feature.get("names"))
    return tuple(cameras), others, tuple(left_out)


def _is_depth(feature: Mapping[str, Any]) -> bool:
    told = [feature.get(name) for name in ("info", "video_info")]
    facts = {key: value for one in told if isinstance(one, dict) for key, value in one.items()}
    return bool(facts.get("is_depth_map") or facts.get("video.is_depth_map"))


def _names(names: Any) -> tuple[str, ...]:
    """Names of a feature's parts: a list, or lists under headings such as `motors`.

    >>> _names({"motors": ["waist", "elbow"]}), _names(["x", "y"]), _names(None)
    (('waist', 'elbow'), ('x', 'y'), ())
    """
    if isinstance(names, dict):
        names = [name for some in names.values() if isinstance(some, list) for name in some]
    return tuple(str(name) for name in names) if isinstance(names, list) else ()


def _filled(template: str, values: Mapping[str, Any]) -> str:
    """A path with its fields filled in; "" where it asks for something else.

    >>> _filled("data/chunk-{episode_chunk:03d}/{episode_index:06d}.parquet", {"episode_chunk": 0, "episode_index": 7})
    'data/chunk-000/000007.parquet'
    >>> _filled("{episode_index.__class__}", {"episode_index": 7})
    ''
    """

    def one(match: re.Match[str]) -> str:
        value = values.get(match[1])
        if value is None or (match[2] and not isinstance(value, int)):
            return "{"  # left over, and refused below
        return f"{value:0{int(match[2])}d}" if match[2] else str(value)

    text = _FIELD.sub(one, template)
    return "" if "{" in text or "}" in text else text


def whole(value: Any) -> int | None:
    """A count or an index; None where it is not one.

    >>> whole(7), whole(7.0), whole(-1), whole(True), whole("7")
    (7, 7, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value or abs(value) > 1e15:
        return None
    return int(value) if value >= 0 and value == int(value) else None


def read_small(path: Path) -> bytes:
    """A file of JSON; one that is missing or far too large is a `UserError`."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise UserError(f"{path}: {path.stat().st_size >> 20} MiB, too large to be what it should be")
        return path.read_bytes()
    except FileNotFoundError:
        raise UserError(f"{path}: no such file") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from None
