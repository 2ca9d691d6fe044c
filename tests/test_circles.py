"""No two files import each other, nor two sub-rooms, nor a sub-room and its room: one can be read after the other."""

import ast
from graphlib import CycleError, TopologicalSorter

import pytest

from test_import_order import PACKAGE

Graph = dict[str, set[str]]
FILES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in PACKAGE.rglob("*.py")
}


def imported(source: str) -> set[str]:
    """The package's modules that a file imports at any depth of its code, but for those that only types need."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    found = set()
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        found |= {name if name in FILES else name.rpartition(".")[0] for name in names} & FILES.keys()
    return found


def by_file() -> Graph:
    return {name: imported(path.read_text()) - {name} for name, path in FILES.items()}


def by_folder(room: str, graph: Graph) -> Graph:
    """What the sub-rooms of a room import of each other; "" is the room's own files, but for its front door."""

    def folder(name: str) -> str | None:
        parts = FILES[name].relative_to(PACKAGE).parent.parts
        return None if parts[:1] != (room,) else parts[1] if len(parts) > 1 else ""

    found: Graph = {}
    for name, uses in graph.items():
        if (here := folder(name)) is not None and name != f"actor_observer.{room}":
            there = {other for use in uses if (other := folder(use)) is not None}
            found.setdefault(here, set()).update(there - {here})
    return found


def circle(graph: Graph) -> str:
    """The first circle found, as a line, or nothing."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return " <- ".join(error.args[1])
    return ""


GRAPH = by_file()
ROOMS = sorted({path.relative_to(PACKAGE).parts[0] for path in FILES.values() if path.parent.parent == PACKAGE})


def test_circles_are_seen() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"a"}}).count(" <- ") == 3
    assert not circle({"a": {"b", "c"}, "b": {"c"}, "c": set()})
    lazy = "def f() -> None:\n    from actor_observer.frames import at\n"
    assert imported(lazy) == {"actor_observer.frames.at"}
    assert not imported("if TYPE_CHECKING:\n    from actor_observer.frames import at\n")
    assert "actor_observer.pairs.manifest" in GRAPH["actor_observer.frames.at"] | GRAPH["actor_observer.frames.video"]


def test_no_two_files_import_each_other() -> None:
    assert not circle(GRAPH)


@pytest.mark.parametrize("room", ROOMS)
def test_no_two_sub_rooms_import_each_other(room: str) -> None:
    graph = by_folder(room, GRAPH)
    own = graph.pop("", set())
    below = {name: uses - {""} for name, uses in graph.items()}
    assert not circle(below), f"{room}: {circle(below)}"
    both = sorted(f"{room}/{name}" for name, uses in graph.items() if "" in uses and name in own)
    assert not both, f"{both}: move what both need into the sub-room, or out of it"
