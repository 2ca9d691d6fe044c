"""What mkdocs needs to know of this repository: reference pages, and links that leave `docs/`.

Pages are written for people who read them in the repository, so they link to files outside `docs/`. On the site such
a link leads to the repository: `$REPOSITORY` (an address such as https://github.com/somebody/actor-observer), or git's
`origin`. Where neither is known, the file itself is copied into the site.
"""

from __future__ import annotations

import os
import posixpath
import re
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "actor_observer"
LINK = re.compile(
    r"(?<=\]\()([^)#\s:]+)((?:#[^)\s]*)?\))"
)  # the target of a link without a scheme, and what follows it


def rooms() -> dict[str, list[str]]:
    """The package's rooms and, for each, its modules by name: `{"pairs": ["actor_observer.pairs", …], …}`."""
    found: dict[str, list[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        if parts[-1] == "__main__":
            continue
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        found.setdefault(parts[1] if len(parts) > 1 else parts[0], []).append(".".join(parts))
    return found


def reference(room: str, modules: list[str]) -> str:
    """A page in Markdown with everything public in a room."""
    return "\n\n".join([f"# {room}", *map(_entry, modules)]) + "\n"


def _entry(module: str) -> str:
    """A module for mkdocstrings; of a package that only re-exports names the docstring alone, since they follow."""
    path = PACKAGE.parent.joinpath(*module.split("."), "__init__.py")
    reexports = path.is_file() and path.parent != PACKAGE and not re.search(r"^(def|class) ", path.read_text(), re.M)
    return f"::: {module}" + ("\n    options:\n      members: false" if reexports else "")


def on_config(config: Any) -> Any:
    """Add the reference to the site's table of contents: the front door first, then every room."""
    names = sorted(rooms(), key=lambda room: (room != "actor_observer", room))
    config["nav"].append({"Reference": [{name: f"reference/{name}.md"} for name in names]})
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the reference's pages, which are not on disk, and copies of linked files where no repository is known."""
    from mkdocs.structure.files import File  # here, so that the tests need no mkdocs

    for room, modules in rooms().items():
        files.append(File.generated(config, f"reference/{room}.md", content=reference(room, modules)))
    if not repository():
        for target in sorted({target for page in files.documentation_pages() for target in left(page)}):
            files.append(File.generated(config, f"files/{target}.txt", content=(ROOT / target).read_text("utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Lead links that leave `docs/` to the repository, and keep the figures of a table on one line."""

    def lead(match: re.Match[str]) -> str:
        target = outside(match[1], page.file.src_uri)
        if target is None:
            return match[0]
        if repository():
            return f"{repository()}/blob/HEAD/{target}{match[2]}"
        return posixpath.relpath(f"files/{target}.txt", posixpath.dirname(page.file.src_uri) or ".") + ")"

    return unbroken(LINK.sub(lead, markdown))


def unbroken(markdown: str) -> str:
    """Keep a figure in a table together with its interval and its unit.

    >>> unbroken("| 1.5 [1.2, 1.9] | 95 % |").replace("\N{NO-BREAK SPACE}", "~")
    '| 1.5~[1.2,~1.9] | 95~% |'
    """
    gap = re.compile(r"(?<=\d) (?=\[-?\d|%)|(?<=\d,) (?=-?\d)|(?<=[≤≥]) (?=\d)")
    lines = markdown.splitlines()
    return "\n".join(gap.sub("\N{NO-BREAK SPACE}", line) if line.startswith("|") else line for line in lines)


def left(page: Any) -> set[str]:
    """Files outside `docs/` that a page links to, relative to the repository."""
    links = LINK.findall(page.content_string)
    return {target for link, _ in links if (target := outside(link, page.src_uri)) is not None}


def outside(link: str, page: str) -> str | None:
    """Where a link leads, relative to the repository, if that is a file outside `docs/`; else None.

    >>> outside("../bench/real.py", "training.md"), outside("../../LICENSE", "results/robots.md")
    ('bench/real.py', 'LICENSE')
    >>> outside("use.md", "index.md") is None
    True
    """
    target = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), link))
    return None if target.startswith(("docs/", "..")) or not (ROOT / target).is_file() else target


def repository() -> str | None:
    """The address of the repository's files, if one is known."""
    found = os.environ.get("REPOSITORY") or _origin()
    return found.rstrip("/").removesuffix(".git") if found and found.startswith("https://") else None


def _origin() -> str:
    command = ["git", "-C", str(ROOT), "remote", "get-url", "origin"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
    return re.sub(r"^git@([^:]+):", r"https://\1/", found)
