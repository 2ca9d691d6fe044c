"""Final Cut Pro's own format. Written here, as OpenTimelineIO's adapter breaks on rates such as 29.97."""

from __future__ import annotations

from fractions import Fraction
from xml.etree import ElementTree

from actor_observer.alignment.timelines.tracks import Tracks, Trimmed

__all__ = ["fcpxml_of"]


def fcpxml_of(tracks: Tracks) -> str:
    """A project with one gap as long as the timeline, and every recording connected to it in a lane of its own."""
    root = ElementTree.Element("fcpxml", version="1.8")  # the last in which an asset names its file by itself
    resources = ElementTree.SubElement(root, "resources")
    size = next((one.size for one in tracks.tracks if one.size), (1920, 1080))
    _format(resources, "r0", tracks.fps, size)
    for number, one in enumerate(tracks.tracks, start=1):
        if one.size:
            _format(resources, f"f{number}", one.fps, one.size)
        _asset(resources, f"a{number}", f"f{number}", one)
    event = ElementTree.SubElement(ElementTree.SubElement(root, "library"), "event", name=tracks.name)
    project = ElementTree.SubElement(event, "project", name=tracks.name)
    length = _seconds(tracks.count, tracks.fps)
    sequence = ElementTree.SubElement(
        project, "sequence", format="r0", duration=length, tcStart="0s", tcFormat="NDF", audioRate="48k"
    )
    if tracks.notes:
        ElementTree.SubElement(sequence, "note").text = "; ".join(tracks.notes)
    spine = ElementTree.SubElement(sequence, "spine")
    gap = ElementTree.SubElement(spine, "gap", name="Gap", offset="0s", start="0s", duration=length)
    for number, one in enumerate(tracks.tracks, start=1):
        clip = ElementTree.SubElement(
            gap,
            "asset-clip",
            ref=f"a{number}",
            lane=str(number),
            name=one.name,
            offset="0s",
            start=_seconds(one.begin + one.start, one.fps),
            duration=_seconds(one.count, one.fps),
        )
        if one.size:
            clip.set("format", f"f{number}")
    for frame, text in tracks.markers:
        ElementTree.SubElement(
            gap, "marker", start=_seconds(frame, tracks.fps), duration=_seconds(1, tracks.fps), value=text
        )
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE fcpxml>\n{ElementTree.tostring(root, "unicode")}\n'


def _format(resources: ElementTree.Element, id: str, fps: Fraction, size: tuple[int, int]) -> None:
    ElementTree.SubElement(
        resources, "format", id=id, frameDuration=_seconds(1, fps), width=str(size[0]), height=str(size[1])
    )


def _asset(resources: ElementTree.Element, id: str, form: str, one: Trimmed) -> None:
    made = ElementTree.SubElement(
        resources,
        "asset",
        id=id,
        name=one.name,
        src=one.url,
        start=_seconds(one.begin, one.fps),
        duration=_seconds(one.frames, one.fps),
    )
    if one.size:
        made.set("hasVideo", "1")
        made.set("format", form)
    if one.channels:
        for name, value in (("hasAudio", 1), ("audioSources", 1), ("audioChannels", one.channels)):
            made.set(name, str(value))


def _seconds(frames: int, fps: Fraction) -> str:
    """A time as an exact fraction of a second, on a frame's edge.

    >>> _seconds(30, Fraction(30000, 1001)), _seconds(50, Fraction(25)), _seconds(0, Fraction(25))
    ('30030/30000s', '50/25s', '0s')
    """
    return f"{frames * fps.denominator}/{fps.numerator}s" if frames else "0s"
