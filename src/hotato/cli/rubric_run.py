"""Have a model judge a call by rubrics, apart from what can be proven.

For example:
  hotato rubric run --rubrics rubrics.yaml --transcript transcript.json --judge-model qwen3:8b
  hotato rubric run --rubrics assertions.yaml --transcript transcript.json --judge-model qwen3:8b --gate
  hotato rubric run --rubrics r.yaml --transcript t.json --judge openai --judge-url http://127.0.0.1:8080/v1 --judge-model m
  hotato rubric run --rubrics rubrics.yaml --transcript transcript.json --judge-replay answers.json
  hotato rubric run --rubrics rubrics.yaml --transcript transcript.json --human verdicts.yaml --out rubric.json
  hotato report --assertions envelope.json --rubric rubric.json --out report.html

A model's verdict is an opinion: it is advisory, counted apart and told with its provenance. Asked by default is Ollama
on this machine; a call leaves it with --judge-egress-opt-in only. A judgement is kept, and the same question about the
same call is answered from there; --no-cache asks anew and leaves what is kept as it is. A human_rubric is sent to no
model: --human gives what people say of it, which counts for the very evidence that they judged.

Exit codes: 0 whatever the verdicts; with --gate 1 for a FAIL and 2 for an ERROR without one. 2 refused, 3 internal error.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hotato.cli import _judge
from hotato.cli._out import finish
from hotato.cli._parser import CommandError, Parser

if TYPE_CHECKING:
    from hotato.model.call import Call
    from hotato.rubric.persons import Verdict

_PROG = "hotato rubric run"
_INPUTS = ("rubrics", "transcript", "trace", "human", "judge_replay")


def configure(parser: Parser) -> None:
    """Declare flags."""
    value = parser.value
    said = "the rubrics, YAML or JSON, or an assertions document with rubrics; for any one file - is standard input"
    value("--rubrics", "FILE", said, completes="file", required=True)
    said = "what was said: a JSON list of {role, text, start, end}, or what speech-to-text wrote"
    value("--transcript", "FILE", said, completes="file")
    value("--trace", "FILE", "what was done: hotato.voice_trace.v1, one JSON object a line", completes="file")
    value("--human", "FILE", "what people say by the human rubrics, YAML or JSON: docs/rubric.md", completes="file")
    _judge.declare(parser)
    parser.switch("--gate", "let a FAIL and an ERROR decide the exit code")
    value("--out", "FILE", "also write the rubric.v1 envelope, as JSON, to this file", completes="file")
    parser.switch("--force", "overwrite files that are there")
    parser.limits()
    parser.formats()


def main(args: Namespace) -> int:
    """Judge one call."""
    _check(args)
    from hotato.model.codec import encode
    from hotato.rubric.document import load_file
    from hotato.rubric.run import render_text, run_rubrics

    _judge.check_written((args.out, args.judge_record), force=bool(args.force))
    rubrics = load_file(args.rubrics)
    human: Sequence[Verdict] = ()
    if args.human is not None:
        from hotato.rubric.persons import load_verdicts

        human = load_verdicts(args.human, rubrics)
    call = _call(args)
    judges = _judge.judges(args, _PROG)
    found = run_rubrics(
        rubrics, call, judges, cache=_judge.cache(args), fresh=bool(args.no_cache), gate=bool(args.gate), human=human
    )
    encoded = encode(found, indent=2) + "\n"
    texts = {} if args.judge_record is None else {args.judge_record: judges.recording()}
    texts |= {} if args.out is None else {args.out: encoded}
    if texts:
        from hotato.context.files import write_texts

        write_texts(texts, overwrite=bool(args.force))
    code: int = found["exit_code"]
    return finish(encoded if args.format == "json" else render_text(found), code)


def _check(args: Namespace) -> None:
    from hotato.cli._reports import is_same

    _judge.check(args, _PROG)
    given = {f"--{name.replace('_', '-')}": getattr(args, name) for name in _INPUTS if getattr(args, name) is not None}
    piped = [flag for flag, path in given.items() if path == "-"]
    if len(piped) > 1:
        raise CommandError(_PROG, piped[1], f"standard input can be read once, and {piped[0]} reads it")
    if args.out == "-":
        raise CommandError(_PROG, "--out", "names a file; --format json writes to standard output")
    written = {"--out": args.out, "--judge-record": args.judge_record}
    for flag, path in written.items():
        for other, read in {**given, **{name: one for name, one in written.items() if name != flag}}.items():
            if path is not None and read is not None and is_same(path, read):
                raise CommandError(_PROG, flag, f"names the same file as {other}")


def _call(args: Namespace) -> Call:
    """Return the evidence. Raise UsageError with all that is wrong in either file."""
    from hotato.cli import _evidence
    from hotato.errors import UsageError
    from hotato.model.call import Call

    call, refused = Call(), list[UsageError]()
    for path, read in ((args.transcript, _evidence.transcript), (args.trace, _evidence.trace)):
        try:
            part = None if path is None else read(path)
        except UsageError as error:
            refused.append(error)
            continue
        if part is not None and part.transcript is not None:
            call.transcript = part.transcript
        if part is not None and part.spans is not None:
            call.spans = part.spans
    if refused:
        raise type(refused[0])(problem for error in refused for problem in error.problems)
    return call
