"""From a state config, by path or in hand, to an adapter."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from hotato.context.files import MOST_CONFIG, read_text
from hotato.document.reading import read
from hotato.errors import EvidenceError, Problem
from hotato.model.call import StateAdapter
from hotato.state.mock import MockStateAdapter


def load_state_adapter(config: Any, base_dir: Any = None) -> StateAdapter:
    """Return the adapter that a config describes. Raise EvidenceError where it describes none.

    `config` is a path to a JSON or YAML file, or a mapping: the rows themselves, or `{adapter: mock, data: {...}}` or
    `{adapter: mock, path: FILE}`. Relative paths start at `base_dir`, by default the config's folder.
    """
    file = "state"
    if not isinstance(config, Mapping):
        file = os.fspath(config)
        base_dir = base_dir if base_dir is not None else os.path.dirname(file)
        config = read(read_text(file, most=MOST_CONFIG, error=EvidenceError), file).value
    if isinstance(config, Mapping) and type(config.get("adapter")) is str:
        return _named(config, file, os.fspath(base_dir or ""))
    return MockStateAdapter(config, file=file)


def _named(config: Mapping[str, Any], file: str, folder: str) -> StateAdapter:
    if config["adapter"] != "mock":
        raise EvidenceError(Problem(code="state", file=file, path="adapter", message="unknown adapter; there is: mock"))
    unknown = sorted(set(config) - {"adapter", "data", "path"})
    if unknown or ("data" in config) == ("path" in config):
        said = f"unknown field '{unknown[0]}'" if unknown else "a mock adapter takes exactly one of data and path"
        raise EvidenceError(Problem(code="state", file=file, message=said))
    if "data" in config:
        return MockStateAdapter(config["data"], file=file)
    path = os.path.join(folder, str(config["path"]))
    return MockStateAdapter(read(read_text(path, most=MOST_CONFIG, error=EvidenceError), path).value, file=path)
