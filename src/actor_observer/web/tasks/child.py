"""The other end of `Helper`: reads tasks from stdin, one JSON line each, and answers on stdout."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import traceback
from typing import IO, Any

from actor_observer.errors import TakeError, UserError, first_line
from actor_observer.web.work.limits import confine

__all__ = ["serve"]


def serve(questions: IO[str], answers: IO[str]) -> None:
    r"""Answer until the questions end, which they do when the server does.

    >>> import io
    >>> heard = io.StringIO()
    >>> serve(io.StringIO('{"task": "echo", "arguments": {"text": "hello"}}\n'), heard)
    >>> heard.getvalue()
    '{"answer": {"text": "hello"}}\n'
    """
    from actor_observer.web.tasks import TASKS

    def say(what: dict[str, Any]) -> None:
        answers.write(json.dumps(what) + "\n")
        answers.flush()

    for line in questions:
        asked = json.loads(line)
        try:
            answer = TASKS[asked["task"]](lambda share: say({"progress": round(share, 3)}), **asked["arguments"])
            say({"answer": answer})
        except (UserError, TakeError) as error:
            say({"error": str(error)})
        except OSError as error:
            say({"error": f"The disk does not take it: {error.strerror or error}."})
        except Exception as error:
            traceback.print_exc()
            say({"error": f"Something went wrong inside ({type(error).__name__}: {first_line(error)})."})


def _main() -> None:
    """Keep stdout for answers alone: whatever a library prints goes to stderr."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    if "patient" in sys.argv[1:]:
        with contextlib.suppress(OSError, AttributeError):
            os.nice(5)  # the page comes first
    missing = confine(network="offline" not in sys.argv[1:]) if "confined" in sys.argv[1:] else []
    answers.write(json.dumps({"missing": missing}) + "\n")
    answers.flush()
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
        serve(sys.stdin, answers)


if __name__ == "__main__":
    _main()
