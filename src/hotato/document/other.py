"""Which kind of document a value is, so that one in the wrong place is named, with the command that takes it."""

from __future__ import annotations

import re
from typing import Any

from hotato.document.problems import Problems
from hotato.document.tree import Tree
from hotato.model.fault import Fault

ASSERTIONS = "assertions"
_TOLD = {
    ASSERTIONS: ("an assertions document", "hotato assert run --assertions"),
    "rubrics": ("a file of rubrics", "hotato rubric run --rubrics"),
    "hotato.scenario": ("a scenario", "hotato simulate"),
    "hotato.conversation-test": ("a conversation test", "hotato test run"),
    "hotato.suite": ("a suite", "hotato suite run"),
    "hotato.conversation": ("a conversation", "hotato conversation verify"),
}
_LISTS = (ASSERTIONS, "rubrics")  # documents that have no field `kind`, but a list of this name
_PLAIN = re.compile(r"[A-Za-z0-9._/][A-Za-z0-9._/-]*", re.ASCII)


def is_other(problems: Problems, tree: Tree, wanted: str) -> bool:
    """Say whether a document is surely another one than is wanted, and add so to the problems.

    `wanted` is the document's `kind`, or `assertions` for one of assertions.
    """
    found = _kind(tree.value)
    if found in ("", wanted):
        return False
    told, command = _TOLD[found]
    file = tree.file if _PLAIN.fullmatch(tree.file) else "FILE"
    said = f"this is {told}, and {_TOLD[wanted][0]} is wanted here; it is for '{command} {file}'"
    problems.add(tree, (), Fault((found,) if found in _LISTS else ("kind",), "other_document", said))
    return True


def _kind(value: Any) -> str:
    """Return which document a value is, empty where that is not sure."""
    if type(value) is not dict:
        return ""
    kind = value.get("kind")
    if type(kind) is str and kind in _TOLD and kind not in _LISTS:
        return kind
    return next((name for name in _LISTS if type(value.get(name)) is list), "")
