"""What happens to a training on several machines when one of them is lost?

    python bench/elastic.py

Two "machines" (agents of `torchrun`, gloo) on this one train a tiny run. The second, which does not hold the rendezvous
store, is killed with its worker; the first goes on alone from the last checkpoint, with the recipe's batch. At the end
the losses of every step stand beside those of a run that one process did without a stop. Takes a minute or two.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from training.small import QUICK, data_set

PROGRAM = "from actor_observer.cli import main; main()"
# a machine is given up after three missed heartbeats, and nobody else is waited for
RENDEZVOUS = "keep_alive_interval=2,keep_alive_max_attempt=3,last_call_timeout=2,join_timeout=60"
SETTINGS = [*QUICK, "epochs=EPOCHS", "save_minutes=0.002", "log_every=2", "validate_every=20"]


class Machines:
    """Agents of `torchrun`, each a process group of its own, so that one can be lost whole."""

    def __init__(self, data: Path, out: Path, settings: list[str]) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self._data, self._out, self._settings = data, out, settings

    def start(self, holds_store: bool) -> subprocess.Popen[bytes]:
        entry = self._data / "entry.py"
        entry.write_text(PROGRAM)
        agent = [sys.executable, "-m", "torch.distributed.run", "--nnodes=1:2", "--nproc-per-node=1"]
        agent += ["--rdzv-backend=c10d", f"--rdzv-endpoint=127.0.0.1:{self._port}", "--rdzv-id=elastic"]
        agent += [f"--rdzv-conf=is_host={int(holds_store)},{RENDEZVOUS}", "--max-restarts=3", str(entry)]
        train = ["train", "quick", "--data", str(self._data), "--out", str(self._out), "--device", "cpu"]
        train += ["--cache", str(self._data / "cache"), "--set", *self._settings]
        return subprocess.Popen(
            [*agent, *train],
            env=os.environ | {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"},
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


def lose(agent: int) -> None:
    """Kill an agent and its workers, which have sessions of their own."""
    workers = Path(f"/proc/{agent}/task/{agent}/children").read_text().split()
    for process in (agent, *map(int, workers)):
        os.kill(process, signal.SIGKILL)


def losses(run: Path) -> dict[int, float]:
    """Step to loss; none yet where there is no log."""
    try:
        lines = [json.loads(line) for line in (run / "log.jsonl").read_text().splitlines()]
    except (OSError, ValueError):
        return {}
    return {line["step"]: line["loss"] for line in lines if "loss" in line}


def wait_until(run: Path, steps: int) -> None:
    until = time.monotonic() + 90
    while len(losses(run)) < steps:
        assert time.monotonic() < until, f"the run stands still at step {len(losses(run))}"
        time.sleep(0.05)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = data_set(folder / "data")
        settings = [one.replace("EPOCHS", "200") for one in SETTINGS]
        begun = time.monotonic()

        def say(what: str) -> None:
            print(f"{time.monotonic() - begun:5.1f} s  {what}", flush=True)

        machines = Machines(data, folder / "run", settings)
        first, second = machines.start(holds_store=True), machines.start(holds_store=False)
        wait_until(folder / "run", 60)
        lose(second.pid)
        at = len(losses(folder / "run"))
        say(f"two machines; the second killed at step {at}")
        second.wait()
        wait_until(folder / "run", at + 20)
        say(f"the first goes on alone, at step {len(losses(folder / 'run'))}")
        say(f"done, exit code {first.wait(timeout=120)}")
        alone = [sys.executable, "-c", PROGRAM, "train", "quick", "--data", str(data), "--out", str(folder / "alone")]
        alone += ["--cache", str(data / "cache"), "--device", "cpu", "--set", *settings]
        subprocess.run(alone, check=True, env=os.environ | {"OMP_NUM_THREADS": "1"}, stdout=subprocess.DEVNULL)
        ours, theirs = losses(folder / "run"), losses(folder / "alone")
        assert [*ours] == [*theirs] == [*range(1, len(theirs) + 1)], "a step is missing, or there twice"
        apart = np.abs(np.array([*ours.values()]) - np.array([*theirs.values()]))
        print(f"{len(ours)} steps, each logged once and in order, as by one process that never stopped:")
        print(f"losses of {min(theirs.values()):.3f} to {max(theirs.values()):.3f} differ by {apart.max():.1e} at most")


if __name__ == "__main__":
    main()
