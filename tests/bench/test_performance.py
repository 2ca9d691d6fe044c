"""`make bench` runs or names every measurement of docs/performance.md."""

import re
from pathlib import Path

import pytest

import performance

PAGE = (Path(__file__).parents[2] / "docs" / "performance.md").read_text()


def test_every_script_of_the_page_is_run_or_named_as_left_out() -> None:
    scripts = set(re.findall(r"bench/(\w+)\.py", PAGE)) - {"performance"}
    assert len(scripts) > 5
    assert scripts == {*performance.QUICK, *(command.partition(".py")[0] for command in performance.LEFT_OUT)}


def test_each_is_run_once_and_one_that_fails_is_told_at_the_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[str] = []

    class Ended:
        def __init__(self, command: list[str]) -> None:
            asked.append(Path(command[1]).stem)
            self.returncode = int(asked[-1] == "search")

    monkeypatch.setattr(performance.subprocess, "run", Ended)
    with pytest.raises(SystemExit, match="failed: search"):
        performance.main()
    assert asked == list(performance.QUICK)
    said = capsys.readouterr().out
    assert all(f"python bench/{command}" in said for command in performance.LEFT_OUT)
    with pytest.raises(SystemExit, match="--only toaster: one of decode"):
        performance.main(["toaster"])
