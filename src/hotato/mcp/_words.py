"""From the arguments of a tool to the words of its command, every value checked first.

What does not fit is refused as the command line refuses it (code `argument`), every fault at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import msgspec

from hotato.document.guess import Guesser
from hotato.errors import Problem, UsageError
from hotato.mcp._folders import Folders
from hotato.mcp._tools import Argument, Tool, arguments, input_schema

ARGUMENT = "argument"  # the code that the command line has for this


class Words(msgspec.Struct, frozen=True):
    """The words of a command line, and what the command is to find on its standard input."""

    words: list[str]
    stdin: str = ""


class _Faults:
    """Collects what is wrong with the arguments of a tool."""

    def __init__(self, tool: Tool) -> None:
        self.tool, self.found = tool, list[Problem]()

    def add(self, name: str, said: str, guess: str = "") -> None:
        self.found.append(Problem(code=ARGUMENT, file=self.tool.name, path=name, message=said, guess=guess))


def words(tool: Tool, given: Mapping[str, Any], folders: Folders) -> Words:
    """Return the command line of a call of a tool. Raise UsageError with all that is wrong in it."""
    known = arguments(tool)
    given = {name: value for name, value in given.items() if value is not None}
    faults = _Faults(tool)
    _check(tool, given, faults)
    if faults.found:
        raise UsageError(faults.found)
    flags, operands, stdin = list(tool.words), list[str](), ""
    if tool.inline is not None and tool.inline[0] in given:
        text, file = tool.inline
        value = given[text]
        stdin = value if isinstance(value, str) else _encoded(value)
        (operands if known[file].is_operand else flags).append(_flag(known[file], "-"))
    problems = _there(tool, given, folders)
    # a command that overwrites unasked knows no --force, or takes it as one of its other files
    others = [name for name in tool.writes if name in given and name not in tool.unasked]
    passed = [name for name in given if name in known and (name != "force" or others or not tool.unasked)]
    for name in passed:
        try:
            (operands if known[name].is_operand else flags).extend(_of(known[name], given[name], folders))
        except UsageError as error:
            problems += error.problems
    if problems:
        raise UsageError(problems)
    return Words([*flags, "--", *operands] if operands else flags, stdin)


def _there(tool: Tool, given: Mapping[str, Any], folders: Folders) -> list[Problem]:
    """Return the problems of files that are there already and that the command would write over without asking."""
    named = [] if given.get("force") else [given[name] for name in tool.unasked if name in given]
    said = "exists already; force overwrites it"
    there = [path for path in named if folders.is_written(path)]
    return [Problem(code="file_exists", file=path, message=said) for path in there]


def _check(tool: Tool, given: Mapping[str, Any], faults: _Faults) -> None:
    schema = input_schema(tool)
    properties = schema["properties"]
    for name, value in given.items():
        if name not in properties:
            there = ", ".join(properties) or "none"
            guess = Guesser().nearest(name, list(properties))
            faults.add(name, f"no such argument; there is {there}", guess)
        elif said := _misfit(value, properties[name]):
            faults.add(name, said)
    for name in schema["required"]:
        if name not in given:
            faults.add(name, f"is needed: {properties[name]['description']}")
    if tool.inline is not None:
        text, file = tool.inline
        if text in given and file in given:
            faults.add(text, f"stands in place of {file}; give one of them")
        elif text not in given and file not in given and "pack" not in properties:
            faults.add(file, f"is needed, or {text}: {properties[text]['description']}")


def _misfit(value: Any, schema: Mapping[str, Any]) -> str:
    """Return what is wrong with a value; empty where it fits."""
    wanted = schema["type"]
    if wanted == "boolean":
        return "" if isinstance(value, bool) else "must be true or false"
    if wanted == "integer":
        return "" if type(value) is int else "must be a whole number"
    if wanted == "number":
        return "" if type(value) in (int, float) and abs(value) < 1e12 else "must be a number"
    if wanted == "string":
        if not isinstance(value, str) or not value:
            return "must be text that is not empty"
        options = schema.get("enum")
        return "" if options is None or value in options else f"must be one of {', '.join(options)}"
    if wanted == "array":
        fits = isinstance(value, list) and value and all(not _misfit(one, schema["items"]) for one in value)
        return "" if fits else "must be a list of texts that is not empty"
    if not isinstance(value, dict):
        return "must be an object"
    inner = schema.get("additionalProperties")
    misfits = [] if inner is None else [said for one in value.values() if (said := _misfit(one, inner))]
    return f"a value in it {misfits[0]}" if misfits else ""


def _of(one: Argument, value: Any, folders: Folders) -> list[str]:
    """Return the words of one argument. Raise UsageError for a path that leads elsewhere."""
    if isinstance(value, bool):
        flag = one.flag if value else one.negative
        return [flag] if flag else []
    if isinstance(value, dict):
        pairs = {name: _text(one, inner, folders) for name, inner in value.items()}
        return [_flag(one, f"{name}={text}") for name, text in pairs.items()]
    return [_flag(one, _text(one, inner, folders)) for inner in (value if isinstance(value, list) else [value])]


def _flag(one: Argument, text: str) -> str:
    return text if one.is_operand else f"{one.flag}={text}"


def _text(one: Argument, value: Any, folders: Folders) -> str:
    if isinstance(value, float):
        return format(Decimal(repr(value)), "f")
    if one.sort and isinstance(value, str):
        return folders.to_write(value) if one.sort == "write" else folders.to_read(value)
    return str(value)


def _encoded(value: Any) -> str:
    from hotato.model.codec import encode

    return encode(value)
