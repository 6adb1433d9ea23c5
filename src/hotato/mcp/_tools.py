"""The tools: which command each one is, and which of its flags are files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal

import msgspec

from hotato.cli import _command
from hotato.cli._parser import Declared
from hotato.cli.assert_schema import listed

Result = Literal["printed", "kinds", "report", "written"]
_LEFT_OUT = ("limit", "watch")  # how much is read is not for a client to say
_OF_SHELLS = re.compile(r"[;,] (for any one file )?- is standard input|; may be repeated")
_FLAG = re.compile(r"--[a-z][a-z-]*")
_MORE = re.compile(r"; --limit [a-z_]+=N allows more")


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """One tool.

    - `command`: the command it is; `words` are always given to it.
    - `leave`: flags that are no arguments. `rename`: argument for a flag. `needs`: arguments that the tool requires.
    - `writes`: arguments that name what is written; every other file or folder is read. `unasked`: those of them that the
      command writes over without asking; here it takes the argument `force`, as for any other file.
    - `inline`: an argument with the text of a file, and the argument that would name the file.
    - `result`: what the answer is: what was printed, or something made of it.
    """

    name: str
    title: str
    command: str
    about: str
    words: tuple[str, ...] = ("--format=json",)
    leave: tuple[str, ...] = ("format",)
    rename: Mapping[str, str] = {}
    needs: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    unasked: tuple[str, ...] = ()
    inline: tuple[str, str] | None = None
    result: Result = "printed"


_TOOLS = (
    Tool(
        name="assert_run",
        title="Judge a call",
        command="assert run",
        about=(
            "Judge a call against typed assertions and return the assert.v1 envelope: a result for each assertion, a"
            " summary and exit_code (0 nothing failed, 1 a check failed, 2 evidence is missing under policy refuse)."
            " Give the document as a file (assertions) or as text (document), or bundled packs (pack), and the call as"
            " call, or as transcript and trace. Evidence that is not given makes a check INCONCLUSIVE, never PASS."
        ),
        # another speech model than the one that is here would be fetched over the network
        leave=("format", "base", "transcribe_model"),
        writes=("out", "report"),
        unasked=("out",),
        inline=("document", "assertions"),
    ),
    Tool(
        name="assert_lint",
        title="Check assertions documents",
        command="assert lint",
        about=(
            "Report every problem of assertions documents with line, column and the nearest right name, without a call."
            " Give files, or one document as text. ok is false where a document would be refused."
        ),
        rename={"file": "files"},
        inline=("document", "files"),
    ),
    Tool(
        name="assert_explain",
        title="Explain a kind of assertion",
        command="assert explain",
        about="Return a kind's fields, rules, an example and every code it can answer; without kind, the list of kinds.",
        result="kinds",
    ),
    Tool(
        name="assert_schema",
        title="Return a JSON Schema",
        command="assert schema",
        about=f"Return the JSON Schema of what is read and written: {listed()}.",
        words=(),
    ),
    Tool(
        name="assert_init",
        title="Infer a first document",
        command="assert init",
        about=(
            "Return a first assertions document, inferred from the trace of a call that went well; or from a folder of"
            " good calls, beside it what each assertion shows and which calls of a folder of bad ones it fails. With out"
            " it is written to a file as YAML. Remove what is chance in it, and add what calls cannot show."
        ),
        writes=("out",),
    ),
    Tool(
        name="trace_ingest",
        title="Make a trace of telemetry",
        command="trace ingest",
        about="Write what OpenTelemetry, Jaeger, Zipkin or Langfuse recorded as a hotato.voice_trace.v1 file.",
        writes=("out",),
    ),
    Tool(
        name="call_import",
        title="Import a vendor's call",
        command="call import",
        about=(
            "Write the call that a vendor, a framework or speech-to-text recorded as transcript.json and"
            " voice_trace.jsonl, and return what was found, lost and inferred. assert_run reads the same files directly."
        ),
        words=(),
        leave=(),
        writes=("out",),
        result="report",
    ),
    Tool(
        name="timing_run",
        title="Score a recording's timing",
        command="run",
        about=(
            "Score who talks when on a two-channel recording, whether the agent yielded, and how long both talked; return"
            " the envelope.v1. Give stereo, or caller and agent, or a suite."
        ),
        writes=("out", "dump_frames"),
        unasked=("out", "dump_frames"),
    ),
    Tool(
        name="report_write",
        title="Write a report",
        command="report",
        about=(
            "Write results that were judged before as a report: HTML, Markdown, JUnit, SARIF and others. Give the"
            " envelope that assert_run returned, or the file it was written to (assertions)."
        ),
        words=(),
        leave=(),
        needs=("out",),
        writes=("out",),
        inline=("envelope", "assertions"),
        result="written",
    ),
    Tool(
        name="rubric_run",
        title="Have a model judge rubrics",
        command="rubric run",
        about=(
            "Have a model judge a call by criteria in words, and return the rubric.v1 envelope: advisory results with their"
            " provenance, which no deterministic verdict depends on. A model is asked over the network only where the"
            " server was started with network access; judge_replay reads recorded answers without, and human what people"
            " say by human rubrics. With gate, exit_code is 1 for a FAIL and 2 for an ERROR."
        ),
        # a key of the environment is not for a client to send, and whether a call may leave the machine not to decide
        leave=("format", "judge_key_env", "judge_egress_opt_in"),
        rename={"no_cache": "fresh"},
        writes=("out", "judge_record"),
    ),
)


def tools() -> dict[str, Tool]:
    """Return the tools there are, by name."""
    return {tool.name: tool for tool in _TOOLS}


class Argument(msgspec.Struct, frozen=True, kw_only=True):
    """One argument of a tool: the flag it is, and the JSON Schema of its value.

    `negative` is the flag for false. `sort` says what its text is: a path, a mapping whose values are paths, neither.
    """

    name: str
    flag: str
    schema: dict[str, Any]
    required: bool = False
    negative: str = ""
    is_operand: bool = False
    sort: Literal["", "read", "write"] = ""


@cache
def _declared(command: str) -> tuple[Declared, ...]:
    return tuple(_command.parser_of(command).declared)


def arguments(tool: Tool) -> dict[str, Argument]:
    """Return the arguments of a tool that are flags or operands of its command, by name."""
    flags = {one.name for one in _declared(tool.command)}
    inlined = tool.inline[1] if tool.inline else ""
    found: dict[str, Argument] = {}
    for one in _declared(tool.command):
        is_negative = one.name.startswith("--no-") and f"--{one.name[5:]}" in flags
        if one.dest in (*_LEFT_OUT, *tool.leave) or is_negative:
            continue
        name = tool.rename.get(one.dest, one.dest)
        negative = f"--no-{one.name[2:]}"
        is_path = one.completes in ("file", "folder", "document") or name in tool.writes
        found[name] = Argument(
            name=name,
            flag=one.name,
            schema=_schema(one, tool),
            required=(one.required and name != inlined) or name in tool.needs,
            negative=negative if negative in flags else "",
            is_operand=not one.is_flag,
            sort="write" if name in tool.writes else "read" if is_path else "",
        )
    return found


def input_schema(tool: Tool) -> dict[str, Any]:
    """Return the JSON Schema of a tool's arguments."""
    found = arguments(tool)
    properties = {name: one.schema for name, one in found.items()}
    if tool.unasked:
        properties["force"] = {"type": "boolean", "description": "overwrite files that are there already"}
    if tool.inline is not None:
        text, file = tool.inline
        if text == "envelope":
            shown: dict[str, Any] = {"type": "object", "description": f"the envelope itself, in place of {file}"}
        else:
            said = f"the text of a document, YAML or JSON, in place of {file}"
            shown = {"type": "string", "minLength": 1, "description": said}
        properties = {text: shown, **properties}
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name, one in found.items() if one.required],
        "additionalProperties": False,
    }


def _schema(one: Declared, tool: Tool) -> dict[str, Any]:
    """Return the schema of a flag's value. Descriptions are the command line's, with arguments in place of flags."""
    said = {"description": in_arguments(_OF_SHELLS.sub("", one.help), tool)}
    if not one.metavar:
        return {"type": "boolean", **said}
    if one.many and "=" in one.metavar:
        inner = {"type": "number"} if one.metavar == "NAME=VALUE" else {"type": "string", "minLength": 1}
        return {"type": "object", "additionalProperties": inner, **said}
    if one.many:
        return {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1, **said}
    if one.metavar == "SECONDS":
        return {"type": "number", **said}
    if one.metavar == "N":
        return {"type": "integer", **said}
    return {"type": "string", "minLength": 1, **({"enum": list(one.choices)} if one.choices else {}), **said}


def in_arguments(text: str, tool: Tool) -> str:
    """Return a text in which the flags of a tool's command are called as its arguments are; quoted commands stay.

    That a limit can be raised is left out: a client cannot.
    """
    names = {one.name: tool.rename.get(one.dest, one.dest) for one in _declared(tool.command) if one.is_flag}
    before, quoted, command = _MORE.sub("", text).partition("hotato ")
    return _FLAG.sub(lambda found: names.get(found[0], found[0]), before) + quoted + command
