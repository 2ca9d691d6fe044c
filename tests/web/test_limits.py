"""Processes that open strangers' recordings: little memory, small files, no network; the cache is swept."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from actor_observer.web.media.cache import Cache
from actor_observer.web.settings import ScriptRow
from served import serving

TRIES = """
import json, os, socket, sys
from actor_observer.web.work import limits
limits.MEMORY, limits.FILE = 64 << 20, 1 << 20
listener = socket.create_server(("127.0.0.1", 0))
port = listener.getsockname()[1]
missing = limits.confine(network=False)
found = {"missing": missing}
try:
    bytearray(200 << 20)
    found["memory"] = "taken"
except MemoryError:
    found["memory"] = "refused"
try:
    with open(sys.argv[1], "wb", buffering=0) as file:
        import signal
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        found["file"] = file.write(bytes(3 << 20))
except OSError as error:
    found["file"] = "refused"
try:
    socket.create_connection(("127.0.0.1", port), timeout=1)
    found["network"] = "reached"
except OSError:
    found["network"] = "refused"
print(json.dumps(found))
"""


def test_a_confined_process_has_little_memory_small_files_and_no_network(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", TRIES, str(tmp_path / "big")], capture_output=True, text=True)
    found = json.loads(done.stdout)
    assert found["memory"] == "refused" and (tmp_path / "big").stat().st_size <= 1 << 20
    assert found["network"] == ("reached" if "a place without network" in found["missing"] else "refused")


def test_what_looks_at_uploads_is_confined_and_says_what_the_system_does_not_allow(tmp_path: Path) -> None:
    with serving(tmp_path / "studio", scripts=(ScriptRow("Do it.", ("c000",)),)) as served:
        helper = served.studio.lanes["intake"]
        assert helper.call("echo", text="hello") == {"text": "hello"}
        limits = Path(f"/proc/{helper._child.pid}/limits").read_text()  # type: ignore[union-attr]
        line = next(line for line in limits.splitlines() if line.startswith("Max data size"))
        assert "unlimited" not in line.split()[3]
        assert set(helper.missing) <= {"a place without network"}


def test_the_cache_keeps_what_was_wanted_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("actor_observer.web.media.cache.EVERY", 2)
    cache = Cache(tmp_path, most=1000)
    for number in range(5):
        path = tmp_path / "frame" / f"{number}.jpg"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(bytes(300))
        os.utime(path, (number, number))
    cache.used(tmp_path / "frame" / "0.jpg")
    cache.sweep()
    assert sorted(path.name for path in (tmp_path / "frame").iterdir()) == ["0.jpg", "3.jpg", "4.jpg"]
