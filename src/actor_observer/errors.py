"""The two kinds of error: what the user can mend, and a take that cannot be used."""

from __future__ import annotations

__all__ = ["TakeError", "UserError", "first_line", "missing_extra"]


class UserError(Exception):
    """A mistake the user can fix: the command prints this one line and ends with exit code 2.

    >>> raise UserError("pairs.csv: no such file")
    Traceback (most recent call last):
    actor_observer.errors.UserError: pairs.csv: no such file
    """


def missing_extra(what: str, extra: str) -> UserError:
    """The error of a part that is not installed: every hint to install one reads like this.

    >>> str(missing_extra("the studio", "web"))
    "the studio needs the extra `web`: pip install '.[web]' in the clone"
    """
    return UserError(f"{what} needs the extra `{extra}`: pip install '.[{extra}]' in the clone")


class TakeError(Exception):
    """One take cannot be read. The run goes on without it; `str()` names the file and the fault.

    >>> str(TakeError("videos/AB1CD.mp4", "the file is empty"))
    'videos/AB1CD.mp4: the file is empty'
    """

    def __init__(self, path: object, fault: str) -> None:
        super().__init__(f"{path}: {fault}")
        self.path = str(path)
        self.fault = fault

    def __reduce__(self) -> tuple[type[TakeError], tuple[str, str]]:
        return type(self), (self.path, self.fault)  # so that it can be sent between processes


def first_line(error: BaseException) -> str:
    r"""What an error says, on one line.

    >>> first_line(ValueError("first\nsecond")), first_line(KeyError())
    ('first', 'KeyError')
    """
    return (str(error).strip() or type(error).__name__).splitlines()[0]
