"""The quick reader of telemetry is as strict as the careful one, and says the same."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from _laws import law
from hotato import importers
from hotato.errors import EvidenceError
from hotato.importers import _otlp_typed as typed
from hotato.importers import otlp
from hotato.importers._importer import Options

DEEP: Any = {"stringValue": "end"}
for _ in range(40):
    DEEP = {"arrayValue": {"values": [DEEP]}}


def pair(key: str, **value: Any) -> dict[str, Any]:
    return {"key": key, "value": value}


def export(value: Any = None) -> dict[str, Any]:
    span = {
        "traceId": "5b8efff798038103d269b633813fc60c", "spanId": "eee19b7ec3c1b174", "parentSpanId": "", "flags": 257,
        "name": "execute_tool refund", "kind": 1, "startTimeUnixNano": "1772359200000000001",
        "endTimeUnixNano": "1772359200000000009", "traceState": "", "status": {"code": 2, "message": "no: such order"},
        "attributes": [
            pair("gen_ai.tool.call.arguments", stringValue='{"order": "A:1"}'), pair("n", intValue="7"),
            pair("x", doubleValue=0.5), pair("b", boolValue=True), {"key": "deep", "value": value or {}},
        ],
        "events": [{"timeUnixNano": "1772359200000000003", "name": "exception", "attributes": [pair("exception.type", stringValue="E")]}],
        "links": [{"traceId": "5b8efff798038103d269b633813fc60c", "spanId": "eee19b7ec3c1b175", "attributes": [pair("a", stringValue="b")]}],
    }  # fmt: skip
    scoped = {"scope": {"name": "agents", "version": "1"}, "spans": [span], "schemaUrl": "https://schema.example/1"}
    resource = {"attributes": [pair("service.name", stringValue="front-desk")], "droppedAttributesCount": 0}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [scoped]}]}


def objects(value: Any) -> list[dict[str, Any]]:
    below = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    found = [value] if isinstance(value, dict) and value else []
    return found + [one for item in below for one in objects(item)]


def text_with_twice(holder: dict[str, Any], key: str, value: Any) -> str:
    """Return the export as JSON in which one object has one of its keys twice."""
    mark = "@twice@"
    held = holder.pop(key)
    holder[key], holder[mark] = held, held
    text = json.dumps(value).replace(json.dumps(mark), json.dumps(key))
    del holder[mark]
    return text


def test_an_export_as_the_protocol_writes_it_is_read_quickly_and_says_the_same() -> None:
    raw = json.dumps(export()).encode()
    quick = otlp.quick(raw, Options())
    careful = importers.read_raw("t", json.dumps({"trace": export()}).encode())
    assert quick is not None
    assert (quick.spans, quick.notes, quick.captures) == (careful.spans, careful.notes, careful.captures)
    assert quick.spans


@law(80)
@given(st.data())
def test_a_key_that_stands_twice_anywhere_is_refused(data: st.DataObject) -> None:
    value = export()
    holder = data.draw(st.sampled_from(objects(value)))
    text = text_with_twice(holder, data.draw(st.sampled_from(sorted(holder))), value)
    assert typed.decoded(text.encode()) is None
    with pytest.raises(EvidenceError, match="twice"):
        importers.read_raw("t", text.encode())


@law(60)
@given(st.data())
def test_a_field_that_is_not_known_changes_nothing(data: st.DataObject) -> None:
    value = export()
    plain = importers.read_raw("t", json.dumps(value).encode())
    spans = [one for one in objects(value) if "spanId" in one or "timeUnixNano" in one or "spans" in one]
    data.draw(st.sampled_from(spans))["ofALaterVersion"] = {"a": [1]}
    raw = json.dumps(value).encode()
    assert typed.decoded(raw) is None
    found = importers.read_raw("t", raw)
    assert (found.spans, found.notes) == (plain.spans, plain.notes)


def test_a_value_nested_too_deep_is_refused() -> None:
    raw = json.dumps(export(DEEP)).encode()
    assert otlp.quick(raw, Options()) is None
    with pytest.raises(EvidenceError, match="nested more than 64 deep"):
        importers.read_raw("t", raw)


@pytest.mark.parametrize("damage", [b"\xff", b"", b"}}", b"NaN", b'"\\ud800"'])
def test_what_is_no_strict_json_is_left_to_the_careful_reader(damage: bytes) -> None:
    raw = json.dumps(export()).encode()
    assert typed.decoded(raw) is not None
    assert typed.decoded(raw[:-1] + damage) is None
    assert typed.decoded(raw.replace(b"257", damage)) is None
