"""Judge a bundled call on which an agent claims a refund that was never issued.

For example:
  hotato demo
  hotato demo --out refund-demo
  hotato demo --format json

The demo ends with 0 where it worked, whatever the call's own exit code is. It is about 40 seconds of conversation,
written for this purpose; --out writes its files for you to change and judge again.
"""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Mapping
from typing import Any

from hotato.cli._out import emit
from hotato.cli._parser import Parser

FILES = ("assertions.yaml", "transcript.json", "voice_trace.jsonl", "state.json")
_FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "demo")
_INTRO = """\
A caller wants the money back for a broken lamp. Near the end of the call the agent says:

  "Good news, your refund of forty two fifty has been issued."

Was it? hotato holds what was said against the trace (what the tools did) and the system of record (what the books say).

"""


def configure(parser: Parser) -> None:
    """Declare flags."""
    parser.value("--out", "DIR", "write the call's files and its envelope to this folder", completes="folder")
    parser.switch("--force", "overwrite files that are there already")
    parser.formats()


def main(args: Namespace) -> int:
    """Judge the bundled call."""
    from hotato.model.codec import encode

    envelope = _judged()
    written = [] if args.out is None else _write(args.out, envelope, bool(args.force))
    if args.format == "json":
        emit(encode(envelope, indent=2) + "\n")
        return 0
    from hotato.cli._out import is_fancy
    from hotato.cli._show import shown

    lane = "" if is_fancy() else "Deterministic lane\n\n"
    emit(_INTRO + lane + shown(envelope) + _verdict(envelope) + _next(args.out, written))
    return 0


def _judged() -> dict[str, Any]:
    from hotato import assert_ as A
    from hotato.state.load import load_state_adapter

    document, transcript, trace, state = (os.path.join(_FOLDER, name) for name in FILES)
    context = A.build_context(transcript_path=transcript, trace_path=trace, state_adapter=load_state_adapter(state))
    return A.run_assertions_from_file(document, context)


def _write(folder: str, envelope: Mapping[str, Any], force: bool) -> list[str]:
    """Write the call's files and the envelope; return their paths. Raise UsageError and write nothing if one exists."""
    from hotato.context.files import read_text
    from hotato.context.folders import put_texts
    from hotato.errors import Problem, UsageError
    from hotato.model.codec import encode

    texts = {name: read_text(os.path.join(_FOLDER, name)) for name in FILES}
    texts["envelope.json"] = encode(envelope, indent=2) + "\n"
    paths = {name: os.path.join(folder, name) for name in texts}
    there = [path for path in paths.values() if os.path.lexists(path)]
    if there and not force:
        said = "exists already; --force overwrites it"
        raise UsageError(Problem(code="file_exists", file=path, message=said) for path in there)
    put_texts(folder, texts)
    return list(paths.values())


def _verdict(envelope: Mapping[str, Any]) -> str:
    """Return in words what the failing checks come to."""
    results = {result["id"]: result for result in envelope["results"]}
    call = results["refund-for-this-order"]["closest"]["span_id"]
    count = envelope["summary"]["deterministic"]
    return f"""
What happened: the agent asked for the refund of another order (span {call} comes closest to the call expected), was
turned down, and told the caller that it was done. No refund is in the books.

The {count["fail"]} failures and {count["pass"]} passes are deterministic: the same files give the same bytes, every time.

Model-judged lane

Empty. A model's opinion would stand here, advisory and apart, and never change the counts above; none was asked.
"""


def _next(folder: str | None, written: list[str]) -> str:
    from hotato.plan.text import safe

    if folder is None:
        return """
Next
  hotato demo --out refund-demo    write the call's files, to change and judge again
  hotato assert explain            the kinds of checks there are
  hotato assert run --help         judge a call of your own
"""
    document, transcript, trace, state, *_ = (safe(path) for path in written)
    return f"""
Written: {", ".join(map(safe, written))}

Next
  hotato assert run --assertions {document} \\
      --transcript {transcript} --trace {trace} --state {state}
"""
