"""What each tool returns, as JSON Schemas: its result, or the refusal in its place.

They name what is always there and what it means; `hotato://schema/envelope` is the whole schema of an envelope.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hotato.mcp._tools import Tool

Schema = dict[str, Any]
_TEXT: Schema = {"type": "string"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_EXIT: Schema = {"type": "integer", "enum": [0, 1, 2, 3]}
_YES: Schema = {"const": True}
_FREE: Schema = {"type": "object"}
_TEXTS: Schema = {"type": "array", "items": _TEXT}


def output_schema(tool: Tool) -> Schema:
    """Return the JSON Schema of what a tool returns."""
    return {"type": "object", "anyOf": [*_RESULTS[tool.name], _REFUSAL]}


def _object(fields: Mapping[str, Schema], more: Mapping[str, Schema] | None = None, *, closed: bool = False) -> Schema:
    """Return the schema of an object with `fields`, which are always there, and `more`, which may be."""
    schema: Schema = {"type": "object", "properties": {**fields, **(more or {})}, "required": list(fields)}
    return {**schema, "additionalProperties": False} if closed else schema


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


_PROBLEM = _object(
    {
        "code": _TEXT, "file": _TEXT, "line": _COUNT, "column": _COUNT, "path": _TEXT, "message": _TEXT, "guess": _TEXT,
    },
    closed=True,
)  # fmt: skip
_REFUSAL = _object(
    {
        "ok": {"const": False},
        "error_code": {"enum": ["usage", "document", "evidence", "internal"]},
        "message": _TEXT,
        "problems": _list(_PROBLEM),
        "exit_code": {"type": "integer", "enum": [2, 3]},
    },
    closed=True,
)
_ENVELOPE = _object(
    {
        "schema": {"const": "assert.v1"},
        "exit_code": {"type": "integer", "enum": [0, 1, 2]},
        "inconclusive_policy": {"enum": ["report", "fail", "refuse"]},
        "results": _list(
            _object(
                {
                    "id": _TEXT,
                    "kind": _TEXT,
                    "status": {"enum": ["PASS", "FAIL", "INCONCLUSIVE", "SKIPPED"]},
                    "deterministic": {"type": "boolean"},
                },
                {"code": _TEXT, "reason": _TEXT, "dimension": _TEXT},
            )
        ),
        "summary": _object(
            {
                "deterministic": _object({"pass": _COUNT, "fail": _COUNT, "inconclusive": _COUNT}),
                "judge": _object({"pass": _COUNT, "fail": _COUNT}),
                "note": _TEXT,
            }
        ),
    },
    {"evidence": _FREE},
)
_TIMING = _object(
    {
        "tool": {"const": "hotato"},
        "schema_version": _TEXT,
        "mode": _TEXT,
        "summary": _FREE,
        "events": _list(_FREE),
        "exit_code": {"type": "integer", "enum": [0, 1, 2]},
    }
)
_RUBRIC = _object(
    {
        "schema": {"const": "rubric.v1"},
        "exit_code": {"type": "integer", "enum": [0, 1, 2]},
        "gate": {"type": "boolean"},
        "results": _list(
            _object(
                {
                    "id": _TEXT,
                    "kind": {"enum": ["judge_rubric", "human_rubric"]},
                    "status": {"enum": ["PASS", "FAIL", "INCONCLUSIVE", "ERROR"]},
                    "deterministic": {"const": False},
                    "code": _TEXT,
                    "reason": _TEXT,
                    "citations": _list(_FREE),
                    "human_review": {"type": "boolean"},
                    "cached": {"type": "boolean"},
                    "verdict_sha256": _TEXT,
                }
            )
        ),
        "summary": _FREE,
    }
)
_PAGE = {"kind": _TEXT, "family": _TEXT, "reads": _TEXTS, "summary": _TEXT}
_RESULTS: dict[str, list[Schema]] = {
    "assert_run": [_ENVELOPE],
    "assert_lint": [
        _object(
            {
                "ok": {"type": "boolean"},
                "files": _list(
                    _object(
                        {
                            "file": _TEXT,
                            "assertions": _COUNT,
                            "problems": _list(_PROBLEM),
                            "warnings": _list(_PROBLEM),
                        }
                    )
                ),
                "exit_code": _EXIT,
            }
        )
    ],
    "assert_explain": [
        _object({**_PAGE, "rules": _TEXT, "example": _TEXT, "fields": _list(_FREE), "codes": _FREE}),
        _object({"kinds": _list(_object(_PAGE, closed=True))}, closed=True),
    ],
    "assert_schema": [_object({"$schema": _TEXT})],
    "assert_init": [
        _object({"version": {"const": 1}, "assertions": _list(_FREE)}),
        _object(
            {
                "ok": _YES, "schema": {"const": "hotato.proposal.v1"}, "good": _COUNT, "bad": _COUNT, "document": _FREE,
                "proposed": _list(_FREE), "near": _list(_FREE),
            },
            closed=True,
        ),
        _object({"ok": _YES, "file": _TEXT, "assertions": _COUNT}, closed=True),
    ],
    "trace_ingest": [
        _object(
            {
                "ok": _YES, "file": _TEXT, "format": _TEXT, "spans_read": _COUNT, "spans_written": _COUNT,
                "captures": _FREE, "notes": _list(_FREE),
            }
        ),
        _object({"ok": _YES, "folder": _TEXT, "calls": _COUNT, "files": _list(_FREE), "notes": _FREE}),
    ],
    "call_import": [_object({"ok": _YES, "folder": _TEXT, "format": _TEXT, "evidence": _FREE, "written": _TEXTS})],
    "timing_run": [_TIMING],
    "rubric_run": [_RUBRIC],
    "report_write": [_object({"ok": _YES, "file": _TEXT, "format": _TEXT}, closed=True)],
}  # fmt: skip
