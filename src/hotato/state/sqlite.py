"""SQLite read, and nothing else: opened for reading, an authorizer over every statement, and work that is counted.

`mode=ro` alone lets ATTACH create files and VACUUM INTO write a copy. The authorizer lets a statement select, read columns,
recurse, and call functions that are known to do no more than compute. A statement that would run for ever is stopped after
a number of steps of SQLite's own machine, the same on every computer.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from hotato.errors import StateAdapterError
from hotato.match.plain import MOST_BYTES, record

MOST_STEPS = 50_000_000  # of SQLite's virtual machine for one statement: a second or two
_STRIDE = 10_000
_LONGEST_STATEMENT = 100_000
_MOST_ROWS = 100_000  # of a table that is read whole

# functions that compute from their arguments; none reads or writes a file, loads code or changes a setting
_FUNCTIONS = frozenset(
    "abs avg ceil ceiling coalesce concat concat_ws count cume_dist date datetime dense_rank exp first_value floor format"
    " glob group_concat hex ifnull iif instr json json_array json_array_length json_each json_extract json_group_array"
    " json_group_object json_object json_quote json_tree json_type json_valid julianday lag last_value lead length like"
    " ln log log10 log2 lower ltrim max min mod nth_value ntile nullif octet_length percent_rank pi pow power printf quote"
    " rank replace round row_number rtrim sign sqrt strftime string_agg substr substring subtype sum time timediff total trim"
    " trunc typeof unhex unicode unixepoch upper -> ->>".split()
)
_ALLOWED = frozenset((sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, 33))  # 33: SQLITE_RECURSIVE
_SPOKEN = ("no such table", "no such column", "no such function", "near ", "incomplete input")


def opened(path: str, seconds: float = 5.0) -> sqlite3.Connection:
    """Return a connection that can only read; it waits so many seconds for a lock. Raise sqlite3.Error."""
    place = "/" + os.path.abspath(path).replace(os.sep, "/").lstrip("/")  # "//x" would be read as a host
    connection = sqlite3.connect(
        f"file:{quote(place)}?mode=ro", uri=True, timeout=seconds, isolation_level=None, check_same_thread=False
    )
    guard(connection)
    return connection


def guard(connection: sqlite3.Connection) -> None:
    """Bound what a connection may do, before every read: its user may have changed that since."""
    connection.set_authorizer(_authorize)
    for limit, most in (
        (sqlite3.SQLITE_LIMIT_LENGTH, MOST_BYTES),
        (sqlite3.SQLITE_LIMIT_SQL_LENGTH, _LONGEST_STATEMENT),
        (sqlite3.SQLITE_LIMIT_ATTACHED, 0),
        (sqlite3.SQLITE_LIMIT_VDBE_OP, 100_000),
    ):
        connection.setlimit(limit, most)


def unguard(connection: sqlite3.Connection, limits: Mapping[int, int]) -> None:
    """Give a connection that belongs to somebody else back its freedom."""
    connection.set_authorizer(None)
    for limit, most in limits.items():
        connection.setlimit(limit, most)


def limits_of(connection: sqlite3.Connection) -> dict[int, int]:
    """Return the limits that `guard` changes, as they are now."""
    names = (
        sqlite3.SQLITE_LIMIT_LENGTH,
        sqlite3.SQLITE_LIMIT_SQL_LENGTH,
        sqlite3.SQLITE_LIMIT_ATTACHED,
        sqlite3.SQLITE_LIMIT_VDBE_OP,
    )
    return {name: connection.getlimit(name) for name in names}


def first_row(
    connection: sqlite3.Connection, statement: str, values: Mapping[str, Any] | Sequence[Any]
) -> dict[str, Any] | None:
    """Return the first row of a statement, None where there is none. Raise StateAdapterError."""
    try:
        guard(connection)
        with _Counted(connection):
            cursor = connection.execute(statement, values)
            try:
                row = cursor.fetchone()
                columns = [one[0] for one in cursor.description or ()]
            finally:
                cursor.close()
    except (sqlite3.Error, sqlite3.Warning, OverflowError, UnicodeError, ValueError) as error:
        raise StateAdapterError(told(error)) from None
    return None if row is None else record(columns, row)


def tables(path: str) -> list[str]:
    """Return the names of a file's tables and views. Raise StateAdapterError."""
    listing = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name"
    return [str(one["name"]) for one in _all(path, listing)]


def every_row(path: str, table: str) -> list[dict[str, Any]]:
    """Return all rows of a table, in its own order. Raise StateAdapterError, also where there are too many."""
    name = table.replace('"', '""')
    return _all(path, f'SELECT * FROM "{name}"')  # noqa: S608  # a name that the file itself gave, quoted


def _all(path: str, statement: str) -> list[dict[str, Any]]:
    connection = None
    try:
        connection = opened(path)
        with _Counted(connection):
            cursor = connection.execute(statement)
            rows = cursor.fetchmany(_MOST_ROWS + 1)
            columns = [one[0] for one in cursor.description or ()]
    except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
        raise StateAdapterError(told(error)) from None
    finally:
        if connection is not None:
            connection.close()
    if len(rows) > _MOST_ROWS:
        raise StateAdapterError(f"a table of more than {_MOST_ROWS} rows is not read whole; use the sql adapter")
    return [record(columns, row) for row in rows]


def told(error: Exception) -> str:
    """Return why SQLite did not answer, in words that hold nothing of what it stores."""
    name = getattr(error, "sqlite_errorname", "") or type(error).__name__
    message = str(error)
    if name.startswith("SQLITE_AUTH") or message.startswith("not authorized"):
        return f"the statement does more than read, and the database refused it ({name})"
    if name.startswith("SQLITE_INTERRUPT"):
        return f"the statement was stopped after {MOST_STEPS} steps ({name})"
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return f"the database is locked ({name})"
    said = f": {message[:120]}" if message.startswith(_SPOKEN) and message.isprintable() else ""
    return f"SQLite did not answer ({name}){said}"


class _Counted:
    """Stops whatever runs in a block after so many steps."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._left = MOST_STEPS

    def __enter__(self) -> None:
        self._connection.set_progress_handler(self._count, _STRIDE)

    def __exit__(self, *_: object) -> None:
        self._connection.set_progress_handler(None, 0)

    def _count(self) -> int:
        self._left -= _STRIDE
        return int(self._left < 0)


def _authorize(action: int, first: str | None, second: str | None, *_: object) -> int:
    del first
    if action in _ALLOWED or (action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _FUNCTIONS):
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY
