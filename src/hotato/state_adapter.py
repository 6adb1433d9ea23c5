"""Systems of record for `state` and `state_change`: the public facade of `hotato.state`."""

from hotato.errors import StateAdapterError
from hotato.model.call import StateAdapter
from hotato.model.verdict import INCONCLUSIVE
from hotato.state.load import load_state_adapter
from hotato.state.mock import MockStateAdapter

__all__ = ["INCONCLUSIVE", "MockStateAdapter", "StateAdapter", "StateAdapterError", "load_state_adapter"]
