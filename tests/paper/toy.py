"""A few pairs of the small set as a set of its own, and the command under torchrun."""

import csv
import os
import subprocess
import sys
from pathlib import Path

from actor_observer.playhouse import MINI

ENTRY = Path(__file__).with_name("entry.py")
# MobileNetV2 on tiny frames, a few steps
TINY = ["size=32", "decode=36", "look_rate=1", "quads_per_pair=10", "workers=0", "log_every=1", "save_minutes=0.001"]
QUICK = [*TINY, "epochs=3", "batch=8", "optimiser.warmup=1"]
WHOLE = [*TINY, "epochs=1", "batch=8", "network.backbone=mobilenet_v2", "anchor_rate=0.2", "network.selector_scale=0.5"]


def toy_set(folder: Path, train: int = 3, validation: int = 1, test: int = 2, labelled: int = 3) -> Path:
    """Rows of so many pairs and labelled takes; recordings and truth are those of the small set."""
    held_out = {row["subject"] for row in rows_of("splits.csv") if row["split"] == "validation"}
    ego, left = rows_of("CharadesEgo_v1_train.csv"), {True: validation, False: train}
    kept = []
    for third, first in zip(ego[::2], ego[1::2], strict=True):
        if left[third["subject"] in held_out]:
            left[third["subject"] in held_out] -= 1
            kept += [third, first]
    tested = rows_of("CharadesEgo_v1_test.csv")[: 2 * test]
    partners = {row["charades_video"] for row in tested}
    write(folder / "CharadesEgo_v1_train.csv", kept)
    write(folder / "CharadesEgo_v1_test.csv", tested)
    write(folder / "Charades_v1_train.csv", rows_of("Charades_v1_train.csv")[:labelled])
    write(folder / "Charades_v1_test.csv", [row for row in rows_of("Charades_v1_test.csv") if row["id"] in partners])
    for name in ("classes.txt", "splits.csv", "videos", "truth"):
        (folder / name).symlink_to(MINI / name)
    return folder


def rows_of(name: str) -> list[dict[str, str]]:
    with (MINI / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write(path: Path, rows: list[dict[str, str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


def command_for(data: Path, out: Path, *options: str) -> list[str]:
    """The arguments of `actor-observer reproduce`."""
    return ["reproduce", str(data), "--out", str(out), "--cache", str(data / "cache"), "--device", "cpu", *options]


def under_torchrun(ranks: int, arguments: list[str]) -> subprocess.Popen[str]:
    """The command as several processes."""
    several = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
    return subprocess.Popen(
        [sys.executable, *several, str(ENTRY), *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
