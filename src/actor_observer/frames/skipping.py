"""Frames to which no other frame refers are decoded only where they are wanted: nothing else changes by a bit."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator

import av
from av.container import InputContainer
from av.video.codeccontext import VideoCodecContext
from av.video.stream import VideoStream

__all__ = ["frames_with", "may_skip", "set_skip"]

# Codecs in which a frame marked "not a reference" is one to no frame at all.
_EXACT = frozenset(("h264", "mpeg4", "mpeg2video", "mpeg1video"))
# The parameters of an HEVC sequence: a start code, the kind of unit, then 4 bits of a name and 3 of layers in time.
_SEQUENCE = re.compile(rb"\x00\x00\x01\x42\x01(.)", re.DOTALL)


def may_skip(context: VideoCodecContext) -> bool:
    """Whether this decoder can leave out what nobody refers to, exactly.

    Those of VP9 and AV1 have no such switch; every frame of MJPEG stands alone.

    >>> may_skip(av.CodecContext.create("h264", "r")), may_skip(av.CodecContext.create("vp9", "r"))
    (True, False)
    """
    if context.name == "hevc":  # there, a frame of a higher layer may refer to one that is marked
        return layers_in_time(context.extradata or b"") == 1
    return context.name in _EXACT


def layers_in_time(stated: bytes) -> int:
    """How many layers an HEVC stream has in time, from what it states before its first frame; 0: it does not say.

    >>> layers_in_time(bytes.fromhex("00000001 4201 01")), layers_in_time(bytes.fromhex("000001 4201 05"))
    (1, 3)
    """
    if stated[:1] == b"\1":  # as mp4 and its relatives have it
        return stated[21] >> 3 & 7 if len(stated) > 21 else 0
    return max((int(found[1][0] >> 1 & 7) + 1 for found in _SEQUENCE.finditer(stated)), default=0)


def set_skip(context: VideoCodecContext, wanted: bool) -> None:
    """Before a packet is decoded by a decoder that may skip: whether its own frame is wanted."""
    context.skip_frame = "DEFAULT" if wanted else "NONREF"


def frames_with(container: InputContainer, stream: VideoStream, wanted: Container[int]) -> Iterator[av.VideoFrame]:
    """The frames from here on that have these stamps, in order of display, among others that had to be decoded."""
    context = stream.codec_context
    skip = may_skip(context)
    for packet in container.demux(stream):
        if skip:
            set_skip(context, packet.pts in wanted)
        yield from packet.decode()
