"""The `outcome` kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated

import msgspec

from hotato.kinds._kind import Check, Kind, Regex, Resources, Text, exactly_one
from hotato.match.evidence import Evidence
from hotato.match.paths import in_timing
from hotato.match.regex import regex_fault
from hotato.match.text import fold_role
from hotato.model.fault import Fault
from hotato.model.verdict import Verdict, breaks, holds, unsettled


class Predicate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of `{tool_called}`, `{phrase, role}` and `{field_present}`."""

    tool_called: Text | None = None
    phrase: Regex | None = None
    role: Text | None = None
    field_present: Text | None = None


Predicates = Annotated[tuple[Predicate, ...], msgspec.Meta(min_length=1)]


class Outcome(Kind, frozen=True, kw_only=True, tag="outcome"):
    """The task was done, told by all or any of a list of simple signs.

    - exactly one of `all_of` and `any_of`: a list of signs, each
      `{tool_called: NAME}` (from the trace), `{phrase: REGEX, role: ROLE}` (from the transcript) or
      `{field_present: PATH}` (a dotted path in the timing envelope that leads to something other than null).

    `met` of `of` signs were seen. Where a sign's evidence was not supplied the result is INCONCLUSIVE, even where the
    other signs would settle it: the verdict never depends on which evidence happens to be missing.

    ```yaml
    - id: refund-confirmed
      kind: outcome
      all_of: [{tool_called: issue_refund}, {phrase: confirmation number, role: agent}]
    ```
    """

    all_of: Predicates | None = None
    any_of: Predicates | None = None

    family = "core"
    says = {
        "met": "{met} of {of} signs were seen",
        "not_met": "{met} of {of} signs were seen; missing: {missing}",
        "no_evidence": "{count} of {of} signs need evidence that was not supplied: {sources}",
    }
    shows = ("met", "of")

    def faults(self, resources: Resources) -> Iterator[Fault]:
        """Yield all that is wrong beyond types."""
        yield from super().faults(resources)
        yield from exactly_one(self, "all_of", "any_of")
        for name in ("all_of", "any_of"):
            for place, sign in enumerate(getattr(self, name) or ()):
                given = [f for f in ("tool_called", "phrase", "field_present") if getattr(sign, f) is not None]
                if len(given) != 1:
                    said = "a sign needs exactly one of tool_called, phrase or field_present"
                    yield Fault((name, place), "exclusive_fields", said)
                if sign.role is not None and sign.phrase is None:
                    yield Fault((name, place, "role"), "needless_field", "'role' means nothing without phrase")
                said = regex_fault(sign.phrase) if sign.phrase is not None else ""
                if said:
                    yield Fault((name, place, "phrase"), "regex", said)

    def rests_on(self) -> tuple[str, ...]:
        """Return what the trace's source must record."""
        return ("tool_call",) if any(s.tool_called for s in self.all_of or self.any_of or ()) else ()

    def compile(self, resources: Resources) -> Check:
        """Return the check."""
        signs = [_compile(sign, resources) for sign in self.all_of or self.any_of or ()]
        of, enough = len(signs), 1 if self.any_of is not None else len(signs)

        def check(evidence: Evidence) -> Verdict:
            blind = [source for source, _, _ in signs if not evidence.has(source)]
            seen = [(name, evidence.has(source) and test(evidence)) for source, name, test in signs]
            met = sum(1 for _, yes in seen if yes)
            fields = {"met": met, "of": of}
            if blind:
                sources = ", ".join(sorted(set(blind)))
                return unsettled("no_evidence", fields=fields, count=len(blind), of=of, sources=sources)
            if met >= enough:
                return holds("met", exercised=of, fields=fields, met=met, of=of)
            missing = ", ".join(name for name, yes in seen if not yes)
            return breaks("not_met", exercised=of, fields=fields, met=met, of=of, missing=missing)

        return check


def _compile(sign: Predicate, resources: Resources) -> tuple[str, str, Callable[[Evidence], bool]]:
    """Return the source that a sign reads, its name in reasons, and its test."""
    if sign.tool_called is not None:
        tool = sign.tool_called
        return "trace", f"tool_called {tool}", lambda evidence: bool(evidence.trace.calls(tool))
    if sign.phrase is not None:
        pattern = resources.pattern(sign.phrase)
        role = None if sign.role is None else fold_role(sign.role)
        whose = f"phrase of the {role}" if role else "phrase"
        return "transcript", whose, lambda evidence: evidence.transcript.lane(role).first(pattern) is not None
    path = sign.field_present or ""
    return (
        "timing",
        f"field_present {path}",
        lambda evidence: any(value is not None for value in in_timing(evidence.timing, path)),
    )
