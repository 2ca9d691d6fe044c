"""Drawing beside what else lives in a process."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

TRITON = "loaded_after_llvm = 'LLVM' in open('/proc/self/maps').read()\n"
DRAW_THEN_TRAIN = """
from actor_observer.errors import UserError
from actor_observer.playhouse.filming.render import check_drawing
try:
    check_drawing()
except UserError:
    pass  # nothing can be drawn on this machine
import sys
print(sys.modules["triton"].loaded_after_llvm)
"""

needs_mujoco = pytest.mark.skipif(importlib.util.find_spec("mujoco") is None, reason="mujoco is not installed")


@needs_mujoco
def test_triton_is_loaded_before_a_renderer_that_would_crash_it(tmp_path: Path) -> None:
    """A software renderer brings an LLVM of its own; Triton, which training loads, cannot come after it."""
    (tmp_path / "triton.py").write_text(TRITON)
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path}
    ended = subprocess.run([sys.executable, "-c", DRAW_THEN_TRAIN], env=environment, capture_output=True, text=True)
    assert ended.stdout.strip() == "False", ended.stderr
