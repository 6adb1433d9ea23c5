"""What a client can read beside the tools: kind pages, schemas, and which formats are read."""

from __future__ import annotations

import os
from typing import NamedTuple

_SCHEMAS = os.path.join(os.path.dirname(os.path.dirname(__file__)), "schema")
KIND = "hotato://kinds/{kind}"
SCHEMA = "hotato://schema/{name}"


class Resource(NamedTuple):
    """One resource: its address, its name, what it is, and its MIME type."""

    uri: str
    name: str
    about: str
    mime: str


def resources() -> list[Resource]:
    """Return every resource there is."""
    from hotato import kinds

    listed = [Resource("hotato://kinds", "kinds", "the kinds of assertion, family by family", "text/plain")]
    listed += [
        Resource(f"hotato://kinds/{kind}", kind, f"the kind {kind}: fields, rules, an example, codes", "text/plain")
        for kind in kinds.names()
    ]
    listed += [
        Resource(f"hotato://schema/{name}", name, f"the JSON Schema {name}", "application/schema+json")
        for name in _schemas()
    ]
    said = "the formats of calls, transcripts and telemetry that are read"
    return [*listed, Resource("hotato://formats", "formats", said, "text/plain")]


def read(uri: str) -> tuple[str, str] | None:
    """Return MIME type and text of a resource; None where there is none of this address."""
    found = next((one for one in resources() if one.uri == uri), None)
    if found is None:
        return None
    if uri.startswith("hotato://schema/"):
        with open(os.path.join(_SCHEMAS, f"{found.name}.json"), encoding="utf-8") as file:
            return found.mime, file.read()
    if uri == "hotato://formats":
        return found.mime, _printed("call formats")
    return found.mime, _printed("assert explain", *([] if uri == "hotato://kinds" else [found.name]))


def _schemas() -> list[str]:
    return sorted(name.removesuffix(".json") for name in os.listdir(_SCHEMAS) if name.endswith(".json"))


def _printed(command: str, *words: str) -> str:
    from hotato.mcp._call import printed

    return printed(command, words)
