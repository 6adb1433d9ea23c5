"""The sql adapter against a real PostgreSQL that the tests start themselves."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from _postgres import Server
from hotato import assert_ as A
from hotato.errors import StateAdapterError
from hotato.state import statement
from hotato.state_adapter import SqlStateAdapter, load_state_adapter

QUERY = "SELECT * FROM acct WHERE id = :id"
ASKED = {"id": "a", "kind": "state", "resource": "r", "filters": {"id": 1}, "expect": {"plan": "pro"}}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    started = Server()
    yield started
    started.close()


@pytest.fixture(autouse=True)
def passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READER_PW", "reader-pw")
    monkeypatch.setenv("WRITER_PW", "writer-pw")


@pytest.fixture
def unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every statement be loaded, so that only the database stands in the way."""
    monkeypatch.setattr(statement, "statement_faults", lambda *_: iter(()))


@pytest.fixture
def rows(server: Server) -> Iterator[Any]:
    """Return a function that tells all rows; hold that a test leaves them as they were, and makes no table."""

    def told() -> list[Any]:
        with server.connect() as connection:
            tables = connection.execute(
                "SELECT relname FROM pg_class WHERE relkind IN ('r', 'S') AND relname !~ '^(pg|sql)_'"
            )
            return [*tables.fetchall(), *connection.execute("SELECT * FROM acct ORDER BY id").fetchall()]

    before = told()
    yield told
    assert told() == before


def adapter(server: Server, query: str = QUERY, role: str = "writer", **fields: Any) -> Any:
    settings = {
        "adapter": "sql",
        "url": f"postgresql://{role}@127.0.0.1:{server.port}/postgres",
        "resources": {"r": {"query": query}},
        "timeout": 1.0,
        **({} if role == "postgres" else {"password_env": f"{role.upper()}_PW"}),
    }
    return load_state_adapter({**settings, **fields})


def test_a_row_is_a_record_of_plain_values(server: Server) -> None:
    made = adapter(server)
    note = {"tier": [1, 2]}
    assert made.query("r", id=1) == {"id": 1, "plan": "pro", "balance": 40, "opened": "2026-01-02", "note": note}
    assert made.query("r", id=2)["balance"] == 19.99
    assert made.query("r", id=3) is None


@pytest.mark.parametrize("form", ["socket", "dsn", "connection", "position"])
def test_a_database_can_be_named_in_other_ways(server: Server, form: str) -> None:
    query: dict[str, Any] = {"query": QUERY}
    if form == "socket":
        made = adapter(server, url=f"postgresql://writer@/postgres?host={server.folder}&port={server.port}")
    elif form == "dsn":
        dsn = f"host=127.0.0.1 port={server.port} user=writer dbname=postgres"
        made = adapter(server, url=None, dsn=dsn, driver="psycopg")
    elif form == "position":
        made = adapter(server, resources={"r": {"query": "SELECT * FROM acct WHERE id = %s", "params_order": ["id"]}})
    else:
        connection = server.connect("writer")
        connection.autocommit = False
        made = SqlStateAdapter({"connection": connection, "resources": {"r": query}})
    assert made.query("r", id=1)["plan"] == "pro"
    assert made.query("r", id=9) is None


def test_a_filter_value_is_a_literal(server: Server, rows: Any) -> None:
    made = adapter(server, "SELECT id FROM acct WHERE plan = :plan AND note::text LIKE '%tier%'")
    assert made.query("r", plan="'; DROP TABLE acct; --") is None
    assert made.query("r", plan="pro") == {"id": 1}


# what each may do beyond reading is refused by the database, for a role that could do it elsewhere
WRITER = [
    "DELETE FROM acct",
    "WITH d AS (DELETE FROM acct RETURNING id) SELECT * FROM d",
    "WITH t AS (SELECT 1) /* ' */ DELETE FROM acct /* ' */",
    "WITH t AS (SELECT 1) -- '\n DELETE FROM acct -- '",
    "SELECT wipe() AS n",
    "SELECT id INTO made FROM acct",
    "SELECT nextval('seq')",
    "SELECT * FROM acct FOR UPDATE",
    "CREATE TEMP TABLE made (a int)",
    "SELECT lo_create(0)",
    "SELECT set_config('transaction_read_only', 'off', true)",
    "COMMIT; DELETE FROM acct",
    "SELECT 1; COMMIT; DELETE FROM acct",
    "ROLLBACK; BEGIN READ WRITE; DELETE FROM acct",
    "SET TRANSACTION READ WRITE",
    "SET statement_timeout = 0",
    "COMMIT",
    "COPY acct TO '/tmp/hotato-made'",
    "PREPARE TRANSACTION 'x'",
    "EXPLAIN ANALYZE DELETE FROM acct",
    "DO $$ BEGIN DELETE FROM acct; END $$",
    "CALL nothing()",
]


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("text", WRITER)
def test_the_database_refuses_whatever_does_more_than_read(server: Server, rows: Any, text: str) -> None:
    made = adapter(server, text)
    with pytest.raises(StateAdapterError):
        made.query("r")
    made.close()


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    "text",
    ["COPY acct TO PROGRAM 'touch /tmp/hotato-made'", "COMMIT; DELETE FROM acct", "SELECT wipe() AS n", *WRITER[:4]],
)
def test_not_even_a_superuser_writes(server: Server, rows: Any, text: str) -> None:
    with pytest.raises(StateAdapterError):
        adapter(server, text, "postgres").query("r")


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("text", ["SELECT pg_read_file('PG_VERSION')", "SELECT * FROM pg_authid", *WRITER])
def test_a_role_that_may_only_read_does_no_more(server: Server, rows: Any, text: str) -> None:
    with pytest.raises(StateAdapterError):
        adapter(server, text, "reader").query("r")


def test_a_connection_in_hand_is_given_back_as_it_was(server: Server, rows: Any) -> None:
    connection = server.connect("writer")
    connection.autocommit = False
    made = SqlStateAdapter({"connection": connection, "resources": {"r": {"query": "SELECT wipe() AS n"}}})
    with pytest.raises(StateAdapterError, match="25006"):
        made.query("r")
    assert connection.autocommit is False
    connection.execute("SELECT 1")
    with pytest.raises(StateAdapterError, match="middle of a transaction"):
        made.query("r")
    connection.rollback()
    connection.execute("UPDATE acct SET plan = plan")
    connection.rollback()


@pytest.mark.parametrize(
    "text",
    [
        "SELECT pg_sleep(20)",
        "SELECT count(*) AS n FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b",
    ],
)
def test_a_statement_past_its_timeout_is_inconclusive(server: Server, text: str) -> None:
    started = time.monotonic()
    ctx = A.build_context(state_adapter=adapter(server, text, timeout=0.4))
    result = A.evaluate_assertion({**ASKED, "filters": {}}, ctx)
    assert (result["status"], result["code"]) == ("INCONCLUSIVE", "unreadable")
    assert "timeout" in result["reason"]
    assert time.monotonic() - started < 2.5
    with server.connect() as connection:
        assert connection.execute("SELECT count(*) FROM pg_stat_activity WHERE state = 'active'").fetchone() == (1,)


def test_a_value_that_is_too_large_is_inconclusive(server: Server) -> None:
    with pytest.raises(StateAdapterError, match="larger than 1000000 bytes"):
        adapter(server, "SELECT repeat('x', 2000000) AS x").query("r")


def test_a_locked_table_is_inconclusive(server: Server) -> None:
    made = adapter(server, timeout=0.4)
    with server.connect() as other, other.transaction():
        other.execute("LOCK TABLE acct IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(StateAdapterError, match=r"55P03|57014"):
            made.query("r", id=1)
    assert made.query("r", id=1) is not None


def test_a_row_changed_by_a_writer_is_seen_by_the_next_run_and_never_half(server: Server) -> None:
    ctx = A.build_context(state_adapter=adapter(server))
    with server.connect() as writer:
        with writer.transaction(force_rollback=True):
            writer.execute("UPDATE acct SET plan = 'draft' WHERE id = 1")
            assert A.evaluate_assertion(ASKED, ctx)["status"] == "PASS", "what is not committed is not there"
        writer.execute("UPDATE acct SET plan = 'free' WHERE id = 1")
        try:
            assert A.evaluate_assertion(ASKED, ctx)["status"] == "FAIL"
        finally:
            writer.execute("UPDATE acct SET plan = 'pro' WHERE id = 1")


def test_one_statement_sees_one_moment_while_a_writer_is_at_work(server: Server) -> None:
    text = (
        "SELECT (SELECT sum(balance) FROM acct) AS a, pg_sleep(0.02)::text AS z, (SELECT sum(balance) FROM acct) AS b"
    )
    made, stop = adapter(server, text), threading.Event()

    def write() -> None:
        with server.connect() as writer:
            while not stop.is_set():
                writer.execute("UPDATE acct SET balance = balance + 1 WHERE id = 2")
            writer.execute("UPDATE acct SET balance = 19.99 WHERE id = 2")

    thread = threading.Thread(target=write)
    thread.start()
    try:
        seen = [made.query("r") for _ in range(10)]
    finally:
        stop.set()
        thread.join()
    assert all(one["a"] == one["b"] for one in seen)
    assert len({one["a"] for one in seen}) > 1


def test_a_dropped_connection_is_made_anew_and_a_server_that_is_gone_is_inconclusive(server: Server) -> None:
    made = adapter(server)
    assert made.query("r", id=1) is not None
    with server.connect() as other:
        other.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'writer'")
    assert made.query("r", id=1) is not None
    server.stop()
    try:
        result = A.evaluate_assertion(ASKED, A.build_context(state_adapter=made))
        assert (result["status"], result["code"]) == ("INCONCLUSIVE", "unreadable")
    finally:
        server.start()
    assert made.query("r", id=1) is not None


def test_a_server_that_accepts_and_says_nothing_is_given_up(server: Server) -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        made = adapter(server, timeout=0.3, url=f"postgresql://writer@127.0.0.1:{mute.getsockname()[1]}/postgres")
        started = time.monotonic()
        with pytest.raises(StateAdapterError):
            made.query("r", id=1)
        assert time.monotonic() - started < 4


def test_a_wrong_password_is_told_without_it(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WRITER_PW", "c4nary-s3cret-value")
    with pytest.raises(StateAdapterError, match="no connection") as caught:
        adapter(server).query("r", id=1)
    assert "c4nary" not in "".join(map(str, (caught.value, caught.value.__cause__, vars(caught.value))))


def test_a_missing_table_is_inconclusive(server: Server) -> None:
    with pytest.raises(StateAdapterError, match="no such table"):
        adapter(server, "SELECT * FROM nowhere").query("r")


def test_a_thousand_assertions_share_connections_and_equal_questions_are_asked_once(server: Server) -> None:
    made = adapter(
        server, "SELECT id, plan, pg_backend_pid() AS pid FROM acct WHERE id = :id OR id = :id - 2", timeout=5
    )
    ctx = A.build_context(state_adapter=made)
    assertions = [
        {**ASKED, "id": f"a{n}", "filters": {"id": 1 + n % 4}, "expect": {"id": {"$gt": 0}}} for n in range(1000)
    ]
    envelope = A.run_assertions({"version": 1, "assertions": assertions}, ctx)
    assert envelope["summary"]["deterministic"] == {"pass": 1000, "fail": 0, "inconclusive": 0}
    assert len(ctx.state_evidence) == 4
    assert len({one["observed"]["pid"] for one in ctx.state_evidence}) == 1
