"""The `entity_accuracy` kind."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Literal

import msgspec

from hotato.kinds._kind import Check, Kind, Resources, Text
from hotato.match.evidence import Evidence
from hotato.match.paths import MISSING, at
from hotato.match.text import nfc
from hotato.model.fault import Fault
from hotato.model.verdict import Verdict, breaks, holds


class EntityAccuracy(Kind, frozen=True, kw_only=True, tag="entity_accuracy"):
    """What the agent understood is what was meant, told by the arguments it passed to tools.

    - `reference`: name to value. A name is an argument, or a dotted path into one.
    - `require`: `all` (default) or `any` of the entities must be right.
    - `case_sensitive`: default false.
    - `spoken`: true takes values for equal that say the same letters and digits: "four forty two" and 442, "b as in boy
      seven" and `B-7`. Case, blanks and marks do not count then.
    - `language`: the language of what was said; default `english`.

    The last value passed wins, so that "no, make it six" counts. Values are compared as text: 6, 6.0 and `"6"` are equal.
    Only the trace is read, never the transcript. Reasons name the entities, never their values.

    ```yaml
    - id: booking-understood
      kind: entity_accuracy
      reference: {party_size: "6", day: friday}
    ```
    """

    reference: Annotated[dict[str, str | int | float | bool], msgspec.Meta(min_length=1)]
    require: Literal["all", "any"] = "all"
    case_sensitive: bool = False
    spoken: bool = False
    language: Text | None = None

    family = "trace"
    reads = ("trace",)
    says = {
        "accurate": "{met} of {of} entities are right",
        "inaccurate": "{met} of {of} entities are right; wrong: {wrong}; never passed: {missing}",
        "no_call": "no tool was called, so no entity was passed on",
    }
    shows = ("met", "of")

    def faults(self, resources: Resources) -> Iterator[Fault]:
        """Yield what is wrong beyond the types."""
        yield from super().faults(resources)
        if self.language is not None:
            from hotato.match.heard import language_faults  # the readers of speech load when they are wanted

            yield from language_faults(self.language, self.spoken)
        if self.spoken and self.case_sensitive:
            said = "'case_sensitive' and 'spoken' cannot be given together: what is said has no capitals"
            yield Fault(("case_sensitive",), "exclusive_fields", said)

    def rests_on(self) -> tuple[str, ...]:
        """Return what the trace's source must record."""
        return ("tool_call", "arguments")

    def compile(self, resources: Resources) -> Check:  # noqa: ARG002
        """Return the check."""
        wanted = {name: self._spell(value) for name, value in self.reference.items()}
        names = [(name, "." in name) for name in wanted]
        of, same = len(wanted), self._same()

        def check(evidence: Evidence) -> Verdict:
            trace = evidence.trace
            calls = trace.of_type("tool_call")
            passed = {}
            for call in calls:
                arguments = trace.arguments(call)
                if type(arguments) is dict:
                    for name, dotted in names:
                        value = at(arguments, name) if dotted else arguments.get(name, MISSING)
                        if value is not MISSING:
                            passed[name] = value
            right = [n for n, value in wanted.items() if n in passed and same(self._spell(passed[n]), value)]
            fields = {"met": len(right), "of": of}
            if not calls:
                return breaks("no_call", exercised=len(trace), fields=fields)
            if len(right) == of or (right and self.require == "any"):
                return holds("accurate", exercised=len(calls), fields=fields, **fields)
            wrong = ", ".join(name for name in wanted if name in passed and name not in right) or "none"
            missing = ", ".join(name for name in wanted if name not in passed) or "none"
            return breaks("inaccurate", exercised=len(calls), fields=fields, wrong=wrong, missing=missing, **fields)

        return check

    def _same(self) -> Callable[[str, str], bool]:
        if not self.spoken:
            return operator.eq
        from hotato.match.heard import same_heard

        heard = same_heard(self.language)
        return lambda a, b: a == b or heard(a, b)

    def _spell(self, value: Any) -> str:
        if type(value) is bool:
            return "true" if value else "false"
        if type(value) is float and value.is_integer():
            value = int(value)
        spelt = nfc("null" if value is None else str(value)).strip()
        return spelt if self.case_sensitive else spelt.casefold()
