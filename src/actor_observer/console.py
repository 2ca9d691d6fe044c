"""How the program speaks: progress bars and tables on stderr and stdout, one line for a mistake."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

__all__ = ["counted", "one_line", "printable", "progress", "screen"]


def counted(number: int, what: str) -> str:
    """A number with what is counted.

    >>> counted(1, "video"), counted(12, "video")
    ('1 video', '12 videos')
    """
    return f"{number} {what}{'' if number == 1 else 's'}"


def printable(text: str) -> str:
    r"""Text that may come from a stranger, such as a file's name, without what would steer a terminal.

    >>> printable("runs/\x1b[2Jfirst")
    'runs/?[2Jfirst'
    """
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def screen() -> Console:
    """Where answers go. A terminal gives its width; a pipe gets room for whole lines.

    >>> screen().print("done")
    done
    """
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=160, soft_wrap=True)


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[], None]]:
    """A progress bar with the time left, on stderr so that answers can be piped; call what it gives once per step.

    >>> with progress("reading", total=2) as step:
    ...     step(); step()
    """
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)


def one_line(boxed: str) -> str:
    """The message inside a parser's boxed error, on one line, up to its first rule.

    >>> one_line('''
    ... ╭─ Unrecognized options ─────────╮
    ... │ Unrecognized options: --bogus  │
    ... │ ────────────────────────────── │
    ... │ For full helptext, run --help  │
    ... ╰────────────────────────────────╯''')
    'Unrecognized options: --bogus'
    """
    inner = [line.strip("│ ") for line in re.findall(r"^│.*│$", boxed, flags=re.MULTILINE)]
    rule = next((place for place, line in enumerate(inner) if line and set(line) == {"─"}), len(inner))
    return " ".join(line for line in inner[:rule] if line) or " ".join(boxed.split())
