"""Trace and span ids in one spelling: lower-case hex, whatever a tool wrote them in."""

from __future__ import annotations

import binascii
from typing import Any


def hexed(value: Any) -> str:
    """Return an id as lower-case hex; empty for none, for zeros and for what is no text.

    Base64, which tools that go through protobuf's own JSON write, is told by its `=` at the end: 16 and 8 bytes need it,
    and hex has none. `0x` in front is dropped. Anything else stays as it is, in lower case.
    """
    if type(value) is not str or not value:
        return ""
    if value[-1] == "=" and len(value) in (12, 24):
        try:
            value = binascii.a2b_base64(value, strict_mode=True).hex()
        except binascii.Error:
            return str(value)
    elif value[:2] == "0x":
        value = value[2:]
    found = str(value).lower()
    return found if found[:1] != "0" or found.strip("0") else ""
