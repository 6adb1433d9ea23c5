"""The quick readers of JSON read what a strict one reads, and let nothing through that it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hotato.context.typed import of_bytes
from hotato.model import codec
from hotato.model.limits import limit, limits

DEEPEST = 6
KEYS = ("a", r"\u0061", "b", "a:", r"a\u003a", r"a\u003A", "{", "}", "[", "]", r"\"", r"\":", ":", "", "é", r"\\")
PIECES = (
    "x",
    ":",
    r"\":",
    r"\u003a",
    r"\u007B",
    "{",
    "}",
    "[",
    "]",
    "},{",
    "{}",
    r"{\"a\": 1}",
    "://",
    r"\\",
    "ü",
    " ",
    ",",
)


class Open(msgspec.Struct):
    """A type that leaves everything open but its keys."""

    a: Any = msgspec.UNSET
    b: Any = msgspec.UNSET


STRINGS = st.lists(st.sampled_from(PIECES), max_size=3).map(lambda pieces: f'"{"".join(pieces)}"')
COLONS = st.sampled_from((":", ": ", " :", "\n:\t", "\r :"))


def objects(value: Any) -> Any:
    """Return texts of objects, of whose keys some stand twice, in one spelling or another."""
    pair = st.tuples(st.sampled_from(KEYS), COLONS, value)
    written = st.lists(pair, max_size=4).map(lambda pairs: [f'"{key}"{colon}{value}' for key, colon, value in pairs])
    return st.tuples(written, st.sampled_from((",", ", "))).map(lambda told: "{" + told[1].join(told[0]) + "}")


def lists(value: Any) -> Any:
    return st.lists(value, max_size=3).map(lambda items: "[" + ", ".join(items) + "]")


TEXTS = st.recursive(
    STRINGS | st.sampled_from(("1", "null", "-0.5", "true")), lambda value: objects(value) | lists(value), max_leaves=8
)


def strict(text: str) -> Any:
    """Return in one list the value of a text, by no code of hotato's; an empty list where it is refused."""

    def once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        if len({key for key, _ in pairs}) < len(pairs):
            raise ValueError("twice")
        return dict(pairs)

    try:
        value = json.loads(text, object_pairs_hook=once)
    except ValueError:
        return []
    return [value] if depth(value) <= limit("depth") else []


def depth(value: Any) -> int:
    inner = value.values() if type(value) is dict else value if type(value) is list else None
    return 0 if inner is None else 1 + max(map(depth, inner), default=0)


def told(read: Callable[[], Any]) -> list[Any]:
    try:
        return [read()]
    except codec.JsonError:
        return []


def quick(text: str) -> list[Any]:
    """Return what `decode_lines` gives of two lines, or the careful reader where it is unsure."""
    found = codec.decode_lines(f"{text}\n{text}", [text, text])
    return told(lambda: codec.decode(text)) if found is None else found[1:]


def same(found: list[Any], wanted: list[Any]) -> bool:
    return json.dumps(found, sort_keys=True) == json.dumps(wanted, sort_keys=True)


def forged(levels: int) -> str:
    """Return an object of so many levels, whose keys and strings hold the brackets that hide them."""
    return '{"}":' * levels + "1" + ',"a":"{"}' * levels


def test_every_reader_reads_what_a_strict_one_reads() -> None:
    seen = {"read": 0, "refused": 0, "typed": 0}

    @settings(max_examples=700, derandomize=True, deadline=None, database=None)
    @given(TEXTS)
    @example(forged(DEEPEST))
    @example(forged(DEEPEST + 1))
    @example('{"a":' + "[" * (DEEPEST - 1) + "{}" + "]" * (DEEPEST - 1) + "}")
    @example('{"a":1,"b":"x:y","a":2}')
    @example('{"b":{"a" :1,"\\u0061" :2},"a":":"}')
    @example(r'{"a\u003a":1,"a\u003a":2}')
    def law(text: str) -> None:
        with limits(depth=DEEPEST):
            wanted = strict(text)
            seen["read" if wanted else "refused"] += 1
            for found in (
                told(lambda: codec.decode(text)),
                told(lambda: codec.decode_bytes(text.encode())),
                quick(text),
            ):
                assert same(found, wanted), text
            within = f'{{"b": "x:y", "a" : {text}}}'
            typed = codec.decode_typed(within.encode(), msgspec.json.Decoder(Open).decode)
            if typed is not None:
                seen["typed"] += 1
                assert same([msgspec.to_builtins(typed)], strict(within)), text

    law()
    assert min(seen.values()) > 100, seen


@pytest.mark.parametrize("levels", [3, 61, 62, 200])
@pytest.mark.parametrize("place", ["arguments", "attributes"])
def test_brackets_in_strings_hide_no_depth(levels: int, place: str) -> None:
    line = f'{{"spans": [{{"type": "tool_call", "name": "n", "{place}": {forged(levels)}}}]}}'
    found = of_bytes(line.encode())
    assert (found is not None) is (depth(json.loads(line)) <= limit("depth"))
    assert bool(told(lambda: codec.decode_bytes(line.encode()))) is (found is not None)


def test_many_values_beside_one_another_are_not_deep() -> None:
    spans = [{"type": "x", "a": {"b": [{"c": place}]}} for place in range(200)]
    assert of_bytes(json.dumps({"spans": spans}).encode()) is not None
