"""The `claim` kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

import msgspec

from hotato.kinds._kind import Check, Kind, Regex, Resources, Source, Text
from hotato.match.claims import Need, Terms, capture_faults, need_faults, of_record, of_trace, verdict
from hotato.match.events import Event, finder
from hotato.match.evidence import Evidence
from hotato.match.gaps import Seconds
from hotato.match.text import fold_role
from hotato.model.fault import Fault
from hotato.model.verdict import Verdict

Fields = Annotated[dict[Text, Text], msgspec.Meta(min_length=1)]


class Claim(Kind, frozen=True, kw_only=True, tag="claim"):
    """What was said is backed by what was done.

    - `says`: a regex; each turn in which a match starts is a claim. `role`: whose; default `agent`.
    - `case_sensitive`: default false.
    - `requires`: what has to have been done: `{tool: NAME}` with `args_subset`, `result_subset` and `outcome` (`success`
      unless you say `failure`), `{http: REGEX}` with `method`, `status`, `outcome`, `{handoff: TARGET}`,
      `{span_type: TYPE}`, or `{state: {resource, filters, expect}}`, which asks the system of record after the call.
    - `by`: `before` (default): the last such call, request or handoff that was over before the claim decides, so that a
      failure after a success makes the claim false; `after`: one that begins with the claim or after it; `ever`: any.
    - `within_sec`: with `before`, how old it may be at most; with `after`, how long it may take to begin. Seconds.
    - `each`: true judges every claim; false only the first.
    - `capture`: named groups of the regex, each with a field of the evidence (`arguments.amount`, `result.id`) that must
      say the same, be it in figures or in words.
    - `language`: the language in which the captured words are read, and that in one way only: what may be read in two ways
      ("cuatro cuarenta y dos", `2,500`), or in none, is INCONCLUSIVE. Without it English is read, and either way will do.
    - `unclaimed`: `forbid` also fails what was done and never told: each call that could back a claim needs one after it.

    Where nothing is claimed there is nothing to back: PASS with `vacuous: true`. What was said while a call ran, and an
    order that the sources do not tell, are INCONCLUSIVE.

    ```yaml
    - id: refund-claims-are-true
      kind: claim
      says: 'refunded (?P<amount>.+? dollars)'
      requires: {tool: issue_refund, result_subset: {status: ok}}
      capture: {amount: arguments.amount}
    ```
    """

    regex: Regex = msgspec.field(name="says")
    requires: Need
    role: Text = "agent"
    case_sensitive: bool = False
    by: Literal["before", "after", "ever"] | None = None
    within_sec: Seconds | None = None
    each: bool = True
    capture: Fields | None = None
    language: Text | None = None
    unclaimed: Literal["allow", "forbid"] = "allow"

    family = "say_do"
    says = {
        "backed": "{count} claims of the {role}, each backed by {what}",
        "no_claim": "nothing was claimed: no turn of the {role} matches",
        "no_evidence": "turn {turn} claims what no record shows: {what} is missing (false: {wrong} of {count} claims)",
        "only_later": "turn {turn} claims what was done only later (false: {wrong} of {count} claims)",
        "too_late": "turn {turn} claims what was done outside {limit} s (false: {wrong} of {count} claims)",
        "failed": "turn {turn} claims what failed (false: {wrong} of {count} claims)",
        "succeeded": "turn {turn} claims a failure of what succeeded (false: {wrong} of {count} claims)",
        "result_differs": "turn {turn} claims what {what} did not answer (false: {wrong} of {count} claims)",
        "status_differs": "turn {turn} claims what was answered with another status (false: {wrong} of {count} claims)",
        "said_differs": "turn {turn} claims something else than {what} records (false: {wrong} of {count} claims)",
        "record_differs": "turn {turn} claims what the {what} record does not say (false: {wrong} of {count} claims)",
        "unclaimed": "{what} was never told by the {role} (untold: {wrong} of {count})",
        "order_unknown": "whether turn {turn} came before or after {what} cannot be told",
        "no_clock": "turn {turn} claims what was done, but the source does not record when",
        "cut_short": "the record ends before {limit} s have passed since turn {turn}",
        "said_unclear": "whether turn {turn} says what {what} records cannot be told: the words or the record may mean several values, or none",
        "unreadable": "the {what} record could not be read: {cause}",
    }
    shows = ("claims", "turns", "span_ids")
    regexes = ("says",)

    def needs(self) -> tuple[Source, ...]:
        """Return the evidence that this claim needs."""
        return ("transcript", "state" if self.requires.state is not None else "trace")

    def rests_on(self) -> tuple[str, ...]:
        """Return what the trace's source must record."""
        return () if self.requires.state is not None else self.requires.rests_on()

    def faults(self, resources: Resources) -> Iterator[Fault]:
        """Yield all that is wrong beyond types."""
        yield from super().faults(resources)
        yield from need_faults(self.requires, "requires")
        yield from capture_faults(self.capture, self.regex)
        if self.language is not None:
            from hotato.match.heard import language_faults  # the readers of speech load when they are wanted

            yield from language_faults(self.language, self.capture is not None, "capture")
        if self.within_sec is not None and self.by not in ("before", "after", None):
            yield Fault(("within_sec",), "needless_field", "'within_sec' means nothing with by: ever")
        if self.requires.state is None:
            return
        for name in ("by", "within_sec", "capture"):
            if getattr(self, name) is not None:
                yield Fault(
                    (name,), "needless_field", f"'{name}' means nothing beside state, which is read after the call"
                )
        if self.unclaimed == "forbid":
            yield Fault(("unclaimed",), "needless_field", "'unclaimed' means nothing beside state")

    def compile(self, resources: Resources) -> Check:
        """Return the check."""
        pattern = resources.pattern(self.regex, case_sensitive=self.case_sensitive)
        claims = finder(
            Event(says=self.regex, role=self.role, case_sensitive=self.case_sensitive), resources.pattern, self.needs()
        )
        need, record = self.requires, self.requires.state
        if record is not None:
            judge = of_record(record)
        else:
            told = self.unclaimed == "forbid"
            terms = Terms(need, self.by or "before", self.within_sec, self.capture, told, self.language)
            judge = of_trace(terms, pattern, resources.pattern)
        facts = {"role": fold_role(self.role), "limit": self.within_sec, "what": need.words()}
        if record is not None:
            facts["what"] = record.resource

        def check(evidence: Evidence) -> Verdict:
            made = claims(evidence)
            return verdict(judge(evidence, made if self.each else made[:1]), facts)

        return check
