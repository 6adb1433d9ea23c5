"""Every exception that hotato raises on purpose.

    HotatoError
    |-- UsageError (also a ValueError)   what was handed in cannot be used: exit 2
    |   |-- DocumentError                an assertions document or a rule pack
    |   `-- EvidenceError                a transcript, trace, timing or state file
    |-- StateAdapterError                a system of record could not be read: INCONCLUSIVE
    `-- InternalError                    a defect of hotato itself: exit 3

A `Problem` is one thing wrong at one place. Messages are made of what the user wrote in a document or
on the command line, never of what a call contains.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is wrong, and where.

    `line` and `column` count from 1, columns in code points; 0 means that the place is not known (the
    input was an object, not a text). `path` is the place in the data (`assertions[2].regex`), `guess` the
    nearest right name, empty where there is none.
    """

    code: str
    message: str
    file: str = ""
    line: int = 0
    column: int = 0
    path: str = ""
    guess: str = ""

    def __str__(self) -> str:
        """Return `file:line:column: path: message (did you mean 'guess'?)`, leaving out what is unknown."""
        place = ":".join([self.file or "<input>", *(str(n) for n in (self.line, self.column) if n)])
        parts = [place, self.path, self.message] if self.path else [place, self.message]
        hint = f" (did you mean '{self.guess}'?)" if self.guess else ""
        return ": ".join(parts) + hint


class HotatoError(Exception):
    """The root: catch it to catch everything that hotato raises on purpose."""


class UsageError(HotatoError, ValueError):
    """What was handed in cannot be used. `problems` holds every fault found, in the order of the input."""

    error_code = "usage"
    exit_code = 2

    def __init__(self, problems: Problem | str | Iterable[Problem]) -> None:
        if isinstance(problems, str):
            problems = Problem(code=self.error_code, message=problems, file="hotato")
        self.problems: tuple[Problem, ...] = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))


class DocumentError(UsageError):
    """An assertions document or a rule pack was refused, before anything ran."""

    error_code = "document"


class EvidenceError(UsageError):
    """A transcript, a trace, a timing envelope or a state file was refused."""

    error_code = "evidence"


class StateAdapterError(HotatoError):
    """A system of record could not be read. The message is shown to users: keep secrets out of it."""


class InternalError(HotatoError):
    """A defect of hotato itself. `assertion_id` names the assertion that was being judged, if any."""

    exit_code = 3

    def __init__(self, message: str, assertion_id: str = "") -> None:
        self.assertion_id = assertion_id
        super().__init__(message)
