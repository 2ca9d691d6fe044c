"""Can a browser play this file? Asked of the header, in a process that a broken file cannot hurt."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from actor_observer.errors import TakeError, UserError

__all__ = ["Facts", "examine", "sniff"]

SECONDS = 60  # that the examining process may take
CONTAINERS = {"mov,mp4,m4a,3gp,3g2,mj2": "video/mp4", "matroska,webm": "video/webm"}
VIDEO = frozenset({"h264", "vp8", "vp9", "av1"})
SOUND = frozenset({"aac", "mp3", "opus", "vorbis"})
SUFFIXES = {".mp4": "video/mp4", ".m4v": "video/mp4", ".mov": "video/mp4", ".webm": "video/webm"}


@dataclass(frozen=True)
class Facts:
    """What a video's header says, as far as playing it goes."""

    container: str
    video: str  # codec
    pixels: str  # format
    sound: str  # codec; "" without sound
    length: float  # seconds; 0 where the header has none
    width: int
    height: int
    seekable: bool  # whether the file says where its keyframes are
    fps: float = 0.0  # frames a second, on average

    @property
    def plays(self) -> bool:
        """Whether today's browsers play it as it is; AV1 they try, and say so where they cannot.

        >>> Facts("mov,mp4,m4a,3gp,3g2,mj2", "h264", "yuv420p10le", "aac", 9.0, 640, 480, True).plays
        False
        """
        good = self.container in CONTAINERS and self.video in VIDEO and self.sound in SOUND | {""}
        if self.video == "h264":
            good = good and self.container.startswith("mov") and self.pixels in ("yuv420p", "yuvj420p")
        return good and self.length > 0 and self.seekable

    def fits(self, suffix: str) -> bool:
        """Whether a new container of this kind is enough: no picture need be encoded again.

        >>> recorded = Facts("matroska,webm", "vp8", "yuv420p", "opus", 0.0, 640, 480, False)
        >>> recorded.fits(".webm"), recorded.fits(".mp4")
        (True, False)
        """
        if suffix == ".webm":
            return self.video in ("vp8", "vp9", "av1") and self.sound in ("opus", "vorbis", "")
        eight = self.video != "h264" or self.pixels in ("yuv420p", "yuvj420p")
        return self.video in ("h264", "vp9", "av1") and eight and self.sound in SOUND | {""}


def examine(path: Path, seconds: float = SECONDS) -> Facts:
    """Read a file's header in a process with little time and memory; what is no video is a `TakeError`.

    >>> examine(Path("no-such.mp4"))
    Traceback (most recent call last):
    actor_observer.errors.TakeError: no-such.mp4: no such file
    """
    command = [sys.executable, "-m", "actor_observer.web.media.examine_child", str(path)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
        said = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        raise TakeError(path.name, "reading its header takes too long: the file is damaged") from None
    except ValueError:
        raise TakeError(path.name, "reading it fails: the file is damaged, or not a video") from None
    except OSError as error:
        raise UserError(f"no process can be started to look into {path.name} ({error.strerror})") from None
    if "fault" in said:
        raise TakeError(path.name, said["fault"])
    return Facts(**said)


def sniff(head: bytes) -> bool:
    """Whether a file begins as a video container does.

    >>> sniff(b"hello, I am a text file"), sniff(bytes(4) + b"ftypisom")
    (False, True)
    """
    return (
        head[4:8] in (b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip")
        or head[:4] in (b"\x1aE\xdf\xa3", b"OggS", b"FLV\x01", b"\x30\x26\xb2\x75", b"\x00\x00\x01\xba")
        or (head[:4] == b"RIFF" and head[8:11] == b"AVI")
        or (head[:1] == b"G" and head[188:189] == b"G")
        or (head[4:5] == b"G" and head[196:197] == b"G")
    )
