"""Every number with a name says where it comes from, or what it counts."""

import ast
from collections.abc import Iterator
from pathlib import Path

from test_import_order import PACKAGE


def is_number(node: ast.expr | None) -> bool:
    """Whether an expression is written in numbers alone: 3, 1 << 20, (0.1, 0.05), {"a": 1.0}."""
    if isinstance(node, ast.Constant):
        return type(node.value) in (int, float)
    if isinstance(node, ast.UnaryOp):
        return is_number(node.operand)
    if isinstance(node, ast.BinOp):
        return is_number(node.left) and is_number(node.right)
    parts = node.values if isinstance(node, ast.Dict) else node.elts if isinstance(node, (ast.Tuple, ast.List)) else []
    return bool(parts) and all(is_number(part) for part in parts)


def without_a_word(source: str) -> Iterator[str]:
    """Named numbers of a file with no comment behind, within or above them."""
    lines = source.splitlines()
    for node in ast.parse(source).body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and is_number(node.value):
            around = lines[max(0, node.lineno - 2) : node.end_lineno]
            above = node.lineno > 1 and around[0].lstrip().startswith("#")
            if not above and not any("#" in line for line in around[node.lineno > 1 :]):
                yield f"{node.lineno}: {lines[node.lineno - 1]}"


def test_what_lacks_a_word_is_seen() -> None:
    assert list(without_a_word("# of a frame\nA = 0.5\n\nB = 1 << 20\nC = 3  # rounds\nD = {'a': -1}\nE = 'x'\n")) == [
        "4: B = 1 << 20",
        "6: D = {'a': -1}",
    ]


def test_every_named_number_says_what_it_is() -> None:
    files: list[Path] = sorted(PACKAGE.rglob("*.py"))
    bare = [f"{path.relative_to(PACKAGE)}:{line}" for path in files for line in without_a_word(path.read_text())]
    assert not bare, f"say where it comes from, or what it counts: {bare}"
