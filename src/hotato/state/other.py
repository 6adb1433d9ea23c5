"""Databases that the user vouches for, and connections that the user opened."""

from __future__ import annotations

import sqlite3
import sys
from typing import TYPE_CHECKING, Any

from sqlalchemy import create_engine
from sqlalchemy.dialects import sqlite as sqlite_dialect
from sqlalchemy.dialects.postgresql import psycopg as psycopg_dialect
from sqlalchemy.engine import URL
from sqlalchemy.engine.default import DefaultDialect
from sqlalchemy.exc import SQLAlchemyError

from hotato.errors import StateAdapterError
from hotato.match.plain import record
from hotato.state import sqlite
from hotato.state.bounded import TookTooLongError, within

if TYPE_CHECKING:
    from hotato.state.sql import Values


class OtherDatabase:
    """A database of any dialect that is installed; that its role can only read is the user's word."""

    def __init__(self, url: URL, seconds: float, size: int) -> None:
        self._seconds = seconds
        self._engine = create_engine(url, hide_parameters=True, pool_size=size, max_overflow=0, pool_timeout=seconds)
        self.dialect = self._engine.dialect

    def first_row(self, statement: str, values: Values) -> dict[str, Any] | None:
        """Return the first row, None where there is none. Raise StateAdapterError."""
        try:
            return within(self._seconds, lambda: self._read(statement, values), "the statement")
        except TookTooLongError:
            self._engine.dispose(close=False)
            raise

    def _read(self, statement: str, values: Values) -> dict[str, Any] | None:
        try:
            with self._engine.connect() as connection:
                try:
                    given: Any = values if isinstance(values, tuple) else dict(values)
                    answer = connection.exec_driver_sql(statement, given)
                    columns, row = list(answer.keys()), answer.fetchone()
                    answer.close()
                finally:
                    connection.rollback()
        except SQLAlchemyError as error:
            cause = getattr(error, "orig", None) or error
            raise StateAdapterError(f"the database did not answer ({type(cause).__name__})") from None
        return None if row is None else record(columns, tuple(row))

    def close(self) -> None:
        """Close the connections."""
        self._engine.dispose()


class GivenSqlite:
    """A connection of sqlite3 that the caller opened: it can only read while a record is read, then is as before."""

    dialect = sqlite_dialect.dialect(paramstyle="named")

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def first_row(self, statement: str, values: Values) -> dict[str, Any] | None:
        """Return the first row, None where there is none. Raise StateAdapterError."""
        try:
            limits, factories = (
                sqlite.limits_of(self._connection),
                (
                    self._connection.row_factory,
                    self._connection.text_factory,
                ),
            )
        except sqlite3.Error as error:
            raise StateAdapterError(sqlite.told(error)) from None
        self._connection.row_factory, self._connection.text_factory = None, str
        try:
            return sqlite.first_row(self._connection, statement, values)
        finally:
            sqlite.unguard(self._connection, limits)
            self._connection.row_factory, self._connection.text_factory = factories

    def close(self) -> None:
        """Leave the connection to the caller."""


class GivenPostgres:
    """A connection of psycopg that the caller opened."""

    dialect = psycopg_dialect.dialect()  # type: ignore[no-untyped-call]  # SQLAlchemy does not type it

    def __init__(self, connection: Any, seconds: float) -> None:
        self._connection, self._seconds = connection, seconds

    def first_row(self, statement: str, values: Values) -> dict[str, Any] | None:
        """Return the first row, None where there is none. Raise StateAdapterError."""
        from hotato.state import postgres

        return postgres.first_row(self._connection, statement, values, self._seconds)

    def close(self) -> None:
        """Leave the connection to the caller."""


class GivenOther:
    """A connection of another driver that the caller opened and vouches for."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        module = sys.modules.get(type(connection).__module__.partition(".")[0])
        self.dialect = DefaultDialect(paramstyle=getattr(module, "paramstyle", "named"))

    def first_row(self, statement: str, values: Values) -> dict[str, Any] | None:
        """Return the first row, None where there is none. Raise StateAdapterError."""
        try:
            cursor = self._connection.cursor()
            try:
                cursor.execute(statement, values)
                row = cursor.fetchone()
                columns = [one[0] for one in cursor.description or ()]
            finally:
                cursor.close()
        except Exception as error:  # a driver's own classes are not known here; its messages may hold values
            raise StateAdapterError(f"the database did not answer ({type(error).__name__})") from None
        return None if row is None else record(columns, tuple(row))

    def close(self) -> None:
        """Leave the connection to the caller."""
