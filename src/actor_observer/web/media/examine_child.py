"""Print what a video's header says, as JSON. Runs alone, with limits: a stranger's file cannot take the page down."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import sys
from pathlib import Path

from actor_observer.errors import TakeError
from actor_observer.pairs.probe import open_video
from actor_observer.web.media.playable import Facts

__all__ = ["read_facts"]

MEMORY = 2 << 30  # bytes
CPU_SECONDS = 30  # of a process that examines an upload: no file keeps it busy for ever


def read_facts(path: Path) -> Facts:
    """The facts of a file that plays; any reason why not is a `TakeError`."""
    with open_video(path) as (container, stream):
        sound = next((one.codec_context.name for one in container.streams.audio if one.codec_context), "")
        length = float(container.duration or 0) / 1e6
        if stream.duration and stream.time_base:
            length = float(stream.duration * stream.time_base)
        context = stream.codec_context
        name = container.format.name
        seekable = not name.startswith("matroska") or length > 0
        first = next((packet for packet in container.demux(stream) if packet.size), None)
        if first is None:
            raise TakeError(path.name, "there are no pictures in it")
        codec = "av1" if "av1" in context.name or "dav1d" in context.name else context.codec.canonical_name
        rate = float(stream.average_rate or stream.guessed_rate or 0)
        return Facts(name, codec, context.pix_fmt or "", sound, length, context.width, context.height, seekable, rate)


def _limit() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):  # not on every system
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # nothing is written
        resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))


if __name__ == "__main__":
    _limit()
    try:
        print(json.dumps(dataclasses.asdict(read_facts(Path(sys.argv[1])))))
    except TakeError as error:
        print(json.dumps({"fault": error.fault}))
    except (MemoryError, OSError, ValueError) as error:
        print(json.dumps({"fault": f"cannot be read as a video ({type(error).__name__})"}))
