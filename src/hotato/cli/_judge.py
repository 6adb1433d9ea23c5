"""What the commands of the rubric lane share: the flags that say who judges, and making a judge of them."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from hotato.cli._parser import CommandError, Parser

if TYPE_CHECKING:
    from hotato.rubric.judge import Judge
    from hotato.rubric.recording import Recorder

_OF_SERVERS = ("judge", "judge_url", "judge_key_env", "judge_timeout", "judge_egress_opt_in", "judge_record")
_LONGEST = 3600.0  # seconds


def declare(parser: Parser) -> None:
    """Declare the flags that say who judges."""
    value = parser.value
    said = "what the model server speaks: ollama (default), or openai for any OpenAI-compatible endpoint"
    value("--judge", "API", said, choices=("ollama", "openai"))
    said = "where it is; by default Ollama's own http://127.0.0.1:11434, for openai it is to be said, mostly up to /v1"
    value("--judge-url", "URL", said)
    value("--judge-model", "NAME", "which model judges; beats the rubric's own evaluation.model")
    value("--judge-key-env", "NAME", "the environment variable that holds the server's key")
    value("--judge-timeout", "SECONDS", "the longest that one answer may take; 120 by default")
    parser.switch("--judge-egress-opt-in", "the judge is not on this machine, and the call may be sent there")
    value("--judge-replay", "FILE", "ask nobody: read the answers from what --judge-record wrote", completes="file")
    value("--judge-record", "FILE", "also write every answer to this file, to be replayed", completes="file")
    parser.switch("--no-cache", "ask anew, and say whether the answer differs from the one that is kept")


class Judges:
    """Makes the judge of each model when it is first asked for, and keeps it."""

    def __init__(self, make: Callable[[str | None], Judge], *, recording: bool) -> None:
        self._make, self._recording = make, recording
        self._made: dict[str | None, Judge] = {}
        self.recorders: list[Recorder] = []

    def __call__(self, model: str | None) -> Judge:
        """Return the judge of a model that a rubric names, None for one that names none. Raise UsageError."""
        if model not in self._made:
            judge = self._make(model)
            if self._recording:
                from hotato.rubric.recording import Recorder

                judge = Recorder(judge)
                self.recorders.append(judge)
            self._made[model] = judge
        return self._made[model]

    def recording(self) -> str:
        """Return what was answered, as a file to be replayed has it."""
        from hotato.rubric.recording import recording_text

        return recording_text(self.recorders)


def check(args: Namespace, prog: str) -> None:
    """Refuse flags that do not go together. Raise CommandError."""
    if args.judge_replay is not None:
        for name in _OF_SERVERS:
            if getattr(args, name) is not None:
                raise CommandError(prog, f"--{name.replace('_', '-')}", "means nothing with --judge-replay")
    if args.judge == "openai" and args.judge_url is None:
        raise CommandError(prog, "--judge-url", "is needed with --judge openai, such as http://127.0.0.1:8080/v1")
    if args.judge_record == "-":
        raise CommandError(prog, "--judge-record", "names a file")
    _seconds(args, prog)


def check_written(paths: Sequence[str | None], *, force: bool) -> None:
    """Refuse to ask a judge for what could not be written afterwards. Raise UsageError."""
    from hotato.errors import Problem, UsageError

    problems = []
    for path in paths:
        if path is not None and not os.path.isdir(os.path.dirname(path) or "."):
            problems.append(Problem(code="file_unwritable", file=path, message="its folder does not exist"))
        elif path is not None and os.path.isdir(path):
            problems.append(Problem(code="file_kind", file=path, message="a folder, not a file"))
        elif path is not None and os.path.lexists(path) and not force:
            problems.append(Problem(code="file_exists", file=path, message="exists already; --force overwrites it"))
    if problems:
        raise UsageError(problems)


def judges(args: Namespace, prog: str) -> Judges:
    """Return who judges. Raise UsageError, also CommandError where no model is named."""
    if args.judge_replay is not None:
        from hotato.rubric.recording import recorded

        found = recorded(args.judge_replay)
        return Judges(lambda model: found(args.judge_model or model), recording=False)
    from hotato.rubric import ollama, openai

    seconds = _seconds(args, prog)
    known: dict[str, Any] = {}

    def make(model: str | None) -> Judge:
        name = args.judge_model or model
        if name is None:
            said = "names the model that judges; hotato doctor lists those of Ollama"
            raise CommandError(prog, "--judge-model", said)
        if name not in known:
            more: dict[str, Any] = {
                "timeout": seconds,
                "egress_opt_in": bool(args.judge_egress_opt_in),
                "key_env": args.judge_key_env,
            }
            if args.judge == "openai":
                known[name] = openai.OpenAICompatible(name, url=args.judge_url, **more)
            else:
                known[name] = ollama.Ollama(name, url=args.judge_url or ollama.URL, **more)
        judge: Judge = known[name]
        return judge

    return Judges(make, recording=args.judge_record is not None)


def cache(args: Namespace) -> str | None:
    """Return the folder in which judgements are kept; None where answers come from a recording or go into one."""
    if args.judge_replay is not None or args.judge_record is not None:
        return None
    from hotato.rubric.cache import default_folder

    return default_folder()


def _seconds(args: Namespace, prog: str) -> float:
    if args.judge_timeout is None:
        return 120.0
    try:
        seconds = float(args.judge_timeout)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= _LONGEST:
        raise CommandError(prog, "--judge-timeout", f"must be seconds, more than 0 and at most {_LONGEST:g}")
    return seconds
