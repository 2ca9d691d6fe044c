"""Make a small moving picture of a video, for a page: an animated WebP that plays without a click.

    python scripts/moving_picture.py runs/demo/in-step/both.mp4 docs/use/in-step.webp

At most a megabyte: a page loads it before anybody asks.
"""

from __future__ import annotations

import io
from pathlib import Path

import tyro
from PIL import Image

from actor_observer.disk import write_whole
from actor_observer.frames.frame_index import index_video
from actor_observer.frames.in_order import frames_in_order

MOST = 1_000_000  # bytes


def main(video: tyro.conf.Positional[Path], out: tyro.conf.Positional[Path]) -> None:
    """Every frame, at the video's own rate; the best quality that fits."""
    times = index_video(video).times
    frames = [Image.fromarray(picture) for picture in frames_in_order(video, times)]
    each = round(1000 * float(times[-1] - times[0]) / max(1, len(times) - 1))  # milliseconds
    for quality in (70, 50, 30):
        content = io.BytesIO()
        more = {"save_all": True, "append_images": frames[1:], "duration": each, "loop": 0, "quality": quality}
        frames[0].save(content, "WEBP", **more)
        if content.tell() <= MOST:
            break
    write_whole(out, content.getvalue())
    print(f"written     {out}, {content.tell() / 1000:.0f} kB, {len(frames)} frames")


if __name__ == "__main__":
    tyro.cli(main)
