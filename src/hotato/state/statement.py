"""A clear word about a statement that does not read. The database is what keeps it from writing; this is no guard."""

from __future__ import annotations

from collections.abc import Iterator

from hotato.model.fault import Fault

_LONGEST = 20_000  # characters; a longer statement is left to the database


def statement_faults(statement: str, where: tuple[str, ...]) -> Iterator[Fault]:
    """Yield a fault where a statement is plainly not one SELECT. One that cannot be parsed here is left to the database."""
    said = _judged(statement)
    if said:
        yield Fault(where, "statement", said)


def _judged(statement: str) -> str:
    if "\0" in statement:
        return "a NUL character in a statement"
    if len(statement) > _LONGEST:
        return ""
    try:
        import logging

        import sqlglot
        from sqlglot import exp
    except ImportError:
        return ""
    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)  # it logs what it cannot parse, statement and all
    try:
        found = [one for one in sqlglot.parse(statement) if one is not None and not isinstance(one, exp.Semicolon)]
    except (sqlglot.errors.SqlglotError, RecursionError, ValueError):
        return ""
    if len(found) != 1:
        return "must be one statement" if found else "holds no statement"
    root = found[0]
    if not isinstance(root, (exp.Query, exp.Values)):
        return f"must be one SELECT, or WITH ... SELECT; found {root.key.upper()}"
    changing = root.find(exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.Into, exp.Create, exp.Drop, exp.Lock)
    return "" if changing is None else f"must only read; it holds {changing.key.upper()}"
