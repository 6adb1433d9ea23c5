"""A system of record in a database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import msgspec

from hotato.errors import EvidenceError, Problem, StateAdapterError
from hotato.model.given import path, typed
from hotato.state.config import SqlConfig, SqlResource

Values = Mapping[str, Any] | Sequence[Any]


class Source(Protocol):
    """A database as the adapter sees it: it reads the first row of a statement."""

    @property
    def dialect(self) -> Any:
        """Return SQLAlchemy's dialect, which says how a statement names its values."""

    def first_row(self, statement: str, values: Values) -> dict[str, Any] | None:
        """Return the first row, None where there is none. Raise StateAdapterError."""

    def close(self) -> None:
        """Close the connections."""


class _Statement(msgspec.Struct, frozen=True):
    """A statement as the driver takes it. `names` are the filters it uses; `order` where they are given by position."""

    text: str
    names: frozenset[str]
    order: tuple[str, ...] | None


class SqlStateAdapter:
    """Reads each record with a statement of the config. `config` is what a state config says of it, or a checked SqlConfig.

    `connection` (also as a field of a mapping) is a connection of sqlite3 or psycopg that the caller has opened. Values
    are always bound, never written into a statement. Raise EvidenceError where the config is wrong. The adapter keeps its
    connections; `close` closes them.
    """

    def __init__(
        self,
        config: Mapping[str, Any] | SqlConfig,
        *,
        connection: Any = None,
        base_dir: Any = "",
        file: str = "state",
    ) -> None:
        if not isinstance(config, SqlConfig):
            from hotato.state.load import checked

            given = {"adapter": "sql", **typed(Mapping, config, file, "a mapping", EvidenceError)}
            connection = given.pop("connection", connection)
            config = checked(given, SqlConfig, file, has_connection=connection is not None)
        self._config = config
        try:
            from hotato.state import sources
        except ImportError:
            said = "the sql adapter needs SQLAlchemy: pip install 'hotato[sql]'"
            raise EvidenceError(Problem(code="extra_missing", file=file, path="adapter", message=said)) from None
        self._source: Source = sources.source_of(config, connection, path(base_dir, "base_dir"), file)
        self._statements: dict[tuple[str, str], _Statement] = {}

    def query(self, resource: str, *, when: str = "", **filters: Any) -> dict[str, Any] | None:
        """Return the first row, None where there is none. Raise StateAdapterError."""
        known = self._config.resources.get(resource)
        if known is None:
            raise StateAdapterError(f"the state config has no resource '{resource}'")
        field = _field(known, when)
        statement = self._statements.get((resource, field))
        if statement is None:
            statement = self._statements[resource, field] = self._prepared(known, field)
        return self._source.first_row(statement.text, _bound(statement, filters))

    def ping(self) -> None:
        """Raise StateAdapterError where the database does not answer."""
        self._source.first_row("SELECT 1 AS answer", {})

    def close(self) -> None:
        """Close the connections that the adapter opened."""
        self._source.close()

    def _prepared(self, resource: SqlResource, field: str) -> _Statement:
        query = str(getattr(resource, field))
        if resource.params_order is not None:
            order = tuple(resource.params_order)
            return _Statement(query, frozenset(order), order)
        from sqlalchemy import text
        from sqlalchemy.exc import SQLAlchemyError

        try:
            compiled = text(query).compile(dialect=self._source.dialect)
        except SQLAlchemyError as error:
            raise StateAdapterError(f"the statement cannot be prepared ({type(error).__name__})") from None
        return _Statement(str(compiled), frozenset(compiled.params), None)


def _field(resource: SqlResource, when: str) -> str:
    if when and resource.before is None:
        raise StateAdapterError("the resource has no snapshots: neither 'before' and 'after' nor recorded ones")
    if when == "before":
        return "before"
    live = "query" if resource.query is not None else "after"
    return "after" if when and resource.after is not None else live


def _bound(statement: _Statement, filters: Mapping[str, Any]) -> Values:
    """Return the values of a statement. Raise StateAdapterError where a filter would be left out, or is missing."""
    unused = sorted(set(filters) - statement.names)
    if unused:
        raise StateAdapterError(f"the statement does not use the filter '{unused[0]}', so it would not be applied")
    missing = sorted(statement.names - set(filters))
    if missing:
        raise StateAdapterError(f"the statement needs the filter '{missing[0]}'")
    if statement.order is not None:
        return tuple(filters[name] for name in statement.order)
    return dict(filters)
