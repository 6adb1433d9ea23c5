"""SQLite files as systems of record: what reads, what is refused, and that nothing on disk changes."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hotato import assert_ as A
from hotato.errors import EvidenceError, StateAdapterError
from hotato.state import sqlite, statement
from hotato.state_adapter import SqlStateAdapter, load_state_adapter

TRICKS = [
    "WITH t AS (SELECT 1) /* ' */ DELETE FROM acct /* ' */",
    "WITH t AS (SELECT 1) -- '\n DELETE FROM acct -- '",
]
# every way to write, attach, copy or change a setting that one statement has
ATTEMPTS = [
    "DELETE FROM acct",
    "INSERT INTO acct VALUES (3, 'x', 1)",
    "UPDATE acct SET plan = 'x'",
    "REPLACE INTO acct VALUES (1, 'x', 1)",
    "WITH t AS (SELECT 1) DELETE FROM acct RETURNING *",
    *TRICKS,
    "CREATE TABLE made (a)",
    "CREATE TEMP TABLE made (a)",
    "DROP TABLE acct",
    "ALTER TABLE acct ADD COLUMN made",
    "ATTACH 'made.db' AS other",
    "VACUUM INTO 'made.db'",
    "VACUUM",
    "PRAGMA journal_mode = wal",
    "PRAGMA query_only = off",
    "SELECT load_extension('made')",
    "SELECT writefile('made', 'x')",
    "SELECT 1; DELETE FROM acct",
    "BEGIN IMMEDIATE",
    "SELECT * FROM pragma_journal_mode",
    "REINDEX",
    "ANALYZE",
]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "data" / "crm.db"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE acct (id INTEGER PRIMARY KEY, plan TEXT, balance REAL, note BLOB);"
            "INSERT INTO acct VALUES (1, 'pro', 40.0, x'00ff'), (2, 'o''neil', 19.99, NULL);"
            "CREATE INDEX plans ON acct (plan);"
            "CREATE TABLE orders (id TEXT, status TEXT);"
            "INSERT INTO orders VALUES ('A-1', 'cancelled');"
            "CREATE TABLE orders__before AS SELECT 'A-1' AS id, 'open' AS status;"
            "CREATE TABLE orders__after AS SELECT 'A-1' AS id, 'cancelled' AS status;"
        )
    return path


def adapter(path: Path, query: str = "SELECT * FROM acct WHERE id = :id", **fields: Any) -> Any:
    settings = {"adapter": "sql", "sqlite_path": path.name, "resources": {"r": {"query": query}}, "timeout": 0.3}
    return load_state_adapter({**settings, **fields}, path.parent)


@pytest.fixture
def unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every statement be loaded, so that only the database stands in the way."""
    monkeypatch.setattr(statement, "statement_faults", lambda *_: iter(()))


def contents(path: Path) -> dict[str, bytes]:
    return {one.name: one.read_bytes() for one in sorted(path.parent.iterdir())}


def test_the_first_row_is_a_record_of_plain_values(database: Path) -> None:
    made = adapter(database)
    assert made.query("r", id=1) == {"id": 1, "plan": "pro", "balance": 40.0, "note": "AP8="}
    assert made.query("r", id=9) is None


def test_a_filter_value_is_a_literal(database: Path) -> None:
    before = contents(database)
    made = adapter(database, "SELECT id FROM acct WHERE plan = :plan")
    assert made.query("r", plan="'; DROP TABLE acct; --") is None
    assert made.query("r", plan="' OR 1=1 --") is None
    assert made.query("r", plan="o'neil") == {"id": 2}
    assert contents(database) == before


def test_values_can_be_given_by_position(database: Path) -> None:
    resources = {"r": {"query": "SELECT id FROM acct WHERE plan = ? AND id = ?", "params_order": ["plan", "id"]}}
    made = adapter(database, resources=resources)
    assert made.query("r", id=1, plan="pro") == {"id": 1}


def test_a_filter_that_the_statement_does_not_use_is_not_dropped(database: Path) -> None:
    with pytest.raises(StateAdapterError, match="does not use the filter 'plan'"):
        adapter(database).query("r", id=1, plan="other")
    with pytest.raises(StateAdapterError, match="needs the filter 'id'"):
        adapter(database).query("r")


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("text", ATTEMPTS)
def test_the_database_refuses_whatever_does_more_than_read(
    database: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(database)
    monkeypatch.chdir(database.parent)  # a file that a statement makes would land here
    made = adapter(database, text)
    if text == "REINDEX":  # SQLite prepares it without asking; there is nothing that it could write
        with pytest.raises(StateAdapterError):
            made.query("r")
    else:
        with pytest.raises(StateAdapterError, match=r"SQLITE_|ProgrammingError|Warning"):
            made.query("r")
    made.close()
    assert contents(database) == before


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("text", ATTEMPTS)
def test_a_connection_in_hand_can_only_read_while_it_is_asked(
    database: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.row_factory = sqlite3.Row
        before = list(map(tuple, connection.execute("SELECT * FROM acct")))
        made = SqlStateAdapter(
            {"connection": connection, "resources": {"r": {"query": text}, "one": {"query": "SELECT 1 AS one"}}}
        )
        assert made.query("one") == {"one": 1}
        monkeypatch.chdir(database.parent)
        with pytest.raises(StateAdapterError):
            made.query("r")
        assert [one.name for one in database.parent.iterdir()] == [database.name]
        assert list(map(tuple, connection.execute("SELECT * FROM acct"))) == before
        assert connection.row_factory is sqlite3.Row
        connection.execute("UPDATE acct SET plan = 'mine' WHERE id = 1")  # its owner may write again


@pytest.mark.parametrize("text", [*TRICKS, "DELETE FROM acct", "SELECT 1; SELECT 2", "PRAGMA x", "", "-- nothing"])
def test_a_statement_that_plainly_does_more_is_refused_when_it_is_loaded(database: Path, text: str) -> None:
    with pytest.raises(EvidenceError) as caught:
        adapter(database, text)
    assert caught.value.problems[0].path == "resources.r.query"
    assert caught.value.problems[0].code in ("statement", "length")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT replace(plan, 'p', 'q') AS plan FROM acct",
        'SELECT 1 AS "commit"',
        "SELECT 'delete from acct' AS text /* DROP */",
        "WITH t AS (SELECT id FROM acct) SELECT id FROM t",
        "SELECT count(*) AS n FROM acct",
    ],
)
def test_a_statement_that_only_reads_is_not_refused_for_its_words(database: Path, text: str) -> None:
    assert adapter(database, text).query("r") is not None


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    "text",
    [
        "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) AS n FROM t",
        "SELECT hex(zeroblob(900000000)) AS x",
        (
            "SELECT group_concat(a.sql) AS x FROM sqlite_master a, sqlite_master b, sqlite_master c, sqlite_master d,\n"
            "sqlite_master e, sqlite_master f, sqlite_master g, sqlite_master h, sqlite_master i, sqlite_master j"
        ),
    ],
)
def test_a_statement_without_end_is_stopped(database: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "MOST_STEPS", 2_000_000)
    with pytest.raises(StateAdapterError, match=r"SQLITE_INTERRUPT|SQLITE_TOOBIG|does more than read"):
        adapter(database, text).query("r")


def test_two_columns_of_one_name_are_not_one_value(database: Path) -> None:
    with pytest.raises(StateAdapterError, match="same name"):
        adapter(database, "SELECT 1 AS a, 2 AS a").query("r")


def test_a_locked_file_is_inconclusive(database: Path) -> None:
    with closing(sqlite3.connect(database, isolation_level=None)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        ctx = A.build_context(state_adapter=adapter(database))
        asked = {"id": "a", "kind": "state", "resource": "r", "filters": {"id": 1}, "expect": {"plan": "pro"}}
        result = A.evaluate_assertion(asked, ctx)
        assert (result["status"], result["code"]) == ("INCONCLUSIVE", "unreadable")
        assert "locked" in result["reason"]
        writer.execute("ROLLBACK")
        assert A.evaluate_assertion(asked, ctx)["status"] == "PASS"


def test_a_damaged_file_is_inconclusive(database: Path) -> None:
    raw = bytearray(database.read_bytes())
    raw[100:] = os.urandom(1) * (len(raw) - 100)
    database.write_bytes(raw)
    with pytest.raises(StateAdapterError, match="SQLITE_"):
        adapter(database).query("r", id=1)


def test_a_missing_table_is_inconclusive(database: Path) -> None:
    with pytest.raises(StateAdapterError, match="no such table"):
        adapter(database, "SELECT * FROM nowhere").query("r")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EvidenceError) as caught:
        adapter(tmp_path / "none.db")
    assert caught.value.problems[0].code == "file_missing"
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_read_all_the_same(database: Path) -> None:
    database.parent.chmod(0o555)
    try:
        assert adapter(database).query("r", id=1) is not None
    finally:
        database.parent.chmod(0o755)


def test_a_row_changed_by_a_writer_is_read_as_it_is_in_the_next_run(database: Path) -> None:
    ctx = A.build_context(state_adapter=adapter(database))
    asked = {"id": "a", "kind": "state", "resource": "r", "filters": {"id": 1}, "expect": {"plan": "pro"}}
    assert A.evaluate_assertion(asked, ctx)["status"] == "PASS"
    with closing(sqlite3.connect(database)) as writer, writer:
        writer.execute("UPDATE acct SET plan = 'free'")
    assert A.evaluate_assertion(asked, ctx)["status"] == "FAIL"
    assert [one["observed"]["plan"] for one in ctx.state_evidence] == ["pro", "free"]


def test_before_and_after_are_read_by_statements_of_their_own(database: Path) -> None:
    resources = {
        "orders": {
            "before": "SELECT * FROM orders__before WHERE id = :id",
            "query": "SELECT * FROM orders WHERE id = :id",
        }
    }
    ctx = A.build_context(state_adapter=adapter(database, resources=resources))
    asked = {"id": "a", "kind": "state_change", "resource": "orders", "filters": {"id": "A-1"}, "field": "status"}
    result = A.evaluate_assertion({**asked, "from": "open", "to": "cancelled"}, ctx)
    assert result["status"] == "PASS"
    lone = A.build_context(state_adapter=adapter(database, "SELECT * FROM orders WHERE id = :id"))
    result = A.evaluate_assertion({**asked, "resource": "r", "changed": True}, lone)
    assert (result["status"], result["code"]) == ("INCONCLUSIVE", "unreadable")


@pytest.mark.parametrize("form", ["path", "mapping"])
def test_the_tables_of_a_file_are_resources_of_the_mock(database: Path, form: str) -> None:
    before = contents(database)
    made = load_state_adapter(database if form == "path" else {"adapter": "mock", "path": str(database)})
    assert made.query("acct", plan="pro") == {"id": 1, "plan": "pro", "balance": 40.0, "note": "AP8="}
    assert made.query("acct", id=3) is None
    assert made.query("orders", when="before", id="A-1") == {"id": "A-1", "status": "open"}
    assert made.query("orders", when="after", id="A-1") == {"id": "A-1", "status": "cancelled"}
    for resource, when in (("nowhere", ""), ("acct", "before")):
        with pytest.raises(StateAdapterError, match="has no table"):
            made.query(resource, when=when)
    assert contents(database) == before


def test_a_file_of_the_write_ahead_kind_is_read(database: Path) -> None:
    with closing(sqlite3.connect(database)) as writer:
        writer.execute("PRAGMA journal_mode = wal")
        writer.execute("UPDATE acct SET plan = 'new' WHERE id = 1")
        writer.commit()
        assert adapter(database).query("r", id=1)["plan"] == "new"


@pytest.mark.parametrize(
    ("fields", "code", "path"),
    [
        ({"url": "sqlite:///x"}, "exclusive_fields", "url"),
        ({"sqlite_path": None}, "missing_field", ""),
        ({"sqlite_path": None, "dsn": "x"}, "missing_field", "driver"),
        ({"password_env": "X"}, "needless_field", "password_env"),
        ({"resources": {}}, "length", "resources"),
        ({"resources": {"r": {}}}, "missing_field", "resources.r.query"),
        ({"sqlite_path": None, "url": "mysql://db.example/x", "egress_opt_in": True}, "read_only", "url"),
        ({"sqlite_path": None, "url": "postgresql://u:pw@localhost/x"}, "secret", "url"),
        ({"sqlite_path": None, "url": "postgresql:///x"}, "address", "url"),
        ({"sqlite_path": None, "url": "postgresql://localhost/x?service=other"}, "address", "url"),
        ({"sqlite_path": None, "url": "postgresql://localhost/x?host=db.example"}, "egress", "url"),
        ({"sqlite_path": None, "url": "postgresql://db.example/x"}, "egress", "url"),
        ({"sqlite_path": None, "url": "postgresql://169.254.169.254/x", "egress_opt_in": True}, "address", "url"),
        ({"sqlite_path": None, "dsn": "host=db.example", "driver": "psycopg"}, "egress", "dsn"),
        ({"sqlite_path": None, "dsn": "host=localhost password=x", "driver": "psycopg"}, "secret", "dsn"),
        ({"sqlite_path": None, "dsn": "x", "driver": "oracle"}, "wrong_value", "driver"),
    ],
)
def test_a_config_that_is_wrong_is_refused(database: Path, fields: dict[str, Any], code: str, path: str) -> None:
    with pytest.raises(EvidenceError) as caught:
        adapter(database, **fields)
    assert (code, path) in [(one.code, one.path) for one in caught.value.problems]
    assert "pw" not in str(caught.value)


def test_another_dialect_is_read_where_the_user_vouches_for_the_role(database: Path) -> None:
    from sqlalchemy.engine import make_url

    from hotato.state.other import OtherDatabase

    made = OtherDatabase(make_url(f"sqlite:///{database}"), 1.0, 1)
    assert made.first_row("SELECT plan FROM acct WHERE id = ?", (1,)) == {"plan": "pro"}
    assert made.first_row("SELECT plan FROM acct WHERE id = ?", (9,)) is None
    with pytest.raises(StateAdapterError, match="OperationalError"):
        made.first_row("SELECT * FROM nowhere", ())
    made.close()
