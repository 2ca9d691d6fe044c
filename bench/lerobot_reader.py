"""Our reader of LeRobot data sets against the `lerobot` package's own: the same rows, and the same picture for each.

`lerobot` pulls torchvision, so it lives in a folder of its own, and only its reader of version 3 is run. Its video
decoder (torchvision's) is left out: what is compared is which file and which second of it every row asks for.
THEIRS is a folder that pip filled (`--target THEIRS`): lerobot with `--no-deps`; then datasets, pandas, jsonlines,
deepdiff, draccus, einops and termcolor.

    PYTHONPATH=THEIRS HF_HUB_OFFLINE=1 python bench/lerobot_reader.py read DATA theirs.npz
    python bench/lerobot_reader.py compare DATA theirs.npz
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import MagicMock

import numpy as np

NOT_NEEDED = ("torchvision", "accelerate", "diffusers", "imageio", "wandb", "rerun", "gymnasium", "pynput", "serial")
TOLERANCE = 1e-4  # seconds: lerobot's own


class _Absent(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Stands for packages that `lerobot` imports and its reader does not use."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name.split(".")[0] not in NOT_NEEDED:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        module = MagicMock(spec_set=None)
        module.Transform = type("Transform", (), {})
        return module

    def exec_module(self, module: ModuleType) -> None:
        pass


def read(data: Path, out: Path) -> None:
    """What `lerobot` gives for every row: its numbers, and for each camera the file and the second in it."""
    sys.meta_path.insert(0, _Absent())
    from lerobot.datasets.lerobot_dataset import LeRobotDataset  # type: ignore[import-not-found]

    theirs = LeRobotDataset("somebody/something", root=data)
    meta, rows = theirs.meta, theirs.hf_dataset.with_format("arrow")[:]
    told: dict[str, Any] = {"episode": rows["episode_index"].to_numpy(), "timestamp": rows["timestamp"].to_numpy()}
    told["state"] = np.array(rows["observation.state"].to_pylist())
    for key in meta.video_keys:
        files = [str(meta.get_video_file_path(int(index), key)) for index in range(meta.total_episodes)]
        starts = [float(meta.episodes[index][f"videos/{key}/from_timestamp"]) for index in range(meta.total_episodes)]
        told[f"{key}/file"] = np.array(files)[told["episode"]]
        told[f"{key}/second"] = np.array(starts)[told["episode"]] + told["timestamp"]
    np.savez(out, **told)
    print(f"{out}: {len(told['episode'])} rows of {meta.total_episodes} episodes, {len(meta.video_keys)} cameras")


def compare(data: Path, theirs: Path) -> None:
    """Count the rows for which ours gives another number, another file, or another frame."""
    from actor_observer.frames.frame_index import index_video
    from actor_observer.pairs import read_manifest
    from actor_observer.pairs.lerobot.cameras import short_name
    from actor_observer.pairs.read import open_signals
    from actor_observer.pairs.window import file_of

    told, manifest, signals = np.load(theirs), read_manifest(data), open_signals(data)
    assert signals is not None
    wrong = {"numbers": 0, "files": 0, "frames": 0}
    furthest, rows = 0.0, 0
    for episode in np.unique(told["episode"]):
        its, name = told["episode"] == episode, f"episode_{int(episode):06d}"
        table = signals(name)
        state = np.stack([values for key, values in table.columns.items() if key.startswith("observation.state.")], 1)
        wrong["numbers"] += int((np.abs(state - told["state"][its]) > 1e-6).any(axis=1).sum())
        for key in {key.rpartition("/")[0] for key in told.files if key.endswith("/second")}:
            take, rows = manifest.takes[f"{name}.{short_name(key)}"], rows + int(its.sum())
            wrong["files"] += int((told[f"{key}/file"][its] != str(file_of(take.path).relative_to(data))).sum())
            whole, own = index_video(file_of(take.path)), index_video(take.path)
            ours = whole.times[own.before :][own.on_screen(table.times)]  # seconds in the file
            away = np.abs(ours - told[f"{key}/second"][its])
            wrong["frames"] += int((away > TOLERANCE).sum())
            furthest = max(furthest, float(away.max()))
    print(f"{rows} pictures of {len(np.unique(told['episode']))} episodes: {wrong}, at most {furthest:.2e} s apart")
    sys.exit(1 if any(wrong.values()) else 0)


if __name__ == "__main__":
    {"read": read, "compare": compare}[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]))
