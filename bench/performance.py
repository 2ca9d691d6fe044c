"""The measurements behind docs/performance.md that take minutes and need no GPU, one after the other.

    make bench        # or: python bench/performance.py [--only decode search]

Each is a script of its own, run as the page says or smaller, on whatever this machine does beside it: compare rows
within a table, not with the page. What is left out is listed at the end, with the command to run it.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import tyro

__all__ = ["LEFT_OUT", "QUICK"]

BENCH = Path(__file__).parent
MINI = BENCH.parent / "src" / "actor_observer" / "playhouse" / "mini"
QUICK = {  # script -> its arguments
    "decode": (),
    "skipping": ("--seconds", "10", "--rounds", "3", "--only", "H.264"),
    "align_speed": ("--minutes", "1"),
    "evaluate": (),
    "search": ("--moments", "200000"),
    "embed": (str(MINI), "--device", "cpu"),
    "damage": ("--times", "12"),
    "seal_cost": ("--rounds", "5"),
}
LEFT_OUT = {  # command -> why
    "shown.py": "14 processes decode for some minutes",
    "align_speed.py --minutes 1 4 60": "an hour against an hour takes ten minutes",
    "align_many_speed.py": "needs motion that was measured before",
    "search.py": "a million vectors need 3 GB and some minutes",
    "embed.py --device cuda --backbone resnet152": "needs a GPU",
    "clip_speed.py --device cuda --large --rounds 1": "needs a GPU",
    "embed.py --memory": "an hour of video is written and embedded",
    "train_speed.py": "needs a GPU",
    "inspect_charades.py": "writes thousands of videos",
    "reproduce_scale.py": "writes thousands of videos",
    "demo.py": "times `make demo`, four minutes",
    "setup_time.py": "installs everything anew",
}


def main(only: list[str] | None = None) -> None:
    """Run them; `only` names some of them. Ends with the number that failed."""
    failed = []
    for name in only or QUICK:
        if name not in QUICK:
            raise SystemExit(f"--only {name}: one of {', '.join(QUICK)}")
        command = [sys.executable, str(BENCH / f"{name}.py"), *QUICK[name]]
        print(f"\n== bench/{name}.py {' '.join(QUICK[name])}", flush=True)
        if subprocess.run(command).returncode:
            failed.append(name)
    print("\nLeft out:")
    for left, why in LEFT_OUT.items():
        print(f"  python bench/{left:<45} {why}")
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    tyro.cli(main)
