"""Judge conformance cases: data that says what a kind must answer on a call. For those who write kinds.

    from hotato.testing import check_kind, load_suite

    def test_my_kind() -> None:
        check_kind(MyKind, load_suite("conformance/kinds/my_kind.yaml"))

A case gives a call, one assertion and what is expected of its result; conformance/README.md describes the shape and
conformance/schema.json checks it. Beyond what a case expects, every case checks that the result is an `assert.v1`
result, that a second run gives the same bytes, and that the reason repeats nothing of what the call holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from hotato import assert_
from hotato import kinds as registry
from hotato.document.load import load
from hotato.document.reading import read
from hotato.errors import EvidenceError, Problem, StateAdapterError
from hotato.kinds._kind import Kind
from hotato.model import codec
from hotato.plan.compile import compile_plan
from hotato.plan.resources import Resources
from hotato.state_adapter import MockStateAdapter

__all__ = [
    "Case",
    "CaseCall",
    "CaseError",
    "Expect",
    "build_call",
    "check_kind",
    "coverage",
    "differences",
    "load_suite",
    "read_suite",
    "run_case",
]

UNDER_TEST = "a"
FEWEST_CASES = 12
_WORD = re.compile(r"\w{4,}")
_LABELS = frozenset(("type", "name", "span_type", "status", "method"))


class CaseError(AssertionError):
    """A case did not come out as it says; the message lists everything that differs."""


Counts = Annotated[tuple[int, ...], msgspec.Meta(min_length=2, max_length=3)]


class CaseCall(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the call left behind. A key that is absent was not supplied.

    `state_error` makes every read of the system of record fail with this cause. `bundles` says what re-scoring a contract
    bundle gives: path to `[total, passed]`, or `extra_missing` where nothing can score it. `captures` says what the trace's source is known to record, or not to.
    """

    transcript: list[dict[str, Any]] | None = None
    spans: list[dict[str, Any]] | None = None
    timing: dict[str, Any] | None = None
    state: dict[str, Any] | None = None
    state_error: str | None = None
    bundles: dict[str, Counts | Literal["extra_missing"]] | None = None
    captures: dict[str, bool] | None = None


class Expect(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What must stand on the result. `fields` is a recursive subset of it; the others are equal where given."""

    status: Literal["PASS", "FAIL", "INCONCLUSIVE"]
    code: str | None = None
    reason: str | None = None
    exercised: int | None = None
    vacuous: bool | None = None
    skipped: bool | None = None
    fields: dict[str, Any] = {}


class Case(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One case. `also` stands before the assertion under test in the document; `document` is its top level.

    `files` are the texts of the files that the document names, by their paths.
    """

    name: str
    assertion: dict[str, Any]
    expect: Expect
    call: CaseCall = CaseCall()
    also: list[dict[str, Any]] = []
    document: dict[str, Any] = {}
    files: dict[str, str] = {}
    kind: str = ""
    file: str = ""


class _Broken:
    """A system of record that cannot be read."""

    def __init__(self, message: str) -> None:
        self._message = message

    def query(self, resource: str, **filters: Any) -> dict[str, Any] | None:  # noqa: ARG002  # the protocol's shape
        """Raise StateAdapterError."""
        raise StateAdapterError(self._message)


def read_suite(file: str | Path) -> dict[str, Any]:
    """Return the data of one file of cases. Raise ValueError (a DocumentError) where it cannot be read."""
    data = read(Path(file).read_text(encoding="utf-8"), str(file)).value
    if not isinstance(data, dict):
        raise ValueError(f"{file}: a file of cases is a mapping")
    return data


def load_suite(place: str | Path) -> list[Case]:
    """Return the cases of one file, or of every `*.yaml` file of a folder in the order of names. Raise ValueError."""
    path = Path(place)
    found: list[Case] = []
    for file in sorted(path.glob("*.yaml")) if path.is_dir() else [path]:
        data = read_suite(file)
        for case in data["cases"]:
            try:
                found.append(msgspec.convert({**case, "kind": data["kind"], "file": file.name}, Case))
            except msgspec.ValidationError as error:
                raise ValueError(f"{file}: {case.get('name', 'a case without a name')}: {error}") from None
    return found


def build_call(data: CaseCall) -> Any:
    """Return the context that a case describes, new on every call."""
    adapter: Any = None if data.state is None else MockStateAdapter(data.state)
    if data.state_error is not None:
        adapter = _Broken(data.state_error)
    return assert_.build_context(
        transcript=data.transcript,
        spans=data.spans,
        timing=data.timing,
        state_adapter=adapter,
        sources={"trace": {"captures": data.captures}} if data.captures is not None else None,
    )


def run_case(case: Case | Mapping[str, Any], kind: str | type[Kind] | None = None) -> dict[str, Any]:
    """Judge one case and return the result of its assertion. Raise CaseError where it is not as expected.

    `kind` is the kind under test: a type that need not be installed, or a name; default the case's own.
    """
    case = case if isinstance(case, Case) else msgspec.convert(dict(case), Case)
    if isinstance(kind, type):
        with _lent(kind):
            return _judge(case, registry.tag(kind))
    return _judge(case, kind or case.kind)


def check_kind(kind: type[Kind], cases: Iterable[Case | Mapping[str, Any]]) -> None:
    """Judge all cases of one kind, and whether they cover it. Raise CaseError with everything that is wrong."""
    converted = [case if isinstance(case, Case) else msgspec.convert(dict(case), Case) for case in cases]
    wrong = coverage(kind, converted)
    for case in converted:
        try:
            run_case(case, kind)
        except CaseError as failure:
            wrong.append(str(failure))
    if wrong:
        raise CaseError("\n".join(wrong))


def coverage(kind: type[Kind], cases: Sequence[Case]) -> list[str]:
    """Return what the cases of a kind leave out: codes, statuses, or sheer number."""
    name = registry.tag(kind)
    wrong = []
    if len(cases) < FEWEST_CASES:
        wrong.append(f"{name}: {len(cases)} cases; a kind has at least {FEWEST_CASES}")
    seen = {case.expect.code for case in cases}
    wrong += [f"{name}: no case with the code '{code}'" for code in kind.says if code not in seen]
    statuses = {case.expect.status for case in cases}
    possible = ["INCONCLUSIVE"] if kind.family == "rubric" else ["PASS", "FAIL"]
    if kind.reads or kind.needs is not Kind.needs:
        possible.append("INCONCLUSIVE")
    wrong += [f"{name}: no case that is {status}" for status in possible if status not in statuses]
    names = [case.name for case in cases]
    wrong += [f"{name}: two cases are named '{n}'" for n in sorted({n for n in names if names.count(n) > 1})]
    return wrong


def differences(expected: Any, found: Any, path: str = "") -> Iterator[str]:
    """Yield where a value is not the expected one: mappings are subsets, lists and everything else are equal."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key, value in expected.items():
            inner = f"{path}.{key}" if path else key
            if key in found:
                yield from differences(value, found[key], inner)
            else:
                yield f"{inner}: expected {codec.encode(value)}, found nothing"
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for place, (value, other) in enumerate(zip(expected, found, strict=True)):
            yield from differences(value, other, f"{path}[{place}]")
    elif isinstance(expected, bool) is not isinstance(found, bool) or expected != found:
        yield f"{path}: expected {codec.encode(expected)}, found {codec.encode(found)}"


@contextmanager
def _lent(kind: type[Kind]) -> Iterator[None]:
    """Make a kind known while its cases run."""
    name = registry.tag(kind)
    before = registry._loaded.get(name)
    registry._loaded[name] = kind
    try:
        yield
    finally:
        if before is None:
            del registry._loaded[name]
        else:
            registry._loaded[name] = before


def _judge(case: Case, kind: str) -> dict[str, Any]:
    document = {
        "version": 1,
        **case.document,
        "assertions": [*case.also, {"id": UNDER_TEST, "kind": kind, **case.assertion}],
    }
    envelope = _run(case, document)
    again = _run(case, document)
    result: dict[str, Any] = next(r for r in envelope["results"] if r["id"] == UNDER_TEST)
    wrong = list(_unexpected(case.expect, result))
    if codec.encode(envelope) != codec.encode(again):
        wrong.append("a second run gives other bytes")
    wrong += _invalid(codec.encode(envelope))
    leaked = _repeated(case.call, document, registry.get(kind), result)
    if leaked:
        wrong.append(f"the reason repeats words of the call: {', '.join(leaked)}")
    if wrong:
        where = f"{case.file or kind}: {case.name}"
        raise CaseError("\n  ".join([where, *wrong, f"result: {codec.encode(result)}"]))
    return result


def _run(case: Case, document: dict[str, Any]) -> dict[str, Any]:
    call, bundles = build_call(case.call), case.call.bundles
    if bundles is None and not case.files:
        return assert_.run_assertions(document, call)
    verify = None if bundles is None else lambda path: _counts(bundles.get(path, (0, 0)))
    resources = Resources(case.files.__getitem__, verify)
    return assert_.judge_call(compile_plan(load(document, resources), resources), call)


def _counts(given: Sequence[int] | str) -> tuple[int, int, int]:
    """Return what a verifier says of a bundle: how many contracts, how many kept, how many that cannot be verified."""
    if isinstance(given, str):
        raise EvidenceError(Problem(code=given, message="what scores a recording is not installed"))
    total, passed, *unverified = given
    return total, passed, unverified[0] if unverified else 0


def _unexpected(expect: Expect, result: Mapping[str, Any]) -> Iterator[str]:
    yield from differences(expect.status, result["status"], "status")
    for name in ("code", "reason", "exercised"):
        wanted = getattr(expect, name)
        if wanted is not None:
            yield from differences(wanted, result.get(name), name)
    for name in ("vacuous", "skipped"):
        wanted = getattr(expect, name)
        if wanted is not None:
            yield from differences(wanted, result.get(name, False), name)
    yield from differences(expect.fields, dict(result))


@cache
def _validator() -> Any:
    """Return a validator of envelopes, None where jsonschema is not installed."""
    try:
        from jsonschema import Draft202012Validator
    except ImportError:
        return None
    text = Path(__file__).with_name("schema").joinpath("assert.v1.json").read_text(encoding="utf-8")
    return Draft202012Validator(codec.decode(text))


def _invalid(envelope: str) -> list[str]:
    validator = _validator()
    if validator is None:
        return []
    errors = sorted(validator.iter_errors(codec.decode(envelope)), key=lambda error: error.json_path)
    return [f"not a valid envelope: {error.json_path}: {error.message}" for error in errors]


def _repeated(call: CaseCall, document: Any, kind: type[Kind], result: Mapping[str, Any]) -> list[str]:
    """Return the words of a reason that only the call can have given it: no label, none of the document's words."""
    private = set(_words(turn.get("text") for turn in call.transcript or ()))
    private |= set(_words(_values(call.spans or []))) | set(_words(_values(call.state or {})))
    public = set(_words(_values(document, labels=True))) | set(
        _words(kind.says.get(str(result.get("code")), "").split())
    )
    labels = [turn.get("role") for turn in call.transcript or ()]
    labels += [span.get(label) for span in call.spans or () for label in _LABELS]
    public |= set(_words(labels))
    return sorted(word for word in set(_words([result.get("reason")])) if word in private and word not in public)


def _words(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        if value is not None:
            yield from (word.casefold() for word in _WORD.findall(str(value)))


def _values(value: Any, *, labels: bool = False) -> Iterator[Any]:
    """Yield every leaf of plain data, and with `labels` the keys as well."""
    if isinstance(value, dict):
        if labels:
            yield from value
        for inner in value.values():
            yield from _values(inner, labels=labels)
    elif isinstance(value, list):
        for inner in value:
            yield from _values(inner, labels=labels)
    else:
        yield value
