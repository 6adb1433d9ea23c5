"""What a run may be asked to do: everything that a flag or an argument gives is held against what is allowed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from hotato.document.guess import Guesser
from hotato.errors import DocumentError, Problem, UsageError
from hotato.model import given
from hotato.plan.compile import Plan

if TYPE_CHECKING:
    from hotato.batch._run import Engine, Request

ENGINES = ("local", "dask", "ray")
KINDS = ("", "lines", "call")
_RATE = "is above 0 and below 1: the lower bound of an interval is at least 0 and never reaches 1"


def check(request: Request, plan: Plan, engine: Engine) -> None:
    """Raise UsageError for what cannot be done, and DocumentError for a gate that names no assertion or no rate."""
    check_engine(engine)
    for flag, text in (("--input", request.kind), ("--call-format", request.call_format)):
        given.typed(str, text, flag, "text")
    if request.kind not in KINDS:
        raise _refused("--input", "must be lines or call", Guesser().nearest(request.kind, KINDS))
    for name, value, least in (
        ("--batch-size", request.batch_bytes, 1),
        ("--max-errors", request.max_errors, 0),
    ):
        if type(value) is not int or value < least:
            raise _refused(name, f"must be a whole number of at least {least}")
    ids = [node.id for node in plan.nodes]
    given.names(
        given.typed(Mapping, request.min_pass_rate, "--min-pass-rate", "a mapping of ids to rates"), "--min-pass-rate"
    )
    for name, rate in sorted(request.min_pass_rate.items()):
        if name not in ids:
            said = f"no assertion has the id '{name[:128]}'"
            guess = Guesser().nearest(name, ids)
            raise DocumentError(Problem(code="value", file="--min-pass-rate", message=said, guess=guess))
        if type(rate) not in (int, float) or not 0 < rate < 1:
            raise DocumentError(Problem(code="value", file="--min-pass-rate", message=f"the rate for '{name}' {_RATE}"))


def check_engine(engine: Engine) -> None:
    """Raise UsageError for an engine that there is not, or that cannot be as told."""
    if given.typed(str, engine.name, "--engine", f"one of {', '.join(ENGINES)}") not in ENGINES:
        raise _refused("--engine", f"must be {', '.join(ENGINES)}", Guesser().nearest(engine.name, ENGINES))
    if type(engine.workers) is not int or engine.workers < 0:
        raise _refused("--workers", "must be a whole number of at least 0")
    given.typed(str, engine.address, "--address", "text")


def _refused(flag: str, said: str, guess: str = "") -> UsageError:
    return UsageError(Problem(code="value", file=flag, message=said, guess=guess))


def unanswered(address: str, what: str) -> UsageError:
    """Return what to raise for a cluster that is not there."""
    said = f"no {what} answers at {address}; see that it runs and is reached from here, then hotato batch resume"
    return UsageError(Problem(code="cluster", file="--address", message=said))
