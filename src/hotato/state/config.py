"""What a state config may say: one struct an adapter, and what types cannot say of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, TypeVar

import msgspec

from hotato.model.fault import Fault

Text = Annotated[str, msgspec.Meta(min_length=1)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=600)]
Filters = dict[str, str | int | float | bool | None]

LONGEST = 30.0  # seconds a read may take, unless the config says otherwise
_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
_BASE_URL = re.compile(
    r"(https?)://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?(/[A-Za-z0-9._~!$&'()*+,;=:@/%-]*)?"
)
_TEMPLATE = re.compile(r"/[A-Za-z0-9._~!$&'()*+,;=:@/%?{}-]*")
_HEADER = re.compile(r"[!#$%&'*+.^_`|~A-Za-z0-9-]{1,100}")
_POINTER = re.compile(r"[^\x00-\x1f]*")


class Struct(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every struct of a config refuses what it does not know."""


class Snapshots(Struct, frozen=True, kw_only=True):
    """Files that `hotato state snapshot` wrote before and after the call."""

    before: Text
    after: Text | None = None


class MockConfig(Struct, frozen=True, kw_only=True):
    """Rows in the config itself, or in a JSON, YAML or SQLite file. `origin` says where they come from, for readers."""

    adapter: Literal["mock"]
    data: dict[str, Any] | None = None
    path: Text | None = None
    origin: Text | None = None


class HeaderValue(Struct, frozen=True, kw_only=True):
    """The value of a header: from an environment variable, or as it stands where it is no secret."""

    env: Text | None = None
    value: Text | None = None


class Auth(Struct, frozen=True, kw_only=True):
    """Who asks. Secrets are named, never written."""

    type: Literal["bearer", "basic", "header"]
    token_env: Text | None = None
    username: Text | None = None
    username_env: Text | None = None
    password_env: Text | None = None
    headers: dict[str, HeaderValue] = msgspec.field(default_factory=dict)


class HttpResource(Struct, frozen=True, kw_only=True):
    """How one resource is asked for."""

    path_template: Text
    method: Literal["GET", "POST"] = "GET"
    params_map: dict[str, Text] = msgspec.field(default_factory=dict)
    response_pointer: str = ""
    record: list[Filters] = msgspec.field(default_factory=list)


class HttpConfig(Struct, frozen=True, kw_only=True):
    """A system of record behind an HTTP interface."""

    adapter: Literal["http"] = "http"
    base_url: Text
    resources: Annotated[dict[str, HttpResource], msgspec.Meta(min_length=1)]
    egress_opt_in: bool = False
    auth: Auth | None = None
    timeout: Seconds = LONGEST
    allow_http: bool = False
    allow_hosts: list[Text] = msgspec.field(default_factory=list)
    ca_file: Text | None = None
    snapshots: Snapshots | None = None


class SqlResource(Struct, frozen=True, kw_only=True):
    """The statement that reads one resource; `before` and `after` read it from where its history is kept."""

    query: Text | None = None
    params_order: list[Text] | None = None
    before: Text | None = None
    after: Text | None = None
    record: list[Filters] = msgspec.field(default_factory=list)


class SqlConfig(Struct, frozen=True, kw_only=True):
    """A database."""

    adapter: Literal["sql"] = "sql"
    resources: Annotated[dict[str, SqlResource], msgspec.Meta(min_length=1)]
    sqlite_path: Text | None = None
    url: Text | None = None
    dsn: Text | None = None
    driver: Text | None = None
    username: Text | None = None
    username_env: Text | None = None
    password_env: Text | None = None
    egress_opt_in: bool = False
    role_is_read_only: bool = False
    allow_hosts: list[Text] = msgspec.field(default_factory=list)
    timeout: Seconds = LONGEST
    snapshots: Snapshots | None = None


Config = MockConfig | HttpConfig | SqlConfig
ADAPTERS: Mapping[str, type[MockConfig] | type[HttpConfig] | type[SqlConfig]] = {
    "mock": MockConfig,
    "http": HttpConfig,
    "sql": SqlConfig,
}
_C = TypeVar("_C")


def placeholders(template: str) -> list[str]:
    """Return the names of the filters that fill a path."""
    return _PLACEHOLDER.findall(template)


def parts_of_url(url: str) -> tuple[str, str, int, str] | None:
    """Return scheme, host without brackets, port and path of a base URL; None where it is not plainly one.

    The form is narrow, so that no two parsers can read two different hosts in it.
    """
    found = _BASE_URL.fullmatch(url)
    if found is None:
        return None
    port = int(found[3][1:]) if found[3] else {"http": 80, "https": 443}[found[1]]
    return (found[1], found[2].strip("[]").lower(), port, (found[4] or "").rstrip("/")) if 0 < port < 65536 else None


def faults(config: Config, has_connection: bool = False) -> Iterator[Fault]:
    """Yield what is wrong with a config beyond the types of its fields."""
    if isinstance(config, MockConfig):
        yield from _one_of(config, ("data", "path"))
    elif isinstance(config, HttpConfig):
        yield from _http(config)
    else:
        yield from _sql(config, has_connection)


def _one_of(config: Any, names: tuple[str, ...], given: int = 0) -> Iterator[Fault]:
    found = [name for name in names if getattr(config, name) is not None]
    listed = ", ".join(names[:-1]) + f" or {names[-1]}"
    if not found and not given:
        yield Fault((), "missing_field", f"needs exactly one of {listed}; none is given")
    elif len(found) + given > 1:
        yield Fault((found[-1],), "exclusive_fields", f"needs exactly one of {listed}; more are given")


def _needs(config: Any, where: tuple[str, ...], name: str, with_: str) -> Iterator[Fault]:
    if getattr(config, name) is None:
        yield Fault((*where, name), "missing_field", f"{with_} needs '{name}'")


def _http(config: HttpConfig) -> Iterator[Fault]:
    from hotato.state.address import host_fault

    if not config.egress_opt_in:
        yield _egress("an HTTP system")
    parts = parts_of_url(config.base_url)
    if parts is None:
        said = "must be https://HOST[:PORT][/PATH] in ASCII, without a user, a query or a fragment"
        yield Fault(("base_url",), "address", said)
    else:
        scheme, host, _, path = parts
        said = host_fault(host, config.allow_hosts)
        if said:
            yield Fault(("base_url",), "address", said)
        if ".." in path.split("/"):
            yield Fault(("base_url",), "address", "a path with '..' in it")
        if scheme == "http" and not config.allow_http:
            yield Fault(("base_url",), "address", "http is not encrypted; 'allow_http: true' accepts that")
    if config.auth is not None:
        yield from _auth(config.auth)
    for name, resource in config.resources.items():
        yield from _http_resource(("resources", name), resource)


def _http_resource(where: tuple[str, ...], resource: HttpResource) -> Iterator[Fault]:
    template = resource.path_template
    bare = _PLACEHOLDER.sub("x", template)
    if not _TEMPLATE.fullmatch(template) or "{" in bare or "}" in bare or template.count("?") > 1:
        said = (
            "must begin with '/' and hold ASCII letters, digits, signs of a URL, and {filter} for what a filter fills"
        )
        yield Fault((*where, "path_template"), "address", said)
    elif template.startswith("//") or ".." in bare.partition("?")[0].split("/"):
        yield Fault(
            (*where, "path_template"), "address", "a path that leads elsewhere: it begins with '//' or holds '..'"
        )
    for name in resource.params_map:
        if name in placeholders(template):
            said = f"the filter '{name}' fills the path, so it is not sent under another name"
            yield Fault((*where, "params_map", name), "needless_field", said)
    sent = list(resource.params_map.values())
    for name, wire in resource.params_map.items():
        if sent.count(wire) > 1:
            yield Fault((*where, "params_map", name), "duplicate_item", f"two filters are sent as '{wire}'")
    if not _POINTER.fullmatch(resource.response_pointer):
        yield Fault((*where, "response_pointer"), "wrong_value", "a control character in a path")


def _auth(auth: Auth) -> Iterator[Fault]:
    allowed = {
        "bearer": {"token_env"},
        "basic": {"username", "username_env", "password_env"},
        "header": {"headers"},
    }[auth.type]
    for name in ("token_env", "username", "username_env", "password_env", "headers"):
        if getattr(auth, name) and name not in allowed:
            yield Fault(("auth", name), "needless_field", f"'{name}' means nothing to {auth.type}")
    if auth.type == "bearer":
        yield from _needs(auth, ("auth",), "token_env", "bearer")
    elif auth.type == "basic":
        yield from _needs(auth, ("auth",), "password_env", "basic")
        for fault in _one_of(auth, ("username", "username_env")):
            yield Fault(("auth", *fault.where), fault.code, fault.message)
    elif not auth.headers:
        yield Fault(("auth", "headers"), "missing_field", "header needs 'headers'")
    for name, value in auth.headers.items():
        if not _HEADER.fullmatch(name) or name.lower() in ("host", "content-length", "transfer-encoding", "connection"):
            yield Fault(("auth", "headers", name), "wrong_value", "no name of a header that can be set")
        for fault in _one_of(value, ("env", "value")):
            yield Fault(("auth", "headers", name, *fault.where), fault.code, fault.message)


def _sql(config: SqlConfig, has_connection: bool) -> Iterator[Fault]:
    from hotato.state.statement import statement_faults

    yield from _one_of(config, ("sqlite_path", "url", "dsn"), int(has_connection))
    if (config.dsn is None) != (config.driver is None):
        name = "driver" if config.driver is None else "dsn"
        yield Fault((name,), "missing_field", "'dsn' and 'driver' are given together")
    if config.username is not None and config.username_env is not None:
        yield Fault(("username_env",), "exclusive_fields", "needs one of username and username_env; both are given")
    if config.sqlite_path is not None or has_connection:
        for name in ("username", "username_env", "password_env"):
            if getattr(config, name) is not None:
                yield Fault((name,), "needless_field", f"'{name}' means nothing here: nobody is logged in")
    for name, resource in config.resources.items():
        where = ("resources", name)
        if resource.query is None and (resource.before is None or resource.after is None):
            yield Fault((*where, "query"), "missing_field", "needs 'query', or both 'before' and 'after'")
        if resource.after is not None and resource.before is None:
            yield Fault((*where, "after"), "needless_field", "'after' means nothing without 'before'")
        order = resource.params_order or []
        for place, item in enumerate(order):
            if item in order[:place]:
                yield Fault((*where, "params_order", place), "duplicate_item", f"'{item}' stands twice")
        for field in ("query", "before", "after"):
            statement = getattr(resource, field)
            if statement is not None:
                yield from statement_faults(statement, (*where, field))


def _egress(what: str) -> Fault:
    said = f"{what} is reached over the network; 'egress_opt_in: true' allows that, and nothing is sent without it"
    return Fault((), "egress", said)


def egress_fault() -> Fault:
    """Return the refusal of a database elsewhere that the config does not allow to be reached."""
    return _egress("a database on another machine")
