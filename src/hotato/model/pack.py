"""A policy rule pack: named, versioned rules on what must never and what must be said."""

from __future__ import annotations

from typing import Literal

import msgspec


class Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One rule: `banned` must match no turn of the role, `required_disclosure` must match one."""

    id: str
    type: Literal["banned", "required_disclosure"]
    regex: str
    role: str | None = None
    case_sensitive: bool = False
    description: str = ""


class Pack(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A rule pack as its file says it; `name` and `version` go onto each result."""

    name: str
    version: str
    rules: tuple[Rule, ...]
    description: str = ""
