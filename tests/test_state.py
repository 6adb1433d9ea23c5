"""State configs, the mock, snapshots, what the command line says of systems of record, and that no secret is told."""

from __future__ import annotations

import contextlib
import io
import json
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from hotato import assert_ as A
from hotato import state_adapter
from hotato.cli import main
from hotato.errors import EvidenceError, StateAdapterError
from hotato.state_adapter import MockStateAdapter, load_state_adapter

CANARY = "c4nary-s3cret-value"
ASSERTIONS = """\
version: 1
assertions:
- id: changed
  kind: state_change
  resource: orders
  filters: {id: A-1}
  field: status
  from: open
  to: cancelled
- id: there
  kind: state
  resource: orders
  filters: {id: A-1}
  expect: {status: cancelled}
"""
CONFIG = """\
adapter: sql
sqlite_path: crm.db
resources:
  orders:
    query: SELECT id, status, 'jo@example.com' AS mail FROM orders WHERE id = :id
    record: [{id: A-1}, {id: A-2}]
"""


class Done(NamedTuple):
    """What a command left: its exit code and what it printed."""

    returncode: int
    stdout: str
    stderr: str


def hotato(*words: str, folder: Path) -> Done:
    """Run a command in this process, since each new one would import the drivers again."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2)]
    with contextlib.chdir(folder), contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
        code = main(list(words))
    return Done(code, *(stream.buffer.getvalue().decode() for stream in streams))  # type: ignore[attr-defined]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with closing(sqlite3.connect(tmp_path / "crm.db")) as connection, connection:
        connection.execute("CREATE TABLE orders (id TEXT, status TEXT)")
        connection.execute("INSERT INTO orders VALUES ('A-1', 'open')")
    (tmp_path / "crm.yaml").write_text(CONFIG)
    (tmp_path / "assertions.yaml").write_text(ASSERTIONS)
    return tmp_path


def change(folder: Path, status: str) -> None:
    with closing(sqlite3.connect(folder / "crm.db")) as connection, connection:
        connection.execute("UPDATE orders SET status = ?", (status,))


def codes(text: str, tmp_path: Path) -> list[tuple[str, int, int, str]]:
    path = tmp_path / "state.yaml"
    path.write_text(text)
    with pytest.raises(EvidenceError) as caught:
        load_state_adapter(path)
    return [(one.code, one.line, one.column, one.guess) for one in caught.value.problems]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("orders: 5\n", [("state", 1, 9, "")]),
        ("orders:\n- {id: 1}\n- 7\n- x\n", [("state", 3, 3, ""), ("state", 4, 3, "")]),
        ("before: {orders: [1]}\nafter: {}\n", [("state", 1, 19, "")]),
        ("- id: 1\n", [("state", 1, 1, "")]),
        ("adapter: sqll\n", [("state", 1, 10, "sql")]),
        ("adapter: mock\n", [("missing_field", 1, 1, "")]),
        ("adapter: mock\ndata: {a: 1}\n", [("state", 2, 11, "")]),
        ("adapter: mock\ndat: {}\n", [("unknown_field", 2, 1, "data")]),
        ("adapter: mock\ndata: {}\npath: x\n", [("exclusive_fields", 3, 1, "")]),
        ("a: []\na: []\n", [("duplicate_key", 2, 1, "")]),
        ("adapter: sql\nsqlite_path: x\nresources:\n  r: {query: DELETE FROM r}\n", [("statement", 4, 14, "")]),
        (
            "adapter: sql\nsqlite_path: x\nresources:\n  r: {query: SELECT 1, parms_order: [id]}\n",
            [("unknown_field", 4, 24, "params_order")],
        ),
        (
            "adapter: http\nbase_url: https://crm.example\nresources: {r: {path_template: /r}}\n",
            [("egress", 1, 1, "")],
        ),
        (
            (
                "adapter: http\negress_opt_in: true\nbase_url: https://crm.example\nresources: {r: {path_template: /r}}\n"
                "auth:\n  type: bearer\n  token_envs: x\n"
            ),
            [("unknown_field", 7, 3, "token_env")],
        ),
        (
            (
                "adapter: http\negress_opt_in: true\nbase_url: https://crm.example\nresources: {r: {path_template: /r}}\n"
                "auth: {type: basic, password_env: X, token_env: Y}\n"
            ),
            [("missing_field", 5, 7, ""), ("needless_field", 5, 38, "")],
        ),
    ],
)
def test_a_config_is_refused_with_the_place_of_everything_that_is_wrong(
    text: str, told: list[tuple[str, int, int, str]], tmp_path: Path
) -> None:
    assert codes(text, tmp_path) == told


def test_the_facade_resolves_every_name_and_loads_no_driver() -> None:
    assert [name for name in state_adapter.__all__ if getattr(state_adapter, name) is None] == []
    done = subprocess.run(
        [sys.executable, "-c", "import sys, hotato.state_adapter; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stdout.split())
    assert not loaded & {"httpx", "sqlalchemy", "psycopg", "sqlglot", "sqlite3", "ssl", "socket"}


@pytest.mark.parametrize("missing", ["httpx", "sqlalchemy", "psycopg"])
def test_a_package_that_is_not_installed_is_named_with_its_extra(missing: str) -> None:
    http = {
        "adapter": "http",
        "base_url": "https://a.example",
        "egress_opt_in": True,
        "resources": {"r": {"path_template": "/"}},
    }
    sql = {"adapter": "sql", "url": "postgresql://localhost/x", "resources": {"r": {"query": "SELECT 1"}}}
    text = (
        f"import sys; sys.modules[{missing!r}] = None\n"
        "from hotato.state_adapter import load_state_adapter\n"
        f"try: load_state_adapter({http if missing == 'httpx' else sql!r})\n"
        "except ValueError as error: print(error.problems[0].code, error)\n"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    extra = {"httpx": "http", "sqlalchemy": "sql", "psycopg": "postgres"}[missing]
    assert done.stdout.startswith("extra_missing")
    assert f"hotato[{extra}]" in done.stdout


def test_equal_questions_of_a_run_are_asked_once_also_when_they_fail() -> None:
    class Counting:
        asked = 0

        def query(self, resource: str, **filters: Any) -> dict[str, Any] | None:
            self.asked += 1
            if resource == "down":
                raise StateAdapterError("down")
            return None if filters.get("id") == "1" else {"v": filters}

    counting = Counting()
    ctx = A.build_context(state_adapter=counting)
    filters: list[dict[str, Any]] = [{"id": 1}, {"id": "1"}, {"id": 1.0}, {"id": True}, {}]
    base = {"kind": "state", "expect": {"v": {"$exists": True}}}
    assertions = [{**base, "id": f"a{n}", "resource": "r", "filters": filters[n % 5]} for n in range(40)]
    assertions += [{**base, "id": f"d{n}", "resource": "down"} for n in range(10)]
    A.run_assertions({"version": 1, "assertions": assertions}, ctx)
    assert counting.asked == 6
    assert len(ctx.state_evidence) == 5


def test_a_snapshot_makes_state_change_work_on_a_system_that_keeps_no_history(folder: Path) -> None:
    done = hotato(
        *"state snapshot --state crm.yaml --assertions assertions.yaml --out before.json".split(), folder=folder
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "before.json: 2 records\n", "")
    recorded = json.loads((folder / "before.json").read_text())
    assert recorded["schema"] == "hotato.state_snapshot.v1"
    assert [one["observed"] and one["observed"]["status"] for one in recorded["records"]] == ["open", None]
    change(folder, "cancelled")
    with_snapshots = (folder / "crm.yaml").read_text() + "snapshots: {before: before.json}\n"
    (folder / "judged.yaml").write_text(with_snapshots)
    judged = "assert run --assertions assertions.yaml --state judged.yaml --format json --include-evidence".split()
    first, second = (hotato(*judged, folder=folder) for _ in range(2))
    assert first.returncode == 0, first.stdout + first.stderr
    assert first.stdout == second.stdout
    evidence = json.loads(first.stdout)["state_evidence"]
    assert [(e["id"], e.get("when"), e["observed"]["status"]) for e in evidence] == [
        ("r_0", "before", "open"),
        ("r_1", "after", "cancelled"),
        ("r_2", None, "cancelled"),
    ]
    plain = hotato(*judged[:-1], folder=folder)
    assert "state_evidence" not in json.loads(plain.stdout)


def test_a_record_that_no_snapshot_tells_of_is_inconclusive_and_one_that_was_not_there_is_evidence(
    folder: Path,
) -> None:
    hotato(*"state snapshot --state crm.yaml --out before.json".split(), folder=folder)
    (folder / "crm.yaml").write_text(CONFIG + "snapshots: {before: before.json, after: before.json}\n")
    adapter = load_state_adapter(folder / "crm.yaml")
    assert adapter.query("orders", when="before", id="A-2") is None
    with pytest.raises(StateAdapterError, match="does not tell of this record"):
        adapter.query("orders", when="before", id="A-3")
    (folder / "before.json").write_text('{"schema": "other", "records": []}')
    with pytest.raises(EvidenceError, match=r"hotato\.state_snapshot\.v1"):
        load_state_adapter(folder / "crm.yaml")
    (folder / "before.json").unlink()
    with pytest.raises(EvidenceError) as caught:
        load_state_adapter(folder / "crm.yaml")
    assert caught.value.problems[0].code == "file_missing"


def test_a_snapshot_is_written_whole_or_not_at_all(folder: Path) -> None:
    (folder / "crm.yaml").write_text(CONFIG.replace("FROM orders", "FROM nowhere"))
    done = hotato(*"state snapshot --state crm.yaml --out before.json".split(), folder=folder)
    assert done.returncode == 1
    assert "no such table" in done.stderr
    assert not (folder / "before.json").exists()
    (folder / "crm.yaml").write_text(CONFIG)
    (folder / "before.json").write_text("mine")
    done = hotato(*"state snapshot --state crm.yaml --out before.json".split(), folder=folder)
    assert done.returncode == 2
    assert (folder / "before.json").read_text() == "mine"


@pytest.mark.parametrize(
    ("words", "code", "printed"),
    [
        ("", 0, "the system answers\n"),
        ("--resource orders --filter id=A-2", 0, "orders: the system answers, and holds no such record\n"),
        ("--resource nowhere", 1, "nowhere could not be read: the state config has no resource 'nowhere'\n"),
        ("--resource orders", 1, "orders could not be read: the statement needs the filter 'id'\n"),
    ],
)
def test_check_says_whether_the_system_answers(folder: Path, words: str, code: int, printed: str) -> None:
    done = hotato("state", "check", "--state", "crm.yaml", *words.split(), folder=folder)
    assert (done.returncode, done.stdout, done.stderr) == (code, printed, "")


def test_check_shows_a_record_without_its_values(folder: Path) -> None:
    words = ["state", "check", "--state", "crm.yaml", "--resource", "orders", "--filter", "id=A-1"]
    done = hotato(*words, folder=folder)
    assert done.returncode == 0
    assert "status: text" in done.stdout
    told = json.loads(hotato(*words, "--format", "json", folder=folder).stdout)
    assert told == {
        "ok": True,
        "resource": "orders",
        "record": {"id": "text", "status": "text", "mail": "text"},
        "exit_code": 0,
    }
    assert "jo@" not in done.stdout + str(told)


@pytest.mark.parametrize(
    "words",
    [
        "state check",
        "state check --state crm.yaml --filter id=1",
        "state check --state crm.yaml --resource r --filter id",
        "state check --state crm.yaml --resource r --filter id=1 --filter id=2",
        "state check --state crm.yaml --resource r --filter id=017",
        "state check --state none.yaml",
        "state snapshot --state crm.yaml --out -",
        "assert run --assertions assertions.yaml --include-evidence",
    ],
)
def test_a_command_line_that_means_nothing_is_refused(folder: Path, words: str) -> None:
    done = hotato(*words.split(), folder=folder)
    assert done.returncode == 2
    assert done.stderr
    assert "Traceback" not in done.stderr


def test_evidence_is_masked_where_the_document_looks_for_personal_data(folder: Path) -> None:
    (folder / "transcript.json").write_text('[{"role": "agent", "text": "hello"}]')
    text = ASSERTIONS.partition("- id: changed")[0] + "- id: there" + ASSERTIONS.partition("- id: there")[2]
    (folder / "assertions.yaml").write_text(
        text + "- id: clean\n  kind: pii\n  detectors: [email]\n  mode: must_not_leak\n"
    )
    words = "assert run --assertions assertions.yaml --state crm.yaml --transcript transcript.json --format json"
    done = hotato(*words.split(), "--include-evidence", folder=folder)
    assert json.loads(done.stdout)["state_evidence"][0]["observed"]["status"] == "open"
    assert "jo@example.com" not in done.stdout


class Echo(BaseHTTPRequestHandler):
    """Answers with what it was sent, secrets included."""

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        sent = json.dumps(dict(self.headers)).encode()
        status = {"/bad": 500, "/text": 200, "/away": 302}.get(self.path.partition("?")[0], 200)
        self.send_response(status, self.headers.get("Authorization", ""))
        self.send_header("Location", f"https://{self.headers.get('X-Key', '')}.example/")
        self.end_headers()
        self.wfile.write(sent if self.path.startswith("/bad") else b"<" + sent if status == 200 else b"")


@pytest.fixture
def echo() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield server.server_port
    server.shutdown()


@pytest.mark.parametrize("system", ["http", "unreachable", "postgres"])
def test_a_secret_appears_nowhere(system: str, echo: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment holds a canary; whatever goes wrong, it is in no output and no file."""
    monkeypatch.setenv("CANARY", CANARY)
    config: dict[str, Any] = {
        "adapter": "http",
        "base_url": f"http://127.0.0.1:{echo if system == 'http' else 1}",
        "allow_http": True,
        "egress_opt_in": True,
        "timeout": 2 if system == "http" else 0.3,
        "auth": {"type": "header", "headers": {"Authorization": {"env": "CANARY"}, "X-Key": {"env": "CANARY"}}},
        "resources": {name: {"path_template": f"/{name}"} for name in ("bad", "text", "away")},
    }
    if system == "postgres":
        url = "postgresql://me@127.0.0.1:1/x"
        resources = {name: {"query": "SELECT 1 AS v"} for name in ("bad", "text", "away")}
        config = {"adapter": "sql", "url": url, "password_env": "CANARY", "timeout": 2, "resources": resources}
    (tmp_path / "state.json").write_text(json.dumps(config))
    asked = [{"id": name, "kind": "state", "resource": name, "expect": {"v": 1}} for name in ("bad", "text", "away")]
    (tmp_path / "a.json").write_text(json.dumps({"version": 1, "assertions": asked}))
    run = "assert run --assertions a.json --state state.json --include-evidence --debug"
    outputs = []
    for words in (
        f"{run} --format json --out envelope.json --report html=out.html --report junit=out.xml --report md=out.md",
        run,
        "state check --state state.json --debug",
        "state check --state state.json --resource bad --format json --debug",
        "state snapshot --state state.json --resource text --out s.json --debug",
    ):
        done = hotato(*words.split(), folder=tmp_path)
        assert done.returncode in (0, 1), done.stderr
        outputs += [done.stdout, done.stderr]
    envelope = json.loads((tmp_path / "envelope.json").read_text())
    assert [one["status"] for one in envelope["results"]] == ["INCONCLUSIVE"] * 3
    files = [one.read_bytes().decode("utf-8", "replace") for one in tmp_path.rglob("*") if one.is_file()]
    assert CANARY not in "".join([*outputs, *files])


def test_a_mock_is_made_of_a_mapping_in_hand() -> None:
    assert MockStateAdapter({"orders": [{"id": 1}]}).query("orders", id=1.0) == {"id": 1}
    with pytest.raises(EvidenceError) as caught:
        MockStateAdapter({"orders": [1]})
    assert [(one.code, one.path) for one in caught.value.problems] == [("state", "orders[0]")]
