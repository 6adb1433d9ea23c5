"""The JSON Schemas (2020-12) of scenarios, conversation tests, suites and conversations, for editors and other checkers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from hotato.kinds._kind import Kind
from hotato.simulate.artifact import Conversation
from hotato.simulate.checks import CONDITIONS
from hotato.simulate.checks import Document as ConversationTest
from hotato.simulate.scenario import Scenario
from hotato.simulate.suite import Document as Suite
from schemas import DRAFT, Schema, document_schema


def scenario_schema() -> Schema:
    """Return the schema of a scenario."""
    return _published(Scenario, "scenario", {})


def conversation_schema() -> Schema:
    """Return the schema of conversation.json, which holds nothing of the user's."""
    return _published(Conversation, "conversation", {}, is_open=False)


def conversation_test_schema(kinds: Sequence[type[Kind]]) -> Schema:
    """Return the schema of a conversation test; its deterministic assertions are those of an assertions document."""
    schema = _published(ConversationTest, "conversation-test", document_schema(kinds)["$defs"])
    inside = schema["$defs"]
    inside["Assertions"]["properties"]["deterministic"]["items"] = {"$ref": "#/$defs/assertion"}
    names = [{"const": name, "description": said} for name, said in CONDITIONS.items()]
    inside["Success"]["properties"]["required"]["items"] = {"oneOf": names}
    return schema


def suite_schema() -> Schema:
    """Return the schema of a suite."""
    return _published(Suite, "suite", {})


def _published(struct: type[msgspec.Struct], name: str, more: dict[str, Schema], *, is_open: bool = True) -> Schema:
    (_,), found = msgspec.json.schema_components([struct], ref_template="#/$defs/{name}")
    whole = _portable(found.pop(struct.__name__))
    top = {"$schema": DRAFT, "$id": f"urn:hotato:{name}.v1", **whole, "title": f"hotato {name}, version 1"}
    if is_open:
        top["patternProperties"] = {"^x-": {"description": "Yours; hotato reads nothing into it."}}
    return {**top, "$defs": {**_portable(found), **more}}


def _portable(value: Any) -> Any:
    """Return a schema without what JSON Schema's regexes do not know, the end of a text as Python writes it."""
    if isinstance(value, dict):
        return {key: _portable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_portable(item) for item in value]
    return value.replace("\\Z", "$") if isinstance(value, str) and value.startswith("^") else value
