"""PostgreSQL read, and nothing else, through psycopg.

Every read is a transaction of its own: REPEATABLE READ READ ONLY, sealed by a first SELECT so that the mode cannot be
changed any more, under timeouts of the server, and rolled back whatever happens. The statement is declared as a cursor over the
extended protocol: the server takes one statement there, one that returns rows, and hands out one row.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hotato.errors import StateAdapterError
from hotato.match.plain import record

if TYPE_CHECKING:
    import psycopg

_ISOLATION = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_CLASSES = {
    "25006": "the statement does more than read, and the database refused it",
    "55P03": "the record is locked by somebody else",
    "57014": "the statement ran past its timeout",
    "42501": "the role may not read this",
    "42P01": "there is no such table",
    "42703": "there is no such column",
    "28P01": "the database did not accept the password",
    "28000": "the database did not let the role in",
    "3D000": "there is no such database",
}


class ConnectionLostError(StateAdapterError):
    """The connection is gone; a new one may answer."""


def first_row(
    connection: psycopg.Connection[Any], statement: str, values: Mapping[str, Any] | Sequence[Any], seconds: float
) -> dict[str, Any] | None:
    """Return the first row of a statement, None where there is none. Raise StateAdapterError."""
    import psycopg

    if connection.closed:
        raise ConnectionLostError("the connection to the database is closed")
    if connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
        raise StateAdapterError("the connection is in the middle of a transaction")
    before, connection.autocommit = connection.autocommit, True
    try:
        return _read(connection, statement, values, seconds)
    except psycopg.Error as error:
        if connection.broken or connection.closed:
            raise ConnectionLostError(f"the connection to the database was lost ({type(error).__name__})") from None
        raise StateAdapterError(told(error)) from None
    except (ValueError, OverflowError, TypeError) as error:
        raise StateAdapterError(f"the database's answer cannot be read ({type(error).__name__})") from None
    finally:
        with contextlib.suppress(psycopg.Error):
            connection.autocommit = before


def _read(
    connection: psycopg.Connection[Any], statement: str, values: Mapping[str, Any] | Sequence[Any], seconds: float
) -> dict[str, Any] | None:
    from psycopg.rows import tuple_row

    milliseconds = max(1, int(seconds * 1000))
    with connection.cursor(row_factory=tuple_row) as own:
        own.execute(_ISOLATION)
        try:
            for setting in ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"):
                own.execute(f"SET LOCAL {setting} = {milliseconds}".encode())
            own.execute("SELECT 1")
            with connection.cursor(name="hotato_read", row_factory=tuple_row) as reader:
                reader.execute(statement.encode("utf-8"), values)
                row = reader.fetchone()
                columns = [one.name for one in reader.description or ()]
        finally:
            own.execute("ROLLBACK")
    return None if row is None else record(columns, row)


def told(error: psycopg.Error) -> str:
    """Return why PostgreSQL did not answer: the class of the error, never its message, which may hold values."""
    name = f"{error.sqlstate} {type(error).__name__}" if error.sqlstate else type(error).__name__
    said = _CLASSES.get(error.sqlstate or "", "the database did not answer")
    return f"{said} ({name})"
