"""Running the command of a tool, and saying what went wrong in the shape that the command line has for it."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from hotato.errors import InternalError, Problem, UsageError
from hotato.mcp._folders import Folders
from hotato.mcp._tools import Tool, in_arguments
from hotato.mcp._words import ARGUMENT, words

# a command writes to standard output and reads relative paths: both belong to the process, so one runs at a time
_alone = threading.Lock()
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_FIELDS = ("code", "file", "line", "column", "path", "message", "guess")


class Outcome(msgspec.Struct, frozen=True):
    """What a call of a tool gave: the result, or a refusal."""

    value: dict[str, Any]
    is_refused: bool = False


def call(tool: Tool, given: Mapping[str, Any], folders: Folders) -> Outcome:
    """Return what a tool gives for arguments. Raise nothing: what goes wrong is a refusal."""
    try:
        line = words(tool, given, folders)
        with _at_work(folders, line.stdin) as output:
            _look_at_judge(tool, given, folders)
            _look_at_state(given, folders)
            _main(tool.command, line.words)
            return Outcome(_result(tool, given, folders, output.getvalue()))
    except Exception as error:
        return Outcome(_refusal(error, tool, folders), is_refused=True)


def printed(command: str, words: Sequence[str]) -> str:
    """Return what a command that reads no file prints for words."""
    with _alone, contextlib.redirect_stdout(io.StringIO()) as output:
        _main(command, words)
    return output.getvalue()


@contextlib.contextmanager
def _at_work(folders: Folders, stdin: str) -> Iterator[io.StringIO]:
    """Be where commands run: in the folder of reads, confined to it, with streams of their own."""
    from hotato.context.confined import reading_within

    with _alone, contextlib.chdir(folders.reads), reading_within(folders.reads, _PACKAGE):
        output, before = io.StringIO(), sys.stdin
        sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode("utf-8", "surrogatepass")), encoding="utf-8")
        try:
            with contextlib.redirect_stdout(output), contextlib.redirect_stderr(io.StringIO()):
                yield output
        finally:
            sys.stdin = before


def _main(command: str, line: Sequence[str]) -> None:
    from hotato.cli import _command

    _command.load(command).main(_command.parser_of(command).read(line))


def _look_at_judge(tool: Tool, given: Mapping[str, Any], folders: Folders) -> None:
    """Refuse to have a model asked, at an address that a client names, unless the network is allowed.

    Rubrics for people alone ask no model.
    """
    if tool.name != "rubric_run" or folders.network or isinstance(given.get("judge_replay"), str):
        return
    from hotato.rubric.document import load_file

    named = any(given.get(name) is not None for name in ("judge", "judge_url", "judge_model"))
    if named or any(one.kind == "judge_rubric" for one in load_file(folders.to_read(given["rubrics"]))):
        said = "asks a model server, which this server was not started for (--allow-network); judge_replay asks nobody"
        raise UsageError(Problem(code="egress", file=tool.name, message=said))


def _look_at_state(given: Mapping[str, Any], folders: Folders) -> None:
    """Refuse a state config that would have a system elsewhere asked, unless that is allowed.

    Such a config names the variable that holds a secret and the host that is sent it: whoever writes the one and has it
    loaded could have any variable of the server's environment sent to any host.
    """
    if folders.network or not isinstance(given.get("state"), str):
        return
    from hotato.state.config import HttpConfig, SqlConfig
    from hotato.state.load import described

    path = folders.to_read(given["state"])
    config = described(path, recorded=False).config
    if isinstance(config, HttpConfig) or (isinstance(config, SqlConfig) and config.sqlite_path is None):
        said = "asks a system over the network, which this server was not started for (--allow-network)"
        raise UsageError(Problem(code="egress", file=path, message=said))


def _result(tool: Tool, given: Mapping[str, Any], folders: Folders, output: str) -> dict[str, Any]:
    """Return the result of a command that ran to its end."""
    from hotato.model.codec import decode

    if tool.result == "written":
        from hotato.report import format_of

        return {"ok": True, "file": given["out"], "format": given.get("format") or format_of(given["out"])}
    if tool.result == "report":
        # what was written just now, by this process, in the folder of writes
        place = os.path.join(folders.reads, folders.to_write(given["out"]))
        with open(os.path.join(place, "import-report.json"), encoding="utf-8") as file:
            return {"ok": True, "folder": given["out"], **decode(file.read())}
    value = decode(output)
    if tool.result == "kinds" and isinstance(value, list):
        return {"kinds": [{name: one[name] for name in ("kind", "family", "reads", "summary")} for one in value]}
    told: dict[str, Any] = _told(value, tool, folders) if tool.writes or tool.inline else value
    return told


def _told(value: Any, tool: Tool, folders: Folders) -> Any:
    """Return a result whose files are named as the client names them."""
    if isinstance(value, list):
        return [_told(inner, tool, folders) for inner in value]
    if not isinstance(value, dict):
        return value
    return {
        name: _name(inner, tool, folders)
        if name in ("file", "folder") and isinstance(inner, str)
        else in_arguments(inner, tool)
        if name == "message" and isinstance(inner, str)
        else _told(inner, tool, folders)
        if name in ("files", "problems", "warnings")
        else inner
        for name, inner in value.items()
    }


def _name(file: str, tool: Tool, folders: Folders) -> str:
    """Return a file's name as the client has it; what was given as text is called as its argument is."""
    return tool.inline[0] if file == "-" and tool.inline is not None else folders.told(file)


def _refusal(error: Exception, tool: Tool, folders: Folders) -> dict[str, Any]:
    """Return the refusal of an error, in the shape of the command line's with --format json."""
    from hotato.cli._out import OutputError
    from hotato.cli._parser import CommandError

    kind, code = "internal", 3
    problems: tuple[Problem, ...] = ()
    if isinstance(error, CommandError):
        fault = Problem(code=ARGUMENT, file=tool.name, path=error.word, message=error.message, guess=error.guess)
        kind, code, problems = "usage", 2, (fault,)
    elif isinstance(error, UsageError):
        kind, code, problems = error.error_code, 2, error.problems
    told = [_in_terms_of(tool, problem, folders) for problem in problems]
    if told:
        message = "\n".join(map(str, told))
    elif isinstance(error, OutputError | InternalError):
        message = f"hotato: {folders.told(str(error))}"
    else:
        message = f"hotato: internal error: {type(error).__name__}"
    listed = [{field: getattr(problem, field) for field in _FIELDS} for problem in told]
    return {"ok": False, "error_code": kind, "message": message, "problems": listed, "exit_code": code}


def _in_terms_of(tool: Tool, problem: Problem, folders: Folders) -> Problem:
    """Return a problem in which arguments are called as the tool calls them, and files as the client does."""

    def told(text: str) -> str:
        return in_arguments(folders.told(text), tool)

    return msgspec.structs.replace(
        problem,
        file=told(_name(problem.file, tool, folders)),
        path=told(problem.path),
        message=told(problem.message),
        guess=told(problem.guess),
    )
