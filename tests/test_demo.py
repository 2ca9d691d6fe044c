"""The demo's folder: made once, made anew when what it is made from changes, and nobody else's is touched."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[1] / "scripts" / "run_demo.py"


@pytest.fixture(scope="module")
def demo() -> ModuleType:
    spec = importlib.util.spec_from_file_location("run_demo", SCRIPT)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_folder_is_made_anew_only_when_its_source_changed(demo: ModuleType, tmp_path: Path) -> None:
    out, data = tmp_path / "demo", tmp_path / "demo" / "playhouse-mini"
    demo.prepare(out, data, "recipe 1")
    assert (data / "truth" / "clocks.csv").is_file()
    (out / "run.json").write_text("{}")
    demo.prepare(out, data, "recipe 1")
    assert (out / "run.json").exists()
    demo.prepare(out, data, "recipe 2")
    assert not (out / "run.json").exists()
    assert (data / "truth" / "clocks.csv").is_file()


def test_a_folder_that_no_demo_made_is_kept(demo: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    demo.prepare(tmp_path, tmp_path / "playhouse-mini", "recipe")
    assert (tmp_path / "thesis.tex").exists()


def test_what_a_folder_holds_is_known_by_names_and_contents(demo: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    before = demo.fingerprint(tmp_path)
    (tmp_path / "a").write_text("2")
    assert demo.fingerprint(tmp_path) != before
