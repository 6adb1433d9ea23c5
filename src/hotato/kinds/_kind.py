"""The contract of a kind.

A kind is one frozen struct in a file of its own name. Its fields are the fields a document may give it and its docstring
is its reference page: the first line says what it checks, the rest is Markdown. Beside the fields it declares

    family    where it stands in listings: one of FAMILIES
    reads     the evidence it needs; where that was not supplied the engine answers INCONCLUSIVE, the kind is not asked
    says      code -> sentence: all it can ever report, PASS included; `{names}` are filled with share-safe facts
    shows     the fields it may add to a result, beyond those that every result has
    veils     true where what it finds may be shown nowhere in the envelope
    regexes   which of its fields hold regexes, values   which hold expected values: both are checked before anything runs

and two methods: `faults`, for what types cannot say about one assertion, and `compile`, which returns the check, a pure
function from the evidence of a call to a verdict. The engine does the rest: ids, order, `when`, statuses, reasons.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, ClassVar, Literal, Protocol

import msgspec

from hotato.match.evidence import Evidence
from hotato.match.matchers import value_faults
from hotato.match.regex import Pattern, regex_fault
from hotato.model.fault import Fault
from hotato.model.pack import Pack
from hotato.model.verdict import Verdict

FAMILIES = ("core", "trace", "state", "measure", "composite", "rubric", "say_do")

Source = Literal["transcript", "trace", "timing", "state"]
Check = Callable[[Evidence], Verdict]
Regex = Annotated[str, msgspec.Meta(min_length=1, extra_json_schema={"format": "regex"})]
Text = Annotated[str, msgspec.Meta(min_length=1)]
Subset = Annotated[dict[str, Any], msgspec.Meta(min_length=1)]


class Resources(Protocol):
    """What a kind may ask for while it is compiled."""

    @property
    def verify_bundle(self) -> Callable[[str], tuple[int, int, int]] | None:
        """Re-score the contracts at a path: how many, how many are kept, how many cannot be verified. None without one.

        It raises EvidenceError with the code `extra_missing` where what scores is not installed.
        """

    def pattern(self, source: str, *, case_sensitive: bool = False, speech: bool = True) -> Pattern:
        """Return the compiled pattern, the same object for the same pattern."""

    def pack(self, name: str | None, path: str | None) -> Pack:
        """Return a policy rule pack by name or from a file. Raise DocumentError."""


class Kind(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """The fields that every assertion may have."""

    id: str
    dimension: Literal["outcome", "policy", "conversation", "speech", "reliability"] | None = None
    when: Text | Annotated[tuple[Text, ...], msgspec.Meta(min_length=1)] | None = None
    severity: str | None = None
    tags: tuple[str, ...] = ()
    description: str | None = None

    family: ClassVar[str]
    reads: ClassVar[tuple[Source, ...]] = ()
    says: ClassVar[dict[str, str]]
    shows: ClassVar[tuple[str, ...]] = ()
    veils: ClassVar[bool] = False
    regexes: ClassVar[tuple[str, ...]] = ()
    values: ClassVar[tuple[str, ...]] = ()

    def needs(self) -> tuple[Source, ...]:
        """Return the evidence that this assertion needs; `reads` unless its fields choose."""
        return self.reads

    def rests_on(self) -> tuple[str, ...]:
        """Return what the source of a trace must record for this assertion to be judged.

        Span types (`tool_call`, `handoff` ...), `arguments`, `result` and `response`. Where the source is known not to
        record one of them, the engine answers INCONCLUSIVE; the kind is not asked.
        """
        return ()

    def refs(self) -> Sequence[str]:
        """Return the ids of the assertions whose results this one reads, `when` aside."""
        return ()

    def given(self, field: str) -> Any:
        """Return the value of a field by the name that documents use."""
        return getattr(self, self.__struct_fields__[self.__struct_encode_fields__.index(field)])

    def faults(self, resources: Resources) -> Iterator[Fault]:  # noqa: ARG002  # for those that extend it
        """Yield all that is wrong with the fields beyond their types. Extend it; call `super().faults` first."""
        for name in self.regexes:
            source = self.given(name)
            said = regex_fault(source) if source is not None else ""
            if said:
                yield Fault((name,), "regex", said)
        for name in self.values:
            yield from value_faults(getattr(self, name), (name,))

    def compile(self, resources: Resources) -> Check:
        """Return the check. Everything that can be prepared is prepared here, once for all calls."""
        raise NotImplementedError


def exactly_one(kind: Kind, *names: str) -> Iterator[Fault]:
    """Yield a fault unless exactly one of the fields is given."""
    given = [name for name in names if getattr(kind, name) is not None]
    listed = ", ".join(names[:-1]) + f" or {names[-1]}"
    if not given:
        yield Fault((), "missing_field", f"needs exactly one of {listed}; none is given")
    elif len(given) > 1:
        yield Fault((given[1],), "exclusive_fields", f"needs exactly one of {listed}; found {' and '.join(given)}")


def only_with(kind: Kind, name: str, *others: str) -> Iterator[Fault]:
    """Yield a fault where a field is given without any of the fields that it belongs to."""
    if getattr(kind, name) is not None and all(getattr(kind, other) is None for other in others):
        yield Fault((name,), "needless_field", f"'{name}' means nothing without {' or '.join(others)}")
