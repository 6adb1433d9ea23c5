"""A kind's reference page as plain data: from its docstring and its types."""

from __future__ import annotations

from inspect import cleandoc
from typing import Any

import msgspec

from hotato.kinds import tag
from hotato.kinds._kind import Kind

_NOUNS = {"boolean": "true or false", "object": "a mapping", "string": "text", "null": "nothing"}


def page(kind: type[Kind]) -> dict[str, Any]:
    """Return summary, rules (Markdown), example (YAML), fields and codes of a kind."""
    summary, _, rest = cleandoc(kind.__doc__ or "").partition("\n\n")
    rules, _, fenced = rest.partition("```yaml\n")
    return {
        "kind": tag(kind),
        "family": kind.family,
        "reads": list(kind.reads),
        "summary": " ".join(summary.split()),
        "rules": rules.strip(),
        "example": fenced.partition("```")[0],
        "fields": _fields(kind),
        "codes": dict(kind.says),
    }


def _fields(kind: type[Kind]) -> list[dict[str, Any]]:
    _, found = msgspec.json.schema_components([kind])
    schema = found[kind.__name__]
    shared = [name for name in Kind.__struct_encode_fields__ if name != "id"]
    properties: dict[str, Any] = schema["properties"]
    order = ["id", *(name for name in properties if name not in ("id", "kind", *shared)), *shared]
    return [
        {
            "name": name,
            "values": _words(properties[name], found),
            "required": name in schema["required"],
            "default": _default(properties[name].get("default")),
        }
        for name in order
    ]


def _default(value: Any) -> str:
    return "" if value in (None, [], ()) else str(value).lower() if isinstance(value, bool) else str(value)


def _words(schema: dict[str, Any], found: dict[str, Any]) -> str:
    """Return in words what a field may hold."""
    if "anyOf" in schema:
        parts = (_words(part, found) for part in schema["anyOf"] if part.get("type") != "null")
        return " or ".join(dict.fromkeys(parts))
    if "$ref" in schema:
        return "{" + ", ".join(found[schema["$ref"].rpartition("/")[2]]["properties"]) + "}"
    if "enum" in schema:
        return ", ".join(str(option) for option in schema["enum"] if option is not None)
    kind = str(schema.get("type"))
    if kind == "array":
        return f"list of {_words(schema.get('items', {}), found)}"
    if kind in ("integer", "number"):
        return "a whole number" if kind == "integer" else "a number"
    return "a regex" if schema.get("format") == "regex" else _NOUNS.get(kind, "anything")
