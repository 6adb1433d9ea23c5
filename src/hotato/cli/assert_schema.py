"""Print the JSON Schema of documents, envelopes, voice traces, scores and what else hotato reads and writes.

For example:
  hotato assert schema document > assert-document.v1.json
  hotato assert schema envelope > assert.v1.json
  hotato assert schema trace > voice_trace.v1.json
  hotato assert schema timing > envelope.v1.json
  hotato assert schema mutate > mutate.v1.json
  hotato assert schema rubric > rubric.v1.json
  hotato assert schema scenario > scenario.v1.json
  hotato assert schema test > conversation-test.v1.json
  hotato assert schema suite > suite.v1.json
  hotato assert schema conversation > conversation.v1.json

An editor completes fields and marks mistakes once a document begins with
  # yaml-language-server: $schema=assert-document.v1.json
"""

from __future__ import annotations

import os
from argparse import Namespace

from hotato.cli._out import emit
from hotato.cli._parser import Parser

SCHEMAS = {
    "document": "assert-document.v1.json",
    "envelope": "assert.v1.json",
    "trace": "voice_trace.v1.json",
    "timing": "envelope.v1.json",
    "mutate": "mutate.v1.json",
    "rubric": "rubric.v1.json",
    "scenario": "scenario.v1.json",
    "test": "conversation-test.v1.json",
    "suite": "suite.v1.json",
    "conversation": "conversation.v1.json",
}


def listed() -> str:
    """Return the names of the schemas for people."""
    first, *between, last = SCHEMAS
    return f"{first} (default), {', '.join(between)} or {last}"


def configure(parser: Parser) -> None:
    """Declare flags."""
    parser.operand("WHICH", listed(), choices=tuple(SCHEMAS))


def main(args: Namespace) -> int:
    """Print a schema."""
    folder = os.path.join(os.path.dirname(os.path.dirname(__file__)), "schema")
    with open(os.path.join(folder, SCHEMAS[args.which or "document"]), encoding="utf-8") as file:
        emit(file.read())
    return 0
