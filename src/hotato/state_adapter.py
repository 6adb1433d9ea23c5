"""Systems of record for `state` and `state_change`: the public facade of `hotato.state`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hotato.errors import StateAdapterError
from hotato.model.call import StateAdapter
from hotato.model.verdict import INCONCLUSIVE
from hotato.state.load import load_state_adapter
from hotato.state.mock import MockStateAdapter

if TYPE_CHECKING:
    from hotato.state.http import HttpStateAdapter
    from hotato.state.sql import SqlStateAdapter

__all__ = [
    "HttpStateAdapter",
    "INCONCLUSIVE",
    "MockStateAdapter",
    "SqlStateAdapter",
    "StateAdapter",
    "StateAdapterError",
    "load_state_adapter",
]


def __getattr__(name: str) -> Any:
    """Resolve the adapters that need more than rows, when first asked for."""
    if name == "HttpStateAdapter":
        from hotato.state.http import HttpStateAdapter

        return HttpStateAdapter
    if name == "SqlStateAdapter":
        from hotato.state.sql import SqlStateAdapter

        return SqlStateAdapter
    raise AttributeError(f"module 'hotato.state_adapter' has no attribute '{name}'")
