"""The databases behind the sql adapter: which one a config means, and how its connections are kept."""

from __future__ import annotations

import os
import sqlite3
from typing import TYPE_CHECKING, Any

from sqlalchemy.dialects import sqlite as sqlite_dialect
from sqlalchemy.dialects.postgresql import psycopg as psycopg_dialect
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.pool import QueuePool

from hotato.errors import EvidenceError, Problem, StateAdapterError
from hotato.state import sqlite
from hotato.state.address import host_fault, is_local, literal, resolve, sort_of
from hotato.state.bounded import TookTooLongError, within
from hotato.state.config import SqlConfig, egress_fault
from hotato.state.secret import from_environment

if TYPE_CHECKING:
    from hotato.state.sql import Source, Values

_SIZE = 2  # connections that are kept
_GRACE = 2.0  # seconds beyond a statement's timeout for the server to say so
_PSYCOPG = ("psycopg", "psycopg2", "psycopg3", "postgresql")
_OPTIONS = frozenset(
    "application_name channel_binding client_encoding dbname host options port sslcert sslcrl sslkey sslmode"
    " sslnegotiation sslrootcert target_session_attrs user".split()
)


def source_of(config: SqlConfig, connection: Any, folder: str, file: str) -> Source:
    """Return the database that a config means. Raise EvidenceError; no connection is made."""
    if connection is not None:
        return _given(config, connection, file)
    if config.sqlite_path is not None:
        return _Sqlite(os.path.join(folder, config.sqlite_path), config, file)
    if config.dsn is not None:
        if config.driver == "sqlite3":
            return _Sqlite(os.path.join(folder, config.dsn), config, file)
        if config.driver not in _PSYCOPG:
            raise _refused(file, "driver", "wrong_value", "must be psycopg or sqlite3; others are given as 'url'")
        return _postgres(config, _from_dsn(config.dsn, file), file)
    try:
        url = make_url(config.url or "")
    except (SQLAlchemyError, ValueError):
        raise _refused(file, "url", "address", "no URL of a database, such as postgresql://host/name") from None
    if url.password is not None:
        raise _refused(file, "url", "secret", "a password in the URL; name its variable with password_env")
    backend = url.get_backend_name()
    if backend == "sqlite":
        if url.query or url.host or url.database in (None, "", ":memory:"):
            raise _refused(file, "url", "address", "must be sqlite:///FILE, without options")
        return _Sqlite(os.path.join(folder, str(url.database)), config, file)
    if backend == "postgresql":
        return _postgres(config, _from_url(url, file), file)
    return _other(config, url, file)


def _refused(file: str, path: str, code: str, said: str) -> EvidenceError:
    return EvidenceError(Problem(code=code, file=file, path=path, message=said))


class _Sqlite:
    """A SQLite file."""

    dialect = sqlite_dialect.dialect(paramstyle="named")

    def __init__(self, path: str, config: SqlConfig, file: str) -> None:
        from hotato.context.files import open_regular

        with open_regular(path, error=EvidenceError):
            pass
        for name in ("username", "username_env", "password_env"):
            if getattr(config, name) is not None:
                raise _refused(file, name, "needless_field", f"'{name}' means nothing here: nobody is logged in")
        wait = config.timeout

        def connect() -> Any:
            return sqlite.opened(path, wait)

        self._pool = QueuePool(connect, pool_size=_SIZE, max_overflow=0, timeout=wait)

    def first_row(self, statement: str, values: Values) -> dict[str, Any] | None:
        """Return the first row, None where there is none. Raise StateAdapterError."""
        try:
            pooled = self._pool.connect()
        except PoolTimeoutError:
            raise StateAdapterError("no connection to the database was free") from None
        except sqlite3.Error as error:
            raise StateAdapterError(sqlite.told(error)) from None
        try:
            return sqlite.first_row(pooled.driver_connection, statement, values)  # type: ignore[arg-type]  # what `opened` gave
        finally:
            pooled.close()

    def close(self) -> None:
        """Close the connections."""
        self._pool.dispose()


class _Postgres:
    """A PostgreSQL database, by the parameters of a connection."""

    dialect = psycopg_dialect.dialect()  # type: ignore[no-untyped-call]  # SQLAlchemy does not type it

    def __init__(self, parameters: dict[str, Any], config: SqlConfig) -> None:
        self._parameters, self._seconds, self._allowed = parameters, config.timeout, config.allow_hosts
        self._pool = self._fresh()

    def _fresh(self) -> QueuePool:
        return QueuePool(self._connect, pool_size=_SIZE, max_overflow=0, timeout=self._seconds)

    def _connect(self) -> Any:
        import psycopg

        hosts, addresses = [], []
        named = str(self._parameters["host"]).split(",")
        for host in named:
            port = 5432
            found = (
                [""]
                if host.startswith("/")
                else resolve(host.lower(), port, self._allowed, self._seconds, private_by_name=True)
            )
            found = found if len(named) == 1 else found[:1]  # as many ports are given as hosts
            hosts += [host] * len(found)
            addresses += found
        own = {"host": ",".join(hosts), "hostaddr": ",".join(addresses)}
        wait = max(2, min(10, int(self._seconds)))
        usual = {"application_name": "hotato", "connect_timeout": wait, "tcp_user_timeout": int(self._seconds * 1000)}
        try:
            return psycopg.connect(autocommit=True, prepare_threshold=None, **{**usual, **self._parameters, **own})
        except psycopg.Error as error:
            from hotato.state import postgres

            raise StateAdapterError(f"no connection to the database: {postgres.told(error)}") from None

    def first_row(self, statement: str, values: Values) -> dict[str, Any] | None:
        """Return the first row, None where there is none. Raise StateAdapterError."""
        from hotato.state.postgres import ConnectionLostError

        def read() -> dict[str, Any] | None:
            try:
                return self._once(statement, values)
            except ConnectionLostError:  # it may have been kept from before the server was started again
                return self._once(statement, values)

        try:
            return within(self._seconds + _GRACE, read, "the statement")
        except TookTooLongError:
            self._pool = self._fresh()
            raise

    def _once(self, statement: str, values: Values) -> dict[str, Any] | None:
        from hotato.state import postgres

        try:
            pooled = self._pool.connect()
        except PoolTimeoutError:
            raise StateAdapterError("no connection to the database was free") from None
        try:
            return postgres.first_row(pooled.driver_connection, statement, values, self._seconds)  # type: ignore[arg-type]
        except postgres.ConnectionLostError:
            pooled.invalidate()
            raise
        finally:
            pooled.close()

    def close(self) -> None:
        """Close the connections."""
        self._pool.dispose()


def _from_url(url: URL, file: str) -> dict[str, Any]:
    options = {name: value if isinstance(value, str) else ",".join(value) for name, value in url.query.items()}
    given: dict[str, Any] = {"host": url.host, "port": url.port, "user": url.username, "dbname": url.database}
    return _checked({**{name: value for name, value in given.items() if value is not None}, **options}, "url", file)


def _from_dsn(dsn: str, file: str) -> dict[str, Any]:
    try:
        from psycopg import ProgrammingError
        from psycopg.conninfo import conninfo_to_dict
    except ImportError:
        raise _no_driver(file) from None
    try:
        return _checked(conninfo_to_dict(dsn), "dsn", file)
    except ProgrammingError:
        raise _refused(file, "dsn", "address", "no connection string of PostgreSQL") from None


def _checked(parameters: dict[str, Any], path: str, file: str) -> dict[str, Any]:
    if parameters.get("password") is not None:
        raise _refused(file, path, "secret", "a written password; name its variable with password_env")
    strange = sorted(set(parameters) - _OPTIONS)
    if strange:
        raise _refused(file, path, "address", f"the option '{strange[0]}' cannot be set here")
    if not parameters.get("host"):
        said = "names no host: write localhost, another one, or the folder of its socket as the option host"
        raise _refused(file, path, "address", said)
    return parameters


def _no_driver(file: str) -> EvidenceError:
    return _refused(file, "adapter", "extra_missing", "PostgreSQL needs psycopg: pip install 'hotato[postgres]'")


def _postgres(config: SqlConfig, parameters: dict[str, Any], file: str) -> Source:
    hosts = [host if host.startswith("/") else host.lower() for host in str(parameters["host"]).split(",")]
    _check_hosts(config, hosts, "dsn" if config.dsn is not None else "url", file)
    try:
        import psycopg  # noqa: F401
    except ImportError:
        raise _no_driver(file) from None
    return _Postgres({**parameters, **_login(config, file)}, config)


def _check_hosts(config: SqlConfig, hosts: list[str], path: str, file: str) -> None:
    if not config.egress_opt_in and not all(map(is_local, hosts)):
        fault = egress_fault()
        raise _refused(file, path, fault.code, fault.message)
    for host in hosts:
        if host.startswith("/"):
            continue
        said = host_fault(host, config.allow_hosts)
        address = literal(host)
        if said and not (address is not None and sort_of(address) == "private"):
            raise _refused(file, path, "address", said)


def _login(config: SqlConfig, file: str) -> dict[str, str]:
    found = {}
    if config.username is not None:
        found["user"] = config.username
    if config.username_env is not None:
        found["user"] = from_environment(config.username_env, file, "username_env").reveal()
    if config.password_env is not None:
        found["password"] = from_environment(config.password_env, file, "password_env").reveal()
    return found


def _other(config: SqlConfig, url: URL, file: str) -> Source:
    if not config.role_is_read_only:
        said = (
            f"hotato cannot make {url.get_backend_name()} read only; log in as a role that can only read, and say"
            " 'role_is_read_only: true'"
        )
        raise _refused(file, "url", "read_only", said)
    _check_hosts(
        config, [(url.host or "").lower() or "unnamed"] if url.host or url.query else ["localhost"], "url", file
    )
    from hotato.state.other import OtherDatabase

    login = _login(config, file)
    if "user" in login:
        url = url.set(username=login["user"])
    if "password" in login:
        url = url.set(password=login["password"])
    try:
        return OtherDatabase(url, config.timeout, _SIZE)
    except (SQLAlchemyError, ImportError):
        said = f"the driver of {url.get_backend_name()} is not installed"
        raise _refused(file, "url", "extra_missing", said) from None


def _given(config: SqlConfig, connection: Any, file: str) -> Source:
    from hotato.state import other

    if isinstance(connection, sqlite3.Connection):
        return other.GivenSqlite(connection)
    if type(connection).__module__.partition(".")[0] == "psycopg":
        return other.GivenPostgres(connection, config.timeout)
    if not callable(getattr(connection, "cursor", None)):
        raise _refused(file, "connection", "wrong_type", "must be an open connection of a database driver")
    if not config.role_is_read_only:
        said = "hotato cannot make this connection read only; if its role can only read, say 'role_is_read_only: true'"
        raise _refused(file, "connection", "read_only", said)
    return other.GivenOther(connection)
