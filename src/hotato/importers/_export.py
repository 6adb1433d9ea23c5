"""Writing spans back as flat lines that `bridge` reads, without loss."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hotato.model import codec

_FIRST = ("type", "name", "start_sec", "end_sec", "time_sec")


def export_otel_bridge(spans: Iterable[Any], meta: Mapping[str, Any] | None = None) -> str:
    """Return spans as flat JSON Lines, the meta line first where there is one.

    `spans` are records of a trace or spans as they were read. Every field is kept, and so is the order; of a meta line
    `_meta` is set.
    """
    out = []
    if meta is not None:
        out.append(codec.encode({**meta, "_meta": True}))
    for span in spans:
        fields = dict(span if isinstance(span, Mapping) else span.data)
        first = {name: fields[name] for name in _FIRST if name in fields}
        out.append(codec.encode({**first, **fields}))
    return "".join(line + "\n" for line in out)
