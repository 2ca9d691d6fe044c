"""Make a video that browsers play: the same pictures in another container where that is enough, else as H.264."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from typing import Any

import av
import numpy as np

from actor_observer.errors import TakeError
from actor_observer.frames.frame_index import index_video, zero_of
from actor_observer.frames.in_order import decoded
from actor_observer.pairs.frame_files import CHARADES_FRAME_RATE, frame_files, holds_frames
from actor_observer.pairs.probe import open_video
from actor_observer.pairs.window import is_window, window_of
from actor_observer.web.media.examine_child import read_facts

__all__ = ["convert"]

Progress = Callable[[float], object]
SOUND_RATE = 48_000  # samples a second of converted sound
LARGEST = 1280  # pixels of the long side of a converted video: it is for looking at


def convert(
    path: Path,
    out: Path,
    rate: float | None,  # of a folder of frames
    progress: Progress = lambda share: None,
    encode: bool = False,  # as H.264, also where another browser plays the codec as it is
) -> None:
    """Write `out` beside and rename it. A file is copied packet by packet where its codec can be played."""
    out.parent.mkdir(parents=True, exist_ok=True)
    part = out.with_name(out.name + ".part")
    try:
        if holds_frames(path):
            _encode(part, _frames_of_folder(path, rate), progress, iter(()))
        elif not encode and not is_window(path) and read_facts(path).fits(out.suffix):
            _copy(path, part, out.suffix, progress)
        else:
            _encode(part, _frames_of_file(path), progress, _sound_of_file(path))
        part.replace(out)
    except (av.FFmpegError, ValueError) as error:
        raise TakeError(path.name, f"cannot be converted ({getattr(error, 'strerror', None) or error})") from None
    finally:
        part.unlink(missing_ok=True)


def _copy(path: Path, part: Path, suffix: str, progress: Progress) -> None:
    """The same packets with their times from zero, in a container that says how long it is and where keyframes are."""
    kind = "webm" if suffix == ".webm" else "mp4"
    options = {"movflags": "+faststart"} if kind == "mp4" else {"reserve_index_space": "60000"}
    size = path.stat().st_size
    with open_video(path) as (source, stream), av.open(str(part), "w", format=kind, options=options) as target:
        chosen = [stream, *source.streams.audio[:1]]
        copies = {one.index: target.add_stream_from_template(one, opaque=True) for one in chosen}
        zero: Fraction | None = None  # the first picture is at 0
        last: dict[int, int] = {}
        for packet in _stamped(source.demux(chosen)):
            base, place = packet.time_base, packet.stream.index
            if zero is None:
                zero = packet.pts * base
            packet.pts -= round(zero / base)
            packet.dts -= round(zero / base)
            if packet.pts < 0 and packet.stream.type == "audio":
                continue
            late = last.get(place, packet.dts - 1) + 1 - packet.dts
            if late > 0:  # browsers round times to milliseconds, and two frames then share one
                packet.dts += late
                packet.pts = max(packet.pts, packet.dts)
            last[place] = packet.dts
            if packet.pos:
                progress(min(1.0, packet.pos / size))
            packet.stream = copies[place]
            target.mux(packet)


def _stamped(packets: Any) -> Any:
    """Packets with both times; Matroska leaves out the first times of decoding, which then lie before the known one."""
    waiting: dict[int, list[Any]] = {}
    for packet in packets:
        if not packet.size or packet.pts is None:
            continue
        held = waiting.setdefault(packet.stream.index, [])
        held.append(packet)
        if packet.dts is None:
            continue
        step = max(1, packet.duration or 1)
        for back, one in enumerate(reversed(held)):
            one.dts = packet.dts - back * step
        yield from held
        held.clear()
    for held in waiting.values():
        yield from held if all(one.dts is not None for one in held) else ()


def _frames_of_file(path: Path) -> Any:
    if is_window(path):
        index = index_video(path)
        for number, frame in decoded(path, index, start=0, threads=0):
            time = float(index.times[number])
            yield _upright(frame), time, min(1.0, time / index.end)
        return
    with open_video(path) as (container, stream):
        stream.thread_type = "AUTO"
        length = float(container.duration or 0) / 1e6
        zero: float | None = None
        for frame in container.decode(stream):
            if frame.time is None:
                continue
            zero = frame.time if zero is None else zero
            time = frame.time - zero
            turned = _upright(frame)
            yield turned, time, min(1.0, time / length) if length else 0.0


def _sound_of_file(path: Path) -> Iterator[tuple[Any, float]]:
    """Blocks of the first sound track, each with its seconds after the first picture; none where there is no sound."""
    with open_video(path) as (container, stream):
        if is_window(path):
            zero = zero_of(path, container, stream)
        else:
            zero = next((frame.time for frame in container.decode(stream) if frame.time is not None), 0.0)
    length = window_of(path)[1] - window_of(path)[0]
    with open_video(path) as (container, _), suppress(av.FFmpegError):  # pictures with half of the sound, if need be
        if is_window(path):
            container.seek(int(zero * av.time_base))  # to before it: the blocks until then are left out
        for block in container.decode(*container.streams.audio[:1]) if container.streams.audio else ():
            if block.time is not None and block.time >= zero + length:
                return
            if block.time is not None and block.time >= zero:
                yield block, block.time - zero


def _upright(frame: av.VideoFrame) -> av.VideoFrame:
    turns = round(getattr(frame, "rotation", 0) / 90) % 4
    if not turns:
        return frame
    pixels: Any = np.ascontiguousarray(np.rot90(frame.to_ndarray(format="rgb24"), turns))
    return av.VideoFrame.from_ndarray(pixels, format="rgb24")


def _frames_of_folder(path: Path, rate: float | None) -> Any:
    from PIL import Image

    files = frame_files(path)
    for number, file in enumerate(files):
        with Image.open(BytesIO(file.read_bytes()), formats=("JPEG", "PNG")) as picture:
            frame = av.VideoFrame.from_ndarray(np.array(picture.convert("RGB")), format="rgb24")
        yield frame, number / (rate or CHARADES_FRAME_RATE), number / len(files)


def _encode(part: Path, frames: Any, progress: Progress, sound: Iterator[tuple[Any, float]]) -> None:
    """H.264 with 8 bits, a keyframe a second or so, each frame at its own time; sound as AAC, in between."""
    base = Fraction(1, 90_000)
    stream: Any = None
    voice: Any = None
    block, begins = next(sound, (None, 0.0))
    with av.open(str(part), "w", format="mp4", options={"movflags": "+faststart"}) as target:
        for frame, time, share in frames:
            if stream is None:
                stream = target.add_stream("libx264", rate=30)
                scale = min(1.0, LARGEST / max(frame.width, frame.height))
                stream.width, stream.height = (
                    max(2, round(side * scale) // 2 * 2) for side in (frame.width, frame.height)
                )
                stream.pix_fmt, stream.gop_size = "yuv420p", 30
                stream.options = {"preset": "veryfast", "crf": "23"}
                stream.codec_context.time_base = base
                voice = target.add_stream("aac", rate=SOUND_RATE, layout="stereo") if block is not None else None
            while block is not None and begins <= time:
                target.mux(_spoken(voice, block, begins))
                block, begins = next(sound, (None, 0.0))
            small = frame.reformat(stream.width, stream.height, "yuv420p")
            small.pts, small.time_base = round(time / base), base
            target.mux(stream.encode(small))
            progress(share)
        if stream is None:
            raise ValueError("no frame in it can be decoded")
        target.mux(stream.encode())
        while block is not None:
            target.mux(_spoken(voice, block, begins))
            block, begins = next(sound, (None, 0.0))
        if voice is not None:
            target.mux(voice.encode())


def _spoken(voice: Any, block: Any, begins: float) -> Any:
    """A block of sound at its time, as packets."""
    block.time_base = Fraction(1, block.sample_rate)
    block.pts = round(begins * block.sample_rate)
    return voice.encode(block)
