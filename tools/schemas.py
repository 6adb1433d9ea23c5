"""The published JSON Schemas (2020-12) made of types: what a user writes, what the engine answers, what mutation shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

import reference
from hotato.kinds import tag
from hotato.kinds._kind import Kind
from hotato.match.spoken import languages
from hotato.match.values import TYPES
from hotato.model.result import Envelope, Result
from hotato.model.verdict import POLICIES, STATUSES
from hotato.plan.run import SAYS as ENGINE_SAYS
from hotato.probe.mutate import CHANGES, Report
from results import LIMITS, SPAN_ID, TEXTS

DRAFT = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Any]

_CODE = {"type": "string", "pattern": "^[A-Z]{2,3}$"}
_DAY = "^([0-9]{4}|-)-[0-9]{2}-[0-9]{2}$"


def document_schema(kinds: Sequence[type[Kind]]) -> Schema:
    """Return the schema of an assertions document, by which editors complete and check it."""
    defs = _components(kinds)
    pages = {tag(kind): reference.read(kind) for kind in kinds}
    assertion: Schema = {
        "type": "object",
        "required": ["id", "kind"],
        "properties": {
            "id": {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,128}$", "description": reference.SHARED["id"]},
            "kind": {
                "enum": list(pages),
                "description": reference.SHARED["kind"],
                "markdownEnumDescriptions": [page.summary for page in pages.values()],
            },
        },
        "allOf": [_branch(name, {"$ref": f"#/$defs/{name}"}) for name in pages],
    }
    return {
        "$schema": DRAFT,
        "$id": "urn:hotato:assert-document.v1",
        "title": "hotato assertions document, version 1",
        "type": "object",
        "required": ["version", "assertions"],
        "properties": {
            "version": {"const": 1, "type": "integer", "description": "The version of this format."},
            "assertions": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/assertion"}},
            "inconclusive_policy": {
                "enum": list(POLICIES),
                "default": "report",
                "description": "What an INCONCLUSIVE result does to the exit code: `report` nothing, `fail` as a FAIL (1), "
                "`refuse` no verdict at all (2).",
            },
            "strict": {
                "type": "boolean",
                "description": "Whether a PASS that holds of nothing (`vacuous: true`) is a FAIL.",
            },
            "join_segments": {
                "type": "boolean",
                "default": True,
                "description": "Whether consecutive turns of one role are read as one utterance.",
            },
        },
        "patternProperties": {"^x-": {"description": "Yours; hotato reads nothing into it."}},
        "additionalProperties": False,
        "$defs": {"assertion": assertion, **defs, "value": _value(), "matcher": _matcher()},
    }


def _branch(kind: str, then: Schema) -> Schema:
    return {"if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]}, "then": then}


def _components(kinds: Sequence[type[Kind]]) -> dict[str, Schema]:
    """Return the schema of each kind under its name, and of the structs inside them under theirs."""
    _, found = msgspec.json.schema_components(kinds)
    out: dict[str, Schema] = {}
    for kind in kinds:
        schema = found.pop(kind.__name__)
        page = reference.read(kind)
        texts = {**reference.SHARED, **page.fields}
        schema["title"], schema["description"] = page.kind, page.summary
        schema["properties"]["kind"] = {"const": page.kind}
        for name, prop in schema["properties"].items():
            if name in kind.values:
                _allow_matchers(prop)
            if prop.get("default", 0) is None:
                del prop["default"]
            if name in texts:
                prop["description"] = texts[name]
        schema["patternProperties"] = {"^x-": {}}
        out[page.kind] = schema
    return {**out, **found}


def _allow_matchers(prop: Schema) -> None:
    for part in [prop, *prop.get("anyOf", ())]:
        if part.get("type") == "object":
            part["$ref"] = "#/$defs/value"


def _value() -> Schema:
    """Return the schema of an expected value: a literal, a structure of them, or a `$` matcher."""
    dollar = {"pattern": r"^\$"}
    inner = {"$ref": "#/$defs/value"}
    return {
        "description": "A value, or a matcher such as {$gte: 10}; inside a mapping or a list as well.",
        "if": {"type": "object", "minProperties": 1, "propertyNames": dollar},
        "then": {"$ref": "#/$defs/matcher"},
        "else": {"propertyNames": {"not": dollar}, "additionalProperties": inner, "items": inner},
    }


def _said(value: Schema, options: dict[str, Schema], description: str) -> Schema:
    """Return the schema of a matcher of what was said: a value, or a mapping of it and options."""
    properties = {"value": value, **options, "language": {"enum": list(languages())}}
    mapping = {"type": "object", "required": ["value"], "properties": properties, "additionalProperties": False}
    return {"anyOf": [value, mapping], "description": description}


def _matcher() -> Schema:
    value: Schema = {"$ref": "#/$defs/value"}
    values: Schema = {"type": "array", "minItems": 1, "items": value}
    limit: Schema = {"type": ["number", "string"]}
    number: Schema = {"type": "number"}
    kinds_of_value: Schema = {"enum": list(TYPES)}
    spread: Schema = {"type": "number", "minimum": 0}
    operators: dict[str, Schema] = {
        "$eq": {**value, "description": "is this"},
        "$ne": {**value, "description": "is there and is not this"},
        **{f"${name}": limit for name in ("gt", "gte", "lt", "lte")},
        "$in": {**values, "description": "is one of these"},
        "$nin": {**values, "description": "is there and is none of these"},
        "$regex": {"type": "string", "minLength": 1, "format": "regex", "description": "text in which this is found"},
        "$exists": {"type": "boolean", "description": "is there (true) or not (false)"},
        "$type": {"anyOf": [kinds_of_value, {"type": "array", "minItems": 1, "items": kinds_of_value}]},
        "$any_of": {**values, "description": "meets at least one of these"},
        "$all_of": {**values, "description": "meets all of these"},
        "$not": {**value, "description": "is there and does not meet this"},
        "$contains": {**value, "description": "a list with such an item, or text with this in it"},
        "$len": {
            "anyOf": [{"type": "integer", "minimum": 0}, {"$ref": "#/$defs/matcher"}],
            "description": "how many items, keys or characters",
        },
        "$approx": {
            "type": "object",
            "required": ["value"],
            "properties": {"value": number, "abs": spread, "rel": spread},
            "minProperties": 2,
            "maxProperties": 2,
            "additionalProperties": False,
        },
        "$ci": {"type": "string", "description": "this text, in capitals or not"},
        "$spoken": _said({"type": ["string", "number"]}, {}, "says the same letters and digits, written or spoken"),
        "$phone": _said(
            {"type": "string"}, {"region": _CODE}, "the same telephone number, however it is written or said"
        ),
        "$money": _said(
            {"type": ["string", "number"]}, {"currency": _CODE}, "the same amount, and currency where given"
        ),
        "$date": _said({"type": "string", "pattern": _DAY}, {"order": {"enum": ["dmy", "mdy"]}}, "the same day"),
    }
    return {"type": "object", "minProperties": 1, "properties": operators, "additionalProperties": False}


def envelope_schema(kinds: Sequence[type[Kind]]) -> Schema:
    """Return the schema of the envelope: every result of every kind in every status, and no overall score."""
    _, defs = msgspec.json.schema_components([Envelope])
    envelope, result = defs.pop("Envelope"), defs["Result"]
    for name, schema in defs.items():
        if name not in ("Result", "Summary"):
            schema["additionalProperties"] = False
    for counts in ("DeterministicCount", "JudgeCount"):
        for count in defs[counts]["properties"].values():
            if "type" in count:
                count["minimum"] = 0
    for name in ("Closest", "AlignedStep"):
        _restrict_span_id(defs[name]["properties"])
    defs["Summary"]["not"] = {"required": ["overall_score"]}
    _complete_result(result, kinds)
    envelope["properties"]["overall_score"] = False
    return {
        "$schema": DRAFT,
        "$id": "urn:hotato:assert.v1",
        **envelope,
        "title": "hotato assertion results, version 1",
        "$defs": defs,
    }


def mutate_schema() -> Schema:
    """Return the schema of what `hotato assert mutate` answers."""
    _, defs = msgspec.json.schema_components([Report])
    report = defs.pop("Report")
    head: dict[str, Schema] = {
        "ok": {"type": "boolean", "description": "Whether the score reaches min_score, where one is asked for."},
        "schema": {"const": "hotato.mutate.v1"},
        "min_score": {"anyOf": [{"type": "number", "minimum": 0, "maximum": 100}, {"type": "null"}]},
    }
    for schema in (report, *defs.values()):
        schema["required"] = list(schema["properties"])
        schema["additionalProperties"] = False
    what = {"enum": list(CHANGES)}
    defs["Flip"]["properties"]["change"] = what
    defs["Judged"]["properties"]["status"] = {"enum": list(STATUSES)}
    report["properties"]["changes"] = {
        "type": "object",
        "propertyNames": what,
        "additionalProperties": {"type": "integer", "minimum": 1},
    }
    report["properties"] = {**head, **report["properties"], "exit_code": {"enum": [0, 1]}}
    report["required"] = list(report["properties"])
    return {
        "$schema": DRAFT,
        "$id": "urn:hotato:mutate.v1",
        **report,
        "title": "hotato: which changes of a call flip which assertions, version 1",
        "$defs": defs,
    }


def _restrict_span_id(properties: Schema) -> None:
    nullable = "anyOf" in properties["span_id"]
    properties["span_id"] = {"anyOf": [SPAN_ID, {"type": "null"}]} if nullable else SPAN_ID


def _complete_result(result: Schema, kinds: Sequence[type[Kind]]) -> None:
    """Say which fields a result of each kind may have, and which a status brings with it."""
    properties: Schema = {name: result["properties"][name] for name in Result.__annotations__}
    result["properties"] = properties
    for name, prop in properties.items():
        prop.update(LIMITS.get(name, {}))
        if name in TEXTS:
            prop["description"] = TEXTS[name]
    names = list(properties)
    shared = names[: names.index("vacuous") + 1]
    properties["overall_score"] = False
    branches = [_branch(tag(kind), _of_kind(kind, shared)) for kind in kinds]
    settled = {"properties": {"status": {"enum": ["PASS", "FAIL"]}}}
    told = {"properties": {"status": {"enum": ["FAIL", "INCONCLUSIVE"]}}}
    result["allOf"] = [
        {"if": settled, "then": {"required": ["exercised"]}, "else": {"not": {"required": ["vacuous"]}}},
        {"if": told, "then": {"required": ["reason"]}, "else": {"not": {"required": ["skipped"]}}},
        *branches,
    ]


def _of_kind(kind: type[Kind], shared: list[str]) -> Schema:
    """Return what is particular to the results of one kind; the schemas of the fields are on the result itself."""
    properties: Schema = dict.fromkeys([*shared, *kind.shows], True)
    properties["code"] = {"enum": [*kind.says, *ENGINE_SAYS]}
    return {"properties": properties, "additionalProperties": False}
