"""Show a verdict where it is read: the public facade of the reports.

    from hotato import assert_ as A, report

    env = A.run_assertions_from_file("assertions.yaml", ctx)
    html, _ = report.build_report_html(suite="refund", assertions=env)
    report.write_report("out/junit.xml", format="junit", assertions=env)

A report shows what it is handed and judges nothing. An envelope that is none, or that contradicts itself, raises
UsageError, a ValueError, before anything is written.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hotato.report._view import Place, View
    from hotato.timing.scored import Scored

__all__ = [
    "FORMATS", "build_index_html", "build_report", "build_report_html", "build_report_md", "compare_runs", "write_report",
]  # fmt: skip

# format -> the module of this room that renders it, and the ends of file names by which it is told
_MODULES = {
    "html": ("html", (".html", ".htm")),
    "md": ("markdown", (".md", ".markdown")),
    "text": ("text", (".txt",)),
    "json": ("envelope", (".json",)),
    "junit": ("junit", (".xml",)),
    "sarif": ("sarif", (".sarif", ".sarif.json")),
    "github": ("github", ()),
    "tap": ("tap", (".tap",)),
}
FORMATS = tuple(_MODULES)


def build_report_html(
    *,
    suite: str | None = None,
    assertions: Mapping[str, Any] | None = None,
    transcript: Any = None,
    trace: Any = None,
    rubric: Mapping[str, Any] | None = None,
    base: Mapping[str, Any] | None = None,
    document: str | os.PathLike[str] | None = None,
    audio: str | os.PathLike[str] | None = None,
    stereo: str | os.PathLike[str] | None = None,
    expect: str = "yield",
    onset_sec: float | None = None,
) -> tuple[str, dict[str, Any] | None]:
    """Return one self-contained HTML page, and the envelope (`envelope.v1`) of the recording that was scored, else None.

    - `suite`: the heading.
    - `assertions`: an assert.v1 envelope. Left out, the page is that of a report without any.
    - `transcript`, `trace`: the call it is of, each as a path, as a list, or as a context has it.
    - `rubric`: a rubric.v1 envelope, shown apart. `base`: the envelope of an earlier run, to compare with.
    - `document`: the path of the assertions document, to tell lines in it.
    - `audio`: the path of the call's recording, a WAV file; it is silent where the document found personal data.
    - `stereo`: the path of a recording with caller and agent on a channel each; it is scored, with `expect` and `onset_sec`
      as for `run_single`, and shown with each side's activity and its frames. Needs the extra `audio`.

    Raise UsageError, a ValueError, where an envelope is none, contradicts itself, or a file cannot be read.
    """
    given = _given(suite, assertions, transcript, trace, rubric, base, document)
    scored = None if stereo is None else _scored(stereo, expect, onset_sec)
    html = build_report("html", **given, audio=audio, scored=scored)
    if scored is None:
        return html, None
    from hotato.timing.envelope import single

    return html, single(scored, scored.config)


def build_report_md(
    *,
    suite: str | None = None,
    assertions: Mapping[str, Any] | None = None,
    transcript: Any = None,
    trace: Any = None,
    rubric: Mapping[str, Any] | None = None,
    base: Mapping[str, Any] | None = None,
    document: str | os.PathLike[str] | None = None,
) -> tuple[str, dict[str, Any] | None]:
    """Return the report as Markdown of at most 65,536 characters; arguments, the second value and errors as for HTML."""
    return build_report("md", **_given(suite, assertions, transcript, trace, rubric, base, document)), None


def build_index_html(rows: Sequence[Mapping[str, Any]], *, title: str | None = None) -> str:
    """Return one HTML page over many calls: counts by assertion and dimension, the slowest calls, what newly fails.

    A row is `{call_id, envelope, href?, base?}`: an assert.v1 envelope, a path to the call's own report relative to the
    index, and the envelope of an earlier run. Raise UsageError, a ValueError, where an envelope is none.
    """
    from hotato.model import given
    from hotato.report.html import render_index

    if title is not None:
        given.typed(str, title, "title", "text")
    for place, row in enumerate(given.typed((list, tuple), rows, "rows", "a list of rows")):
        given.typed(Mapping, row, f"rows[{place}]", "a row: {call_id, envelope, href?, base?}")
    return render_index(rows, title)


def build_report(format: str, **given: Any) -> str:  # noqa: A002  # what a caller calls it
    """Return a report in one of FORMATS; the other arguments are those of `build_report_html`. Raise UsageError."""
    return render(format, view_of(**given))


def write_report(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002  # what a caller calls it
    force: bool = False,
    **given: Any,
) -> str:
    """Write a report whole or not at all and return its path. Raise UsageError; then nothing is written.

    `format` is one of FORMATS, by default as the name ends (`.html`, `.md`, `.xml`, `.sarif`, `.tap`, `.txt`, `.json`).
    A file that exists is overwritten with `force` only. The other arguments are those of `build_report_html`.
    """
    from hotato.context.files import write_text
    from hotato.model import given as checked

    name = checked.path(path, "path")
    checked.flag(force, "force")
    text = build_report(format_of(name) if format is None else format, **given)
    write_text(name, text, overwrite=force)
    return name


def compare_runs(base: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Return what changed between two assert.v1 envelopes: `newly_failing`, `fixed`, `still_failing` and so on.

    Each is a list of `{id, kind, before, after, changed}`. Raise UsageError where one is no envelope.
    """
    from hotato.report._view import checked
    from hotato.report.compare import as_data, compare

    return as_data(compare(checked(base, "base"), checked(new, "new")))


def format_of(name: str) -> str:
    """Return the format that the end of a file's name tells. Raise UsageError where it tells none."""
    folded = name.lower()
    found = [fmt for fmt, (_, ends) in _MODULES.items() for end in ends if folded.endswith(end)]
    if not found:
        from hotato.errors import Problem, UsageError

        said = f"the name tells no format; format= is one of {', '.join(FORMATS)}"
        raise UsageError(Problem(code="value", file=name, message=said))
    return found[-1]


def render(format: str, view: View) -> str:  # noqa: A002  # what a caller calls it
    """Return a view in one of FORMATS. Raise UsageError."""
    if type(format) is not str or format not in _MODULES:
        from hotato.errors import Problem, UsageError

        said = f"'{format}' is not among {', '.join(FORMATS)}"
        raise UsageError(Problem(code="value", file="format", message=said))
    module: Any = import_module(f"hotato.report.{_MODULES[format][0]}")
    text: str = module.render(view)
    return text


def view_of(
    *,
    suite: str | None = None,
    assertions: Mapping[str, Any] | None = None,
    transcript: Any = None,
    trace: Any = None,
    rubric: Mapping[str, Any] | None = None,
    base: Mapping[str, Any] | None = None,
    document: str | os.PathLike[str] | None = None,
    audio: str | os.PathLike[str] | None = None,
    scored: Scored | None = None,
    **more: Any,
) -> View:
    """Return what a report shows, from what `build_report_html` takes. Raise UsageError.

    `scored` is a recording that `hotato.timing.score` scored.
    """
    from hotato.model import given
    from hotato.report._lanes import lanes_of
    from hotato.report._view import view

    if suite is not None:
        given.typed(str, suite, "suite", "text")
    if more:
        raise TypeError(f"a report has no argument '{next(iter(more))}'")
    turns, turns_at = _turns(transcript)
    spans, spans_at = _spans(trace)
    return view(
        assertions=assertions,
        transcript=turns,
        spans=spans,
        rubric=rubric,
        base=base,
        title=suite,
        places=None if document is None else _written(document),
        turns_at=turns_at,
        spans_at=spans_at,
        audio=None if audio is None else _heard(audio),
        lanes=None if scored is None else lanes_of(scored),
    )


def _given(*values: Any) -> dict[str, Any]:
    names = ("suite", "assertions", "transcript", "trace", "rubric", "base", "document")
    return dict(zip(names, values, strict=True))


def _turns(transcript: Any) -> tuple[Any, Sequence[Place] | None]:
    if transcript is None:
        return None, None
    from hotato.context.transcript import turns

    if isinstance(transcript, (str, os.PathLike)):
        from hotato.report._places import transcript_file

        return transcript_file(os.fspath(transcript))
    return turns(transcript), None


def _spans(trace: Any) -> tuple[Any, Sequence[Place] | None]:
    if trace is None:
        return None, None
    from hotato.context.trace import spans

    if isinstance(trace, (str, os.PathLike)):
        from hotato.report._places import trace_file

        return trace_file(os.fspath(trace))
    return spans(trace), None


def _written(document: str | os.PathLike[str]) -> Mapping[str, Place]:
    from hotato.model import given
    from hotato.report._places import document_file

    return document_file(given.path(document, "document"))


def _heard(path: str | os.PathLike[str]) -> Any:
    from hotato.report._sound import read

    return read(path)


def _scored(path: str | os.PathLike[str], expect: str, onset_sec: float | None) -> Scored:
    from hotato.timing import Label, Recording, score

    return score(Recording(stereo=path), Label(expect=expect, onset_sec=onset_sec))
