"""The call that a command judges and what it judges it by: the flags that name both, and reading the files."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from hotato.cli._calls import declare as declare_source
from hotato.cli._calls import options
from hotato.cli._parser import CommandError, Parser

if TYPE_CHECKING:
    from hotato.model.call import Call
    from hotato.plan.compile import Plan

_T = TypeVar("_T")
_U = TypeVar("_U")
INPUTS = ("assertions", "call", "transcript", "trace", "state", "stereo")
_OF_A_CALL = ("call_format", "call_id")
_OF_SPEECH = ("map_role", "origin")
_OF_SOUND = ("expect", "onset", "transcribe")
_OF_TRANSCRIBING = ("transcribe_model", "transcribe_language", "transcribe_cache")


def declare(parser: Parser) -> None:
    """Declare the flags that name a document and the evidence of a call."""
    value = parser.value
    value(
        "--assertions", "FILE", "the document, YAML or JSON; for any one file - is standard input", completes="document"
    )
    value(
        "--pack", "NAME", "a bundled assertion pack to judge by as well; may be repeated", completes="pack", many=True
    )
    declare_evidence(parser)
    parser.switch("--strict", "a PASS that holds of nothing is a FAIL")
    said = "read what one speaker says without a break as one utterance (on by default)"
    parser.switch("--join-segments", said, negative="--no-join-segments")


def declare_evidence(parser: Parser) -> None:
    """Declare the flags that name the evidence of a call."""
    value = parser.value
    said = "what was said and done, as a vendor, a framework or OpenTelemetry wrote it"
    value("--call", "FILE", said, completes="file")
    declare_source(parser, "--call-format")
    said = "what was said: a JSON list of {role, text, start, end}, or what speech-to-text wrote"
    value("--transcript", "FILE", said, completes="file")
    value("--trace", "FILE", "what was done: hotato.voice_trace.v1, one JSON object a line", completes="file")
    parser.switch("--capture-complete", "the trace's source records every kind of event, whatever it is known for")
    value("--state", "FILE", "the system of record: {resource: [rows]}, or a state config", completes="file")
    said = "a recording with caller and agent on a channel each, scored as hotato run does; the scores are the timing"
    value("--stereo", "FILE", said, completes="file")
    said = "what the agent is to do when the caller begins: yield (default), or hold"
    value("--expect", "LABEL", said, choices=("yield", "hold"))
    value("--onset", "SECONDS", "where the caller begins; by default it is found in the recording")
    parser.switch("--transcribe", "also write down what is said on the recording, as hotato transcribe does")
    value("--transcribe-model", "NAME", "by another model than whisper-base")
    value("--transcribe-language", "CODE", "the language that is spoken, such as en; by default the model finds it")
    said = "replay what was kept of the same recording, and keep what is new (on by default)"
    parser.switch("--transcribe-cache", said, negative="--no-transcribe-cache")


def inputs(args: Namespace) -> dict[str, str]:
    """Return the files that are judged and judged by: name of the flag -> path."""
    return {name: getattr(args, name) for name in INPUTS if getattr(args, name, None) is not None}


def check(args: Namespace, prog: str, more: Mapping[str, str | None] | None = None) -> None:
    """Refuse to judge by nothing, to read standard input twice, and flags that say something of a file that is not given.

    `more` are files that the command reads besides, flag -> path. Raise CommandError.
    """
    if args.assertions is None and not args.pack:
        raise CommandError(prog, "", "needs --assertions FILE or --pack NAME: what is to be checked")
    check_evidence(args, prog, more)


def check_evidence(args: Namespace, prog: str, more: Mapping[str, str | None] | None = None) -> None:
    """Refuse to read standard input twice, and flags that say something of a file that is not given, as `check` does."""
    read = {**{f"--{name}": path for name, path in inputs(args).items()}, **(more or {})}
    piped = [flag for flag, path in read.items() if path == "-"]
    if len(piped) > 1:
        raise CommandError(prog, piped[1], f"standard input can be read once, and {piped[0]} reads it")
    if args.transcribe and args.transcript is not None:
        raise CommandError(prog, "--transcribe", "makes a transcript, and --transcript gives one")
    for name in _OF_TRANSCRIBING:
        if getattr(args, name) is not None and not args.transcribe:
            raise CommandError(prog, f"--{name.replace('_', '-')}", "means nothing without --transcribe")
    given = [name for name in ("call", "transcript", "trace", "stereo") if getattr(args, name) is not None]
    for names, wanted in (
        (_OF_A_CALL, ["call"]),
        (_OF_SPEECH, ["call", "transcript"]),
        (("capture_complete",), ["call", "trace"]),
        (_OF_SOUND, ["stereo"]),
    ):
        for name in names:
            if getattr(args, name) is not None and not set(wanted) & set(given):
                without = " or ".join(f"--{one}" for one in wanted)
                raise CommandError(prog, f"--{name.replace('_', '-')}", f"means nothing without {without}")


def plan_and_call(args: Namespace, prog: str, policy: str | None = None) -> tuple[Plan, Call]:
    """Return what to judge by and what is judged. Raise UsageError with all that is wrong in any of the files.

    `policy` is what an INCONCLUSIVE does, where the command line says it.
    """
    return made_and_call(args, prog, lambda: _plan(args, policy))


def made_and_call(
    args: Namespace, prog: str, make: Callable[[], _T], measure: Callable[[], dict[str, Any] | None] | None = None
) -> tuple[_T, Call]:
    """Return what `make` reads, which a call is judged by, and the call. Raise UsageError with all that is wrong.

    `measure` returns what is measured of the recording, where that is more than the score of its one event.
    """
    from hotato import assert_ as A
    from hotato.errors import UsageError

    refused: list[UsageError] = []

    def attempt(work: Callable[[], _U]) -> _U | None:
        try:
            return work()
        except UsageError as error:
            refused.append(error)
            return None

    made = attempt(make)
    parts = [attempt(read) for read in _readers(args, prog)]
    state = attempt(lambda: None if args.state is None else _state(args.state))
    timing = attempt(lambda: None if args.stereo is None else measure() if measure else _timing(args, prog))
    if refused or made is None:
        raise type(refused[0])(problem for error in refused for problem in error.problems)
    from hotato.cli._evidence import together

    call = A.build_context(state_adapter=state, timing=timing)
    twice = together(call, parts)
    if twice:
        raise CommandError(prog, f"--{twice}", f"the file of --call holds a {twice} as well; give one of them")
    return made, call


def _readers(args: Namespace, prog: str) -> list[Callable[[], Call]]:
    """Return what reads each of the files with evidence, in the order of --call, --transcript, --trace."""
    from hotato.cli import _evidence as evidence

    complete = bool(args.capture_complete)
    told = options(args, prog) if args.call is not None or args.map_role or args.origin else None
    readers: list[Callable[[], Call]] = []
    if args.call is not None and told is not None:
        readers.append(lambda: evidence.call(args.call, args.call_format, told, capture_complete=complete))
    if args.transcript is not None:
        # beside a call the transcript fills what the call has not: who speaks there may be said, its clock is the call's
        of_speech = told if told is None or args.call is None else type(told)(roles=told.roles)
        readers.append(lambda: evidence.transcript(args.transcript, of_speech))
    if args.transcribe and args.stereo is not None:
        readers.append(lambda: _heard(args))
    if args.trace is not None:
        readers.append(lambda: evidence.trace(args.trace, capture_complete=complete))
    return readers


def _plan(args: Namespace, policy: str | None) -> Plan:
    from hotato import assert_ as A

    packs: Sequence[str] = args.pack or ()
    if args.assertions is not None:
        from hotato.context.files import MOST_CONFIG, read_text
        from hotato.errors import DocumentError

        text, file = read_text(args.assertions, most=MOST_CONFIG, error=DocumentError), args.assertions
    else:
        from hotato.cli._packs import pack_text

        text, file, packs = pack_text(packs[0]), f"{packs[0]}.yaml", packs[1:]
    args.judged_by = text, file
    return A.compile_assertions(
        text,
        packs=packs,
        file=file,
        inconclusive_policy=policy,
        strict=args.strict,
        join_segments=args.join_segments,
        verify_bundle=_verify_bundle,
    )


def _verify_bundle(path: str) -> tuple[int, int, int]:
    from hotato.core import verify_bundle

    return verify_bundle(path)


def _timing(args: Namespace, prog: str) -> dict[str, Any]:
    """Return the envelope of the recording, scored; what reports draw of it is left in `args.scored`."""
    from hotato.cli._timing import number
    from hotato.timing import Label, Recording, score
    from hotato.timing.envelope import single

    onset = number(args.onset, "--onset", prog)
    args.scored = score(Recording(stereo=args.stereo), Label(expect=args.expect or "yield", onset_sec=onset))
    return single(args.scored, args.scored.config)


def _heard(args: Namespace) -> Call:
    """Return the call of what a speech model hears on the recording; the envelope says that one did."""
    from hotato.cli._transcribe import heard

    cache = args.transcribe_cache is not False
    return heard(args.stereo, model=args.transcribe_model, language=args.transcribe_language, cache=cache)


def _state(path: str) -> Any:
    from hotato.state.load import load_state_adapter

    return load_state_adapter(path)
