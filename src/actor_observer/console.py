"""How the program speaks: tables on stdout, progress on stderr, one line for a mistake."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

__all__ = ["Answer", "Step", "counted", "listed", "one_line", "print_json", "printable", "progress", "say", "screen"]


class Answer:
    """An answer of the front door, which shows itself in notebooks.

    What draws it stands in a room further down, and is reached through the front door: no answer imports it.
    """

    ROWS: ClassVar[tuple[str, ...]] = ()  # the lists in `to_dict` that are its rows; none: it is one row itself

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for programs."""
        raise NotImplementedError

    def rows(self) -> list[dict[str, Any]]:
        """A list of dictionaries, as `pandas.DataFrame` takes it."""
        said = self.to_dict()
        return [row for name in self.ROWS for row in said[name]] if self.ROWS else [said]

    def plot(self) -> Any:
        """A matplotlib figure."""
        import actor_observer

        return actor_observer.plot(self)

    def _repr_html_(self) -> str:
        import actor_observer

        return actor_observer.as_html(self)


EVERY = 30.0  # seconds between two lines about progress where there is no terminal to draw a bar on


def counted(number: int, what: str) -> str:
    """A number with what is counted.

    >>> counted(1, "video"), counted(12, "video")
    ('1 video', '12 videos')
    """
    return f"{number} {what}{'' if number == 1 else 's'}"


def printable(text: str, keep: str = "") -> str:
    r"""Text that may come from a stranger, such as a file's name, without what would steer a terminal.

    >>> printable("runs/\x1b[2Jfirst")
    'runs/?[2Jfirst'
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() or letter in keep else "?" for letter in text)


def say(answer: object, error: bool = False) -> None:
    r"""Print an answer for people, or with `error` a line on stderr; control characters in it become "?".

    >>> say("a\x1b[31m.mp4: done")
    a?[31m.mp4: done
    """
    if error:
        print(f"actor-observer: {printable(' '.join(str(answer).split()))}", file=sys.stderr)
    else:
        print(printable(str(answer), keep="\n"))


def print_json(answer: Any) -> None:
    r"""Print an answer for programs. Letters stay as they are; control characters are escaped.

    >>> print_json({"video": "k\u00fcche\x9b.mp4"})
    {
      "video": "küche\u009b.mp4"
    }
    """
    text = json.dumps(answer, indent=2, ensure_ascii=False)
    print("".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text))


def screen() -> Console:
    """Where tables go. A terminal gives its width; a pipe gets room for whole lines.

    >>> screen().print("done")
    done
    """
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=160, soft_wrap=True)


class Step:
    """What `progress` gives: call it when an item is done; `part` tells how much of the current item is."""

    def __init__(self, show: Callable[[float], object]) -> None:
        self._show, self._done = show, 0

    def __call__(self) -> None:
        self._done += 1
        self._show(self._done)

    def part(self, share: float) -> None:
        """A share (0 to 1) of the item that is being worked on."""
        self._show(self._done + min(max(share, 0.0), 1.0))


@contextmanager
def progress(what: str, total: int) -> Iterator[Step]:
    """Progress on stderr, so that answers can be piped: a bar on a terminal, elsewhere a line every half minute.

    >>> with progress("reading", total=2) as step:
    ...     step.part(0.5); step(); step()
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        yield Step(_lines(what, total))
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[shown]}"), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(what, total=total, shown=_shown(0, total))
        yield Step(lambda done: bar.update(task, completed=done, shown=_shown(done, total)))


def _lines(what: str, total: int) -> Callable[[float], None]:
    """Say how far things are, at most every half minute."""
    last = [time.monotonic()]

    def show(done: float) -> None:
        if time.monotonic() - last[0] >= EVERY:
            last[0] = time.monotonic()
            say(f"{what}: {_shown(done, total)}", error=True)

    return show


def _shown(done: float, total: int) -> str:
    """How far things are.

    >>> _shown(3, 12), _shown(3.25, 12), _shown(0.5, 1)
    ('3 of 12', '3 of 12, 25 % of the next', '50 %')
    """
    if total == 1:
        return f"{100 * done:.0f} %"
    part = f", {100 * (done % 1):.0f} % of the next" if done % 1 else ""
    return f"{int(done)} of {total}{part}"


def one_line(boxed: str) -> str:
    """The message inside a parser's boxed error, on one line, up to its first rule, in words of ours.

    >>> one_line('''
    ... ╭─ Unrecognized options ─────────╮
    ... │ Unrecognized options: --bogus  │
    ... │ ────────────────────────────── │
    ... │ For full helptext, run --help  │
    ... ╰────────────────────────────────╯''')
    'no option --bogus'
    """
    lines = boxed.strip("\n").splitlines()
    rules = [place for place, line in enumerate(lines) if re.fullmatch(r"[│ ]*(─+|-+)[│ ]*", line)]
    start = 1 if "╭" in boxed else min(rules[:1], default=-1) + 1  # without its signs, a box has a title and a rule
    end = min((place for place in rules if place > start), default=len(lines))
    inner = [line[2:].rstrip("│╰─╯ ") for line in lines[start:end]]
    if missing := re.match(r"Missing from actor-observer (.*):", inner[0] if inner else ""):
        names = [line.strip() for line in inner[1:] if re.match(r" {4}\S", line)]
        odd = re.findall(r"^[│ ]  +(-\S+)", boxed.partition("Unrecognized")[2], flags=re.MULTILINE)
        return f"{missing[1]} needs {listed(names)}{f', and has no option {listed(odd)}' if odd else ''}"
    told = " ".join(line.strip() for line in inner if line) or " ".join(boxed.split())
    told = re.sub(r" \(applied to [^)]*\)| Arguments are applied to the directly .*? can matter\.", "", told)
    for said, ours in _OURS:
        if found := re.match(said, told):
            return ours(*found.groups())
    return told


_QUOTED = re.compile("'((?!None').*?)'")
_OURS: tuple[tuple[str, Callable[..., str]], ...] = (  # what the parser says, and what we say
    (
        r"Unrecognized (?:or misplaced )?options: (.*)",  # with what follows them
        lambda told: f"no option {listed([one for one in re.split(',? ', told) if one.startswith('-')] or [told])}",
    ),
    (
        r"invalid choice '(.*)' for argument '(.*)'\. Expected one of \((.*)\)\.",
        lambda value, name, choices: f"{name} {value}: give {listed(_QUOTED.findall(choices), 'or')}",
    ),
    (r"Error parsing (\S+): .*invalid literal for int\(\).*: '(.*?)'", "{} {}: give a whole number".format),
    (r"Error parsing (\S+): .*could not convert string to float: '(.*?)'", "{} {}: give a number".format),
)


def listed(names: Sequence[str], word: str = "and") -> str:
    """Names in a sentence.

    >>> listed(["--data DATA"]), listed(["third", "first", "both"], "or")
    ('--data DATA', 'third, first or both')
    """
    *others, last = names
    return f"{', '.join(others)} {word} {last}" if others else last
