"""The contract of an importer.

An importer is one file of its format's name in this folder. Its module docstring is its page: the first line names what
it reads; then, in Markdown, how to get the file from the vendor and what the vendor does not record. It declares

    RANK      where it is tried among the others when the format is told from the content; smaller first
    matches   Content -> why the content is of this format, in a few words; empty where it is not. Cheap, never raises
    read      Content, Options -> Imported. Raises Damage where the content is of the format but broken
    GIVES     which of `transcript` and `trace` the format can carry; left out where it can carry both

and may import the shared parts of this folder (underscored), `match`, `model` and `errors`; never another importer, a
plan or a kind. Facts go out as the file says them: what it does not say stays absent, never a guess or a success.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

Path = tuple[str | int, ...]


class Content(msgspec.Struct, frozen=True, kw_only=True):
    """A file as far as every importer sees it alike.

    `values` holds its JSON values: one for a document, one a line for JSON Lines, in order for objects written back to
    back; empty for other text and for bytes that are no text. `lines` holds the line of each value. `text` is None where
    the bytes are not UTF-8.
    """

    name: str
    raw: bytes
    text: str | None
    shape: Literal["document", "lines", "concatenated", "text", "binary"]
    values: list[Any]
    lines: list[int]

    @property
    def value(self) -> Any:
        """Return the one value of a document; None for any other shape."""
        return self.values[0] if self.shape == "document" else None


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What a user can say about a file that the file itself does not.

    `roles` maps speaker labels of the source to `agent`, `caller` or another role. `origin` is the moment, in seconds of
    the source's own clock, that counts as 0; None takes the call's own start, or the earliest time. `call_id` chooses one
    call of a file that holds several.
    """

    roles: Mapping[str, str] = {}
    origin: float | None = None
    call_id: str | None = None


class Note(msgspec.Struct, frozen=True):
    """Something that was lost, inferred or odd: a stable code, a sentence without anything the call said, how often."""

    code: str
    message: str
    count: int = 1


class Imported(msgspec.Struct, kw_only=True):
    """What a file gives.

    `transcript` and `spans` are None where the format cannot carry them, empty where it can and there were none. A turn
    is `{role, text, start?, end?, planned_text?, interrupted?, ...}`, a span `{type, name?, start_sec?, end_sec?,
    latency_ms?, arguments?, result?, error?, status?, ...}` as `hotato.voice_trace.v1` has it; times are seconds from the
    start of the call. `captures` says of event kinds (`tool_call`, `arguments`, `result`, `handoff`, `dtmf`,
    `http_exchange`, `termination`) whether the source records them: true, false, or absent where that is not known.
    `meta` holds what goes onto the meta line of a trace besides: `source` (`input_span_count`, ...), and of a trace that
    hotato wrote its whole meta line.
    """

    format: str
    transcript: list[dict[str, Any]] | None = None
    spans: list[dict[str, Any]] | None = None
    call_id: str | None = None
    agent_id: str | None = None
    stack: str | None = None
    captures: dict[str, bool] = msgspec.field(default_factory=dict)
    notes: list[Note] = msgspec.field(default_factory=list)
    meta: dict[str, Any] = msgspec.field(default_factory=dict)


class Damage(ValueError):  # noqa: N818  # it names what the file has
    """Content of the right format that cannot be used: the way to the fault, its line (0 unknown), and what is wrong.

    `code` is one of the codes of refused evidence.
    """

    def __init__(self, path: Path, message: str, line: int = 0, code: str = "import") -> None:
        self.path, self.message, self.line, self.code = path, message, line, code
        super().__init__(message)
