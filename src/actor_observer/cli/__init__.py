"""The `actor-observer` command: one verb per job. Each verb only calls the library.

Verbs import what they need when they run, so that `--help` and a mistyped option answer at once.
"""

from __future__ import annotations

import contextlib
import difflib
import functools
import io
import os
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

import tyro

from actor_observer.cli.align import align, pair
from actor_observer.cli.audit import audit
from actor_observer.cli.data import frames, inspect, playhouse
from actor_observer.cli.ends.children import end_children
from actor_observer.cli.ends.deadline import STOPPED, ending_in_time, leave
from actor_observer.cli.ends.ending import MISTAKE, end, end_stopped, hearing_interrupts, interrupts_first
from actor_observer.cli.find import index, search
from actor_observer.cli.hands import hands
from actor_observer.cli.learn import evaluate, pictures, report, score, train
from actor_observer.cli.paper import reproduce
from actor_observer.cli.repeated import add_up
from actor_observer.cli.scale import convert, merge
from actor_observer.cli.studio import agreement, studio
from actor_observer.cli.use import embed, explain, export, recognise, select
from actor_observer.console import one_line
from actor_observer.errors import TakeError, UserError

__all__ = ["VERBS", "main"]

VERBS: dict[str, Callable[..., None]] = {
    "inspect": inspect,
    "align": align,
    "pair": pair,
    "audit": audit,
    "index": index,
    "search": search,
    "recognise": recognise,
    "select": select,
    "hands": hands,
    "embed": embed,
    "export": export,
    "playhouse": playhouse,
    "frames": frames,
    "merge": merge,
    "convert": convert,
    "train": train,
    "evaluate": evaluate,
    "score": score,
    "pictures": pictures,
    "report": report,
    "reproduce": reproduce,
    "explain": explain,
    "studio": studio,
    "agreement": agreement,
}

RENAMED = {  # (verb, old option) -> its name now
    **{(verb, "--rate"): "--look-rate" for verb in ("embed", "recognise", "select")},
    ("index", "--rate"): "--moment-rate",
}

_DESCRIPTION = """Link third-person video (the observer) with first-person video (the actor).

Each verb explains itself:  actor-observer inspect --help"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a verb. A user's mistake is one line on stderr and exit code 2, never a traceback.

    Without arguments this process is the command, with those of its command line: a signal ends it within five seconds,
    and no process that it has started outlives it.
    """
    if arguments is not None:
        _run(list(arguments), alone=False)
        return
    try:
        with ending_in_time():
            _run(sys.argv[1:], alone=True)
    except SystemExit as stop:
        if stop.code in STOPPED:  # a training that saved first
            leave(stop.code)
        raise
    finally:
        end_children()


def _run(arguments: list[str], alone: bool) -> None:
    with hearing_interrupts():
        try:
            if os.name == "nt":
                raise UserError("actor-observer runs on Linux and macOS, not on Windows; use WSL 2 there")
            with interrupts_first():
                _parse(arguments)()
        except KeyboardInterrupt:
            end_stopped(alone)
        except (UserError, TakeError) as error:
            end(str(error), MISTAKE)
        except BrokenPipeError:  # the reader, such as `head`, has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except OSError as error:  # a full disk, a folder that may not be written
            end(f"{error.filename or 'disk'}: {error.strerror or error}", MISTAKE)
        except MemoryError:
            end("memory ran out", MISTAKE)
        except NotImplementedError as error:
            lacking = re.search(r"operator '([\w.:]+)'.* for the MPS device", str(error))
            if lacking is None:
                raise
            instead = "set PYTORCH_ENABLE_MPS_FALLBACK=1 (the CPU does it, slower), or --device cpu"
            end(f"the device mps lacks {lacking[1]}: {instead}", MISTAKE)


def _parse(arguments: list[str]) -> Callable[[], None]:
    """The verb with its arguments, not yet called; the parser's complaints become one line."""
    if not arguments:
        arguments = ["--help"]
    if arguments[0] in ("--version", "-V"):
        return _print_version
    if not arguments[0].startswith("-") and arguments[0] not in VERBS:
        likely = difflib.get_close_matches(arguments[0], VERBS, n=1)
        hint = f"did you mean {likely[0]}?" if likely else f"there are {', '.join(VERBS)}"
        raise UserError(f"no command {arguments[0]!r}: {hint}")
    for option in arguments[1:]:
        if now := RENAMED.get((arguments[0], option.partition("=")[0])):
            raise UserError(f"{option.partition('=')[0]}: it is called {now} now")
    if arguments[0] in VERBS:
        arguments = [arguments[0], *add_up(VERBS[arguments[0]], arguments[1:])]
    verbs = {name: _not_yet(verb) for name, verb in VERBS.items()}
    complaint = io.StringIO()
    try:
        with contextlib.redirect_stderr(complaint):
            return tyro.extras.subcommand_cli_from_dict(
                verbs, prog="actor-observer", description=_DESCRIPTION, args=arguments
            )
    except SystemExit as stop:
        if not stop.code:
            raise
        verb = f"{arguments[0]} " if arguments[0] in VERBS else ""
        raise UserError(f"{one_line(complaint.getvalue())} (see: actor-observer {verb}--help)") from None


def _print_version() -> None:
    from importlib.metadata import version

    print(f"actor-observer {version('actor-observer')}")


def _not_yet(verb: Callable[..., None]) -> Callable[..., Callable[[], None]]:
    """A function that takes the verb's arguments and returns the call: parsing and running fail separately."""

    @functools.wraps(verb)
    def remember(*args: Any, **kwargs: Any) -> Callable[[], None]:
        return functools.partial(verb, *args, **kwargs)

    return remember
