"""Exact truth is for judging: only evaluation and pictures read it, and the playhouse writes it."""

import ast
from pathlib import Path

import actor_observer

PACKAGE = Path(actor_observer.__file__).parent
MAY = {"evaluation", "pictures", "playhouse"}
ALSO = {
    PACKAGE / "web" / "study" / "agreement.py",  # how well people marked
    PACKAGE / "cluster" / "merge.py",  # copies the folder of a set made in parts
}


def mentions_truth(path: Path) -> list[str]:
    """What in a file's code names the truth: imports of its reader, and strings with its folder or its clocks."""
    nodes = list(ast.walk(ast.parse(path.read_text())))
    prose = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}  # docstrings
    imports = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    imported = [f"{node.module}.{name.name}" for node in imports for name in node.names]
    texts = [str(node.value) for node in nodes if isinstance(node, ast.Constant) and id(node) not in prose]
    named = [text for text in texts if text == "truth" or "truth/" in text or "clocks.csv" in text]
    return [name for name in imported if "truth" in name.lower()] + named


def test_nobody_else_touches_truth() -> None:
    for path in PACKAGE.rglob("*.py"):
        if path.relative_to(PACKAGE).parts[0] not in MAY and path not in ALSO:
            assert not mentions_truth(path), path


def test_the_check_can_fail() -> None:
    assert mentions_truth(PACKAGE / "evaluation" / "judge.py")
    assert mentions_truth(PACKAGE / "evaluation" / "measures" / "exact_truth.py")
