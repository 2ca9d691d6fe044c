"""Each folder imports only from those before it in the flow of data, so that a reader can start at the top."""

import ast
from pathlib import Path

import pytest

import actor_observer

PACKAGE = Path(actor_observer.__file__).parent
FLOW = (
    *("errors", "stopping", "disk", "console", "shards", "pairs", "frames", "signals", "sampling", "model", "features"),
    *(
        "evaluation",
        "training",
        "answers",
        "alignment",
        "auditing",
        "searching",
        "cluster",
        "pictures",
        "paper",
        "web",
        "cli",
    ),
)
SIDE = {
    "playhouse": {"errors", "stopping", "disk", "console", "shards", "pairs", "frames"}
}  # renders data; knows only how data is written and read


def allowed(part: str) -> set[str]:
    return SIDE.get(part) or set(FLOW[: FLOW.index(part)]) | ({"playhouse"} if part == "cli" else set())


def imports(path: Path) -> set[str]:
    """Parts of the package that a file imports, at any depth of its code."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import hides where it comes from"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        found |= {name.split(".")[1] for name in names if name.startswith("actor_observer.")}
    return found


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_folder_imports_only_from_those_before_it(path: Path) -> None:
    part = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if part in ("__init__", "__main__"):
        return  # the front door may open onto every room
    assert part in FLOW or part in SIDE, f"{part}: give it a place in the flow"
    extra = imports(path) - allowed(part) - {part}
    assert not extra, f"{path.relative_to(PACKAGE)} imports {sorted(extra)}, which come after {part}"
