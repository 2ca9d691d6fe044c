"""Build the wheel and the sdist, and use the wheel as a stranger would: in an empty environment, far from this folder.

    make package
    python scripts/check_package.py [--out dist]

The wheel must hold every file of the package, and nothing else. Installed into a new environment that borrows all other
packages from this one, but not this package, it must say its version, align a pair that comes with it, and have types
that mypy sees from outside. Other supported Pythons at hand, without torch, compile it, import it and say its version.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Sequence
from pathlib import Path

import tyro

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "actor_observer"
PURE = ("tyro", "rich", "typing_extensions.py", "docstring_parser", "markdown_it", "mdurl", "pygments", "typeguard")
OTHERS = ("python3.12", "python3.13")  # beside the Python that runs this
PAIR = "1_L_S_6_horizontal_n_4_regrasp"
USER = "import actor_observer as ao\n\nfound: float = ao.align('room.mp4', 'head.mp4').offset\n"
WRONG = USER.replace("float", "str")
TYPES = "[mypy]\nstrict = true\nfollow_imports = skip\n[mypy-actor_observer.*]\nfollow_imports = silent\n"


def main(out: Path = Path("dist")) -> None:
    """Build into `out`, and check; the first thing that is wrong ends it."""
    wheel = build(out)
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    check_files(wheel)
    with tempfile.TemporaryDirectory() as name:
        away = Path(name)
        python = install(wheel, away / "env")
        check_use(python, away, version)
        check_types(python, away)
        others = [one for one in OTHERS if check_other(one, wheel, away / one, version)]
    told = f"{sys.version_info.major}.{sys.version_info.minor}{''.join(f', {one[6:]}' for one in others)}"
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, complete, typed; it works under Python {told}")


def build(out: Path) -> Path:
    """A wheel and an sdist; the wheel is made from the sdist, so both are whole."""
    shutil.rmtree(out, ignore_errors=True)
    run([sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT)])
    (wheel,), (_,) = out.glob("*.whl"), out.glob("*.tar.gz")
    return wheel


def check_files(wheel: Path) -> None:
    """All files of the package are in the wheel, and no others."""
    ours = {f"actor_observer/{path.relative_to(PACKAGE)}" for path in PACKAGE.rglob("*") if path.is_file()}
    ours = {name for name in ours if "__pycache__" not in name}
    with zipfile.ZipFile(wheel) as opened:
        assert opened.testzip() is None, "the wheel is damaged"
        held = {name for name in opened.namelist() if ".dist-info/" not in name}
    assert held == ours, f"missing: {sorted(ours - held)[:5]}; too many: {sorted(held - ours)[:5]}"


def install(wheel: Path, env: Path) -> Path:
    """A new environment with the wheel, and the packages of this one; its Python."""
    run([sys.executable, "-m", "venv", "--without-pip", str(env)])
    python = env / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index"]
    run([*pip, "--disable-pip-version-check", str(wheel.absolute())])
    (site,) = env.glob("lib/python*/site-packages")
    borrowed = [path for path in sys.path if path.endswith("site-packages")]
    (site / "borrowed.pth").write_text("\n".join(borrowed) + "\n")  # their own .pth files, and so src/, are not read
    return python


def check_use(python: Path, away: Path, version: str) -> None:
    """It imports from the environment, says its version, and aligns a pair of its own."""
    command = python.with_name("actor-observer")
    assert run([str(command), "--version"], away).strip() == f"actor-observer {version}"
    where = run(
        [str(python), "-c", "import actor_observer, sys; print(actor_observer.__file__, 'torch' in sys.modules)"], away
    )
    assert where.split() == [str(away / "env" / where.split("/env/")[1].split()[0]), "False"], where
    robots = Path(where.split()[0]).parent / "pairs" / "robots" / "videos"
    pair = [str(robots / f"{PAIR}.{view}.mp4") for view in ("third", "first")]
    run([str(command), "align", *pair, "--out", "aligned", "--side-by-side", "both.mp4"], away)
    found = json.loads((away / "aligned" / "alignment.json").read_text())
    assert found["verdict"] in ("in step", "cannot tell") and (away / "both.mp4").stat().st_size > 1000


def check_types(python: Path, away: Path) -> None:
    """Mypy knows what `align` gives, from py.typed and the front door alone."""
    (away / "mypy.ini").write_text(TYPES)
    for text, right in ((USER, True), (WRONG, False)):
        (away / "user.py").write_text(text)
        options = ["--config-file", "mypy.ini", "--cache-dir", str(away / "cache"), "--python-executable", str(python)]
        command = [sys.executable, "-m", "mypy", *options, "user.py"]
        ended = subprocess.run(command, cwd=away, capture_output=True, text=True, env=_bare())
        assert (ended.returncode == 0) == right, ended.stdout + ended.stderr


def check_other(name: str, wheel: Path, place: Path, version: str) -> bool:
    """Under another Python, without torch: whether it is at hand; it must compile, import and say its version."""
    found = subprocess.run([name, "-c", "pass"], capture_output=True).returncode == 0 if shutil.which(name) else False
    if not found or name == f"python3.{sys.version_info.minor}":
        return False
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(place)
    for package in PURE:
        at = next((Path(path) / package for path in sys.path if (Path(path) / package).exists()), None)
        if at is not None:
            (place / package).symlink_to(at)
    run([name, "-m", "compileall", "-q", str(place / "actor_observer")])
    said = run([name, "-m", "actor_observer", "--version"], place)
    assert said.strip() == f"actor-observer {version}", said
    return True


def run(command: Sequence[str], folder: Path | None = None) -> str:
    """What a command prints; if it fails, all it said."""
    ended = subprocess.run(command, cwd=folder or ROOT, capture_output=True, text=True, env=_bare())
    if ended.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{ended.stdout}{ended.stderr}")
    return ended.stdout


def _bare() -> dict[str, str]:
    """The environment, without what would lead Python back to this folder."""
    return {
        name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    }


if __name__ == "__main__":
    tyro.cli(main)
