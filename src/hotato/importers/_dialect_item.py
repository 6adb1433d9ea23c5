"""One thing said, called or answered between an agent and its model, whatever shape of telemetry it comes from."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from hotato.importers._payload import decoded


class Item(msgspec.Struct):
    """One thing of a conversation. `kind` is `text`, `call` or `result`, or `odd` of a message that cannot be read.

    Of a text `who` is the role; of a call and a result `id` is the call's, `name` the tool's, `value` what it was called
    with or what it answered.
    """

    kind: str
    who: str = ""
    text: str = ""
    id: str | None = None
    name: str | None = None
    value: Any = None
    known_key: tuple[str, ...] | None = None

    @property
    def key(self) -> tuple[str, ...]:
        """Return what is the same when a later request repeats the item."""
        if self.known_key is None:
            self.known_key = self._key()
        return self.known_key

    def _key(self) -> tuple[str, ...]:
        if self.kind == "text":
            return "text", self.who, " ".join(self.text.split())
        if self.id is not None:
            return self.kind, self.id
        return self.kind, self.name or "", canonical(self.value)


def canonical(value: Any) -> str:
    """Return a text that is the same for values that say the same, be they JSON text or an object."""
    found = decoded(value) if type(value) is str else value
    return json.dumps({} if found in (None, "") else found, sort_keys=True)
