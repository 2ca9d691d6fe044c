"""The Python blocks of the docs run as files, as a reader would save them; large settings are made small."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from forked import Forked
from tiny import write_charades_ego, write_csv, write_video

DOCS = Path(__file__).parent.parent / "docs"
ELSEWHERE = {"use.md", "search.md", "tutorial.md"}  # run by the tests of these pages
TOO_LARGE = {  # page and block: why
    ("pictures.md", 0): "draws every figure of the small set; tests/pictures draws them of a smaller one",
    ("playhouse.md", 1): "renders several cameras and people; tests/playhouse does so on less",
    ("notebooks.md", 0): "two recordings; tests/test_notebooks.py compares notebooks that were executed",
    ("signals.md", 0): "several recordings; tests/alignment aligns such from Python",
    ("training.md", 0): "trains; tests/training does so on less",
    ("model.md", 2): "a sketch of a training step with one's own data; tests/model/test_triplet_step.py runs one",
    ("model.md", 3): "needs a published checkpoint; tests/model/backbones/test_published_weights.py makes one",
}
BEFORE = {  # what the text around a block says is there
    ("frames.md", 0): 'take, times = "a.mp4", [0.0, 0.5]\n',
    ("embeddings.md", 0): "def my_model(path, times):\n    return np.ones((len(times), 4))\n\n",
}
SMALLER = {
    "pairs=20, seed=0, labelled=10": "pairs=1, seed=0, size=(32, 32), fps=1.0, workers=2",
    "torch.rand(8, 3, 224, 224)": "torch.rand(8, 3, 32, 32)",
    "times[::50]": "times[::400]",
}


def blocks(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(), flags=re.DOTALL)


RUN = [
    (path.name, number)
    for path in sorted(DOCS.glob("*.md"))
    if path.name not in ELSEWHERE
    for number in range(len(blocks(path.name)))
    if (path.name, number) not in TOO_LARGE
]


@pytest.mark.parametrize(("page", "number"), RUN)
def test_a_block_runs_as_a_file(page: str, number: int, tmp_path: Path) -> None:
    if page == "playhouse.md":
        pytest.importorskip("mujoco")
    code = blocks(page)[number]
    for large, small in SMALLER.items():
        code = code.replace(large, small)
    assert not re.search(r"pairs=\d\d", code), "rendering so many takes hours: make it small here"
    write_video(tmp_path / "a.mp4", frames=12)
    write_charades_ego(tmp_path / "ego", train=1, test=1, seconds=2, fps=4)
    rows = [{"id": "p", "third": "ego/videos/T0000.mp4", "first": "ego/videos/T0000EGO.mp4"}]
    write_csv(tmp_path / "pairs.csv", rows, list(rows[0]))
    (tmp_path / "block.py").write_text(BEFORE.get((page, number), "") + code)
    if "__main__" in code:  # it starts processes that import the file, so it needs a Python of its own
        answer = subprocess.run([sys.executable, "block.py"], cwd=tmp_path, capture_output=True, text=True, timeout=540)
        assert answer.returncode == 0, answer.stderr[-2000:]
        return
    program = f"import os, runpy\nos.chdir({str(tmp_path)!r})\nrunpy.run_path('block.py', run_name='__main__')\n"
    process = Forked(exec, program, {})
    said = process.wait()
    assert process.returncode == 0, said[-2000:]


def test_what_is_left_out_is_still_there() -> None:
    for page, number in TOO_LARGE:
        compile(blocks(page)[number], page, "exec")
