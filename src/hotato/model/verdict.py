"""What a kind finds, before the engine stamps it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

PASS = "PASS"
FAIL = "FAIL"
INCONCLUSIVE = "INCONCLUSIVE"
STATUSES = (PASS, FAIL, INCONCLUSIVE)
DIMENSIONS = ("outcome", "policy", "conversation", "speech", "reliability")
POLICIES = ("report", "fail", "refuse")


class Verdict(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A kind's finding. The engine turns `truth` into PASS, FAIL or INCONCLUSIVE and `code` into a reason.

    `truth` is None where the evidence supplied does not settle the matter. `facts` fill the sentence of
    `code`; they come from the document or are counts and positions, never speech or values of the call.
    `fields` go onto the result as they are. `exercised` counts the pieces of evidence the check looked at;
    0 on a true verdict means that it holds of nothing. `want` lets the engine explain a false verdict.
    """

    truth: bool | None
    code: str
    facts: Mapping[str, Any] = msgspec.field(default_factory=dict)
    fields: Mapping[str, Any] = msgspec.field(default_factory=dict)
    exercised: int = 1
    want: Any = None


def holds(
    code: str, *, exercised: int, fields: Mapping[str, Any] | None = None, want: Any = None, **facts: Any
) -> Verdict:
    """Return the finding that what is asserted is so."""
    return Verdict(truth=True, code=code, facts=facts, fields=fields or {}, exercised=exercised, want=want)


def breaks(
    code: str, *, exercised: int = 1, fields: Mapping[str, Any] | None = None, want: Any = None, **facts: Any
) -> Verdict:
    """Return the finding that what is asserted is not so."""
    return Verdict(truth=False, code=code, facts=facts, fields=fields or {}, exercised=exercised, want=want)


def unsettled(code: str, *, fields: Mapping[str, Any] | None = None, **facts: Any) -> Verdict:
    """Return the finding that the evidence, though supplied, does not settle the matter."""
    return Verdict(truth=None, code=code, facts=facts, fields=fields or {}, exercised=0)
