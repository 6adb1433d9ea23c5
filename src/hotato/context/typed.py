"""The evidence of a call straight from its bytes, where they are as most calls are.

What is decoded is checked by types while it is decoded. Whatever is not plainly of these types, be it right or wrong, is
not judged here: it is left to `build_context`, which reads it or refuses it with its place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType

from hotato.context.audit import audit
from hotato.context.row import misnamed
from hotato.context.trace import _span
from hotato.context.transcript import _words
from hotato.match.misspelt import LIKE_META, PLAIN, field_meant, time_meant, type_meant
from hotato.match.text import fold, fold_role, nfc
from hotato.model import codec
from hotato.model.call import MOST_SECONDS, Span, StateAdapter, Turn
from hotato.model.limits import limit

# what is out of range is left to the careful readers
_Time = (
    Annotated[int, msgspec.Meta(ge=-MOST_SECONDS, le=MOST_SECONDS)]
    | Annotated[float, msgspec.Meta(ge=-MOST_SECONDS, le=MOST_SECONDS)]
    | None
)


class Said(msgspec.Struct, gc=False):
    """A turn as it is written. What stands there and what does not is told apart, so that every key can be counted."""

    text: str
    role: str | UnsetType = UNSET
    speaker: str | UnsetType = UNSET
    start: _Time | UnsetType = UNSET
    end: _Time | UnsetType = UNSET
    seq: int | UnsetType | None = UNSET
    words: Any = UNSET


class Head(msgspec.Struct, gc=False):
    """Of a span what every span has."""

    type: Annotated[str, msgspec.Meta(min_length=1)]
    name: str | None = None
    start_sec: _Time = None
    end_sec: _Time = None
    time_sec: _Time = None
    attributes: dict[str, Any] | None = None


class Parts(msgspec.Struct):
    """A call as it is written."""

    call_id: Any = UNSET
    transcript: list[Said] | UnsetType | None = UNSET
    spans: list[dict[str, Any]] | UnsetType | None = UNSET
    timing: dict[str, Any] | UnsetType | None = UNSET
    state: Any = UNSET
    source: Any = UNSET


class Typed:
    """The evidence of one call, with the attributes of `Call`; turns and spans are made when they are first asked for.

    `call_id` and `state` are what the bytes have, None without. Whoever knows how makes a `state_adapter` of the latter.
    """

    __slots__ = (
        "_data", "_heads", "_roles", "_said", "_spans", "_transcript",
        "call_id", "captures", "state", "state_adapter", "state_evidence", "timing",
    )  # fmt: skip

    def __init__(
        self, parts: Parts, said: list[Said] | None, roles: Mapping[Any, str], heads: list[Head] | None
    ) -> None:
        self.call_id, self.state, self.timing = _set(parts.call_id), _set(parts.state), _set(parts.timing)
        self.state_adapter: StateAdapter | None = None
        self.state_evidence: list[dict[str, Any]] = []
        self.captures: Mapping[str, bool] = {}
        self._said, self._roles, self._heads, self._data = said, roles, heads, parts.spans or []
        self._transcript: tuple[Turn, ...] | None = None
        self._spans: tuple[Span, ...] | None = None

    @property
    def transcript(self) -> tuple[Turn, ...] | None:
        """The turns; None where none were supplied."""
        if self._transcript is None and self._said is not None:
            self._transcript = tuple(_turns(self._said, self._roles))
        return self._transcript

    @property
    def spans(self) -> tuple[Span, ...] | None:
        """The spans; None where none were supplied."""
        if self._spans is None and self._heads is not None:
            self._spans = tuple(_spans(self._heads, self._data or []))
        return self._spans

    @property
    def audit(self) -> dict[str, Any]:
        """What was found in each source."""
        return audit(self.transcript, self.spans, {})


_decode: Callable[[bytes], Parts] = msgspec.json.Decoder(Parts).decode


def of_bytes(raw: bytes) -> Typed | None:
    """Return the call that a JSON object in UTF-8 holds; None where a careful look is needed, as at any unknown key."""
    parts = codec.decode_typed(raw, _decode)
    return None if parts is None else _checked(parts, len(raw))


def of_value(value: Any) -> Typed | None:
    """Return the call that a value of strict JSON is; None where a careful look is needed. Unknown keys are left alone."""
    try:
        return None if misnamed(value) else _checked(msgspec.convert(value, Parts))
    except (AttributeError, ValueError, RecursionError):  # of what is no object, or none of these types
        return None


def _checked(parts: Parts, size: int | None = None) -> Typed | None:
    """Return the call of parts of the right types, where what types do not say is right as well.

    `size` is the length of what was read, which no text in it can exceed.
    """
    said = parts.transcript if type(parts.transcript) is list else None
    data = parts.spans if type(parts.spans) is list else None
    if (said is None and data is None) or type(parts.source) is dict:
        return None
    roles: dict[Any, str] = {}
    if said is not None:
        longest = limit("turn_characters")
        if (size is None or size > longest) and any(len(turn.text) > longest for turn in said):
            return None
        names: set[Any] = {turn.role for turn in said}
        if UNSET in names:
            names = {_role(turn) for turn in said}
        for role in names:
            if not role.strip():
                return None
            roles[role] = fold_role(role)
    if data is None:
        return Typed(parts, said, roles, None)
    try:
        heads = msgspec.convert(data, list[Head])
    except (ValueError, RecursionError):
        return None
    for place in [place for place, head in enumerate(heads) if head.name is None or head.start_sec is None]:
        head = heads[place]
        if head.name is None and (head.attributes is not None or head.type == "tool_call"):
            span = _span(place, data[place])
            if type(span) is tuple:
                return None
            head.name = span.name  # type: ignore[union-attr]  # it is no tuple
        if head.start_sec is None:
            head.start_sec = head.time_sec
    if _is_misspelt(heads, data):
        return None
    return Typed(parts, said, roles, heads)


def _is_misspelt(heads: Sequence[Head], data: Sequence[dict[str, Any]]) -> bool:
    types = {head.type for head in heads}
    if any(map(type_meant, types)) or not types.isdisjoint(LIKE_META):
        return True
    for head, one in zip(heads, data, strict=True):
        if (head.end_sec is None or head.start_sec is None) and time_meant(one) is not None:
            return True
        plain = PLAIN.get(head.type)
        if plain is not None and not plain.issuperset(one) and field_meant(head.type, one) is not None:
            return True
    return False


def _turns(said: Sequence[Said], roles: Mapping[Any, str]) -> list[Turn]:
    return [
        Turn(
            index,
            roles[_role(turn) if turn.role is UNSET else turn.role],
            fold(turn.text),
            None if turn.start is UNSET else turn.start,
            None if turn.end is UNSET else turn.end,
            None if turn.seq is UNSET else turn.seq,
            _words(turn.words) if turn.words else (),
        )
        for index, turn in enumerate(said)
    ]


def _spans(heads: Sequence[Head], data: Sequence[dict[str, Any]]) -> list[Span]:
    return [
        Span(index, head.type, None if head.name is None else nfc(head.name), head.start_sec, head.end_sec, data[index])
        for index, head in enumerate(heads)
    ]


def _role(turn: Said) -> str:
    role = turn.speaker if turn.role is UNSET else turn.role
    return "unknown" if role is UNSET else role


def _set(value: Any) -> Any:
    return None if value is UNSET else value
