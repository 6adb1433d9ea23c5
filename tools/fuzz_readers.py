"""The readers beside the importers, as `fuzz.py` feeds them: from bytes to what is judged by, or UsageError.

Each reader begins with the texts of the conformance cases that are meant for it, those that are refused included.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from hotato import packs
from hotato.assert_ import build_context, compile_assertions, judge_call
from hotato.context.files import read_text
from hotato.context.trace import read_trace
from hotato.context.transcript import read_transcript
from hotato.document.packs import load_pack
from hotato.document.problems import printable
from hotato.document.reading import read
from hotato.errors import StateAdapterError, UsageError
from hotato.match.formula import FormulaError, parse
from hotato.model import codec
from hotato.state.load import load_state_adapter
from hotato.testing import read_suite
from mutate import Seed

CASES = Path(__file__).resolve().parent.parent / "conformance"
PARENS = 100
TURNS = [{"role": "agent", "text": "I refunded it.", "start": 0, "end": 1}, {"role": "caller", "text": "Thanks, 4.50?"}]
SPANS = [{"type": "tool_call", "name": "refund", "arguments": {"amount": 4.5}, "result": {"ok": True}, "latency_ms": 9}]
Reader = Callable[[bytes], Any]


def _text(raw: bytes) -> str:
    """Return the text of bytes as a file's is had: the guard at the door is tried as well."""
    with tempfile.NamedTemporaryFile(delete=False) as file:
        file.write(raw)
    try:
        return read_text(file.name)
    finally:
        os.unlink(file.name)


def _assertions(raw: bytes) -> Any:
    plan = compile_assertions(_text(raw), file="f")
    return codec.encode(judge_call(plan, build_context(transcript=TURNS, spans=SPANS)))


def _rule_pack(raw: bytes) -> Any:
    return load_pack(read(_text(raw), "f"))


def _transcript(raw: bytes) -> Any:
    return read_transcript(_text(raw), "f")


def _trace(raw: bytes) -> Any:
    return read_trace(_text(raw), "f")


def _state(raw: bytes) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "state.yaml")
        with open(file, "wb") as out:
            out.write(raw)
        try:
            return load_state_adapter(file).query("orders", id="o-1")
        except StateAdapterError:
            return None


def _formula(raw: bytes) -> Any:
    text = raw.decode("utf-8", "replace")
    try:
        found = parse(text)
    except FormulaError as error:
        raise UsageError(printable(str(error))) from None  # as a document reports it
    return found.refs, found.holds(frozenset(found.refs)), found.holds(frozenset())


READERS: dict[str, Reader] = {
    "assertions": _assertions,
    "formula": _formula,
    "rule_pack": _rule_pack,
    "state": _state,
    "trace": _trace,
    "transcript": _transcript,
}


def seeds(name: str) -> list[Seed]:
    """Return what a reader begins with."""
    return list(_seeds()[name])


@cache
def _seeds() -> dict[str, list[Seed]]:
    found: dict[str, list[Seed]] = {name: [] for name in READERS}
    for file in ("accepted", "refused"):
        for case in _cases(CASES / "documents" / f"{file}.yaml"):
            if "text" in case:
                found["rule_pack" if case.get("rule_pack") else "assertions"] += _both(case["text"])
            elif "document" in case:
                found["assertions"].append(Seed(b"", [case["document"]], "document"))
        for case in _cases(CASES / "evidence" / f"{file}.yaml"):
            if case.get("reads") in found and "text" in case:
                found[case["reads"]] += _both(case["text"])
    for path in sorted((CASES / "kinds").glob("*.yaml")):
        suite = read_suite(path)
        for case in suite["cases"]:
            _of_kind(suite["kind"], case, found)
    found["assertions"] += [one for name in packs.names("assertions") for one in _both(packs.text("assertions", name))]
    found["rule_pack"] += [one for name in packs.names("policy") for one in _both(packs.text("policy", name))]
    found["formula"] += [Seed(b"(" * PARENS + b"a" + b")" * PARENS), Seed(b"not " * 1000 + b"a")]
    return found


def _cases(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the cases of a suite, whatever it calls its list."""
    for value in read(file.read_text(encoding="utf-8"), file.name).value.values():
        if isinstance(value, list):
            yield from (case for case in value if isinstance(case, dict))


def _of_kind(kind: str, case: dict[str, Any], found: dict[str, list[Seed]]) -> None:
    """Add what a case of a kind holds for each reader."""
    assertion = case.get("assertion") or {}
    listed = [*case.get("also", ()), {"id": "a", "kind": kind, **assertion}]
    found["assertions"].append(Seed(b"", [{"version": 1, "assertions": listed}], "document"))
    if isinstance(assertion.get("expr"), str):
        found["formula"].append(Seed(assertion["expr"].encode()))
    call = case.get("call") or {}
    if call.get("state"):
        found["state"].append(Seed(b"", [call["state"]], "document"))
    if call.get("transcript"):
        found["transcript"].append(Seed(b"", [call["transcript"]], "document"))
    if call.get("spans"):
        found["trace"].append(Seed(b"", call["spans"], "lines"))


def _both(text: str) -> list[Seed]:
    """Return a text as it is, and by its values where it has any."""
    raw = Seed(text.encode("utf-8", "surrogatepass"))
    try:
        return [raw, Seed(b"", [read(text, "f").value], "document")]
    except UsageError:
        return [raw]


def tried(name: str, raw: bytes, *, twice: bool) -> tuple[str, bool]:
    """Return what went wrong with an input, empty for nothing, and whether it was read. Raise what a reader may not."""
    try:
        found = READERS[name](raw)
    except UsageError as error:
        return _unclear(error), False
    if twice and not _same(found, READERS[name](raw)):
        return "a second reading differs", True
    return "", True


def _same(one: Any, other: Any) -> bool:
    return repr(one) == repr(other)


def _unclear(error: UsageError) -> str:
    """Return why a refusal could not be shown as it is: a problem is one printable line of bounded length."""
    for problem in error.problems:
        line = str(problem)
        if not line.isprintable() or len(line) > 2000 or not problem.message:
            return f"a problem that is no plain line: {json.dumps(line[:300])}"
    codec.encode(msgspec.to_builtins(error.problems))
    return ""
