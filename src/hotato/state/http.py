"""A system of record behind an HTTP interface."""

from __future__ import annotations

import base64
import os
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

import msgspec

from hotato.errors import EvidenceError, Problem, StateAdapterError
from hotato.match.plain import MOST_BYTES, plain
from hotato.model import given
from hotato.state.config import HttpConfig, HttpResource, parts_of_url, placeholders
from hotato.state.secret import Secret, from_environment

_ATTEMPTS = 3
_PAUSES = (0.1, 0.4)  # seconds before the second and the third attempt
_AGAIN = frozenset((502, 503, 504))
_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_MOST_REDIRECTS = 3


class _RefusedError(StateAdapterError):
    """An attempt that another may mend."""


class _Asked(msgspec.Struct, frozen=True):
    """One request, still without who asks. `query` are the pairs of the query string, `body` the JSON of a POST."""

    method: str
    path: str
    query: dict[str, str]
    body: str | None


class HttpStateAdapter:
    """Asks for each record with one request. `config` is what a state config says of it, or a checked HttpConfig.

    Raise EvidenceError where the config is wrong or a secret that it names is not in the environment. Nothing is sent before
    the first query. The adapter keeps its connections; `close` closes them.
    """

    def __init__(self, config: Mapping[str, Any] | HttpConfig, *, base_dir: Any = "", file: str = "state") -> None:
        if not isinstance(config, HttpConfig):
            from hotato.state.load import checked

            config = checked(
                {"adapter": "http", **given.typed(Mapping, config, file, "a mapping", EvidenceError)}, HttpConfig, file
            )
        self._config = config
        self._headers = dict(_secrets(config, file))
        self._lock = threading.Lock()
        self._client, self._deadline = _client(config, given.path(base_dir, "base_dir"), file)

    def query(self, resource: str, *, when: str = "", **filters: Any) -> dict[str, Any] | None:
        """Return the record, None where the system says that there is none. Raise StateAdapterError."""
        if when:
            raise StateAdapterError("the http adapter has no snapshots; record them with hotato state snapshot")
        known = self._config.resources.get(resource)
        if known is None:
            raise StateAdapterError(f"the state config has no resource '{resource}'")
        asked = request_of(known, filters)
        with self._lock:
            self._deadline.start(self._config.timeout)
            text = self._answer(asked)
        return None if text is None else record_of(text, known.response_pointer)

    def ping(self) -> None:
        """Raise StateAdapterError where the system does not answer, or lets nobody in."""
        with self._lock:
            self._deadline.start(self._config.timeout)
            self._answer(_Asked("GET", "" if parts_of(self._config)[3] else "/", {}, None), alive=True)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _answer(self, asked: _Asked, *, alive: bool = False) -> str | None:
        """Return the body of a good answer, None of a 404; where it is asked only if it is `alive`, of most others too."""
        for attempt in range(_ATTEMPTS):
            try:
                return self._attempt(asked, alive)
            except _RefusedError as error:
                pause = _PAUSES[attempt] if attempt < len(_PAUSES) else 0.0
                if attempt == _ATTEMPTS - 1 or self._deadline.left() <= pause:
                    raise StateAdapterError(str(error)) from None
            time.sleep(pause)
        raise StateAdapterError("the system could not be reached")

    def _attempt(self, asked: _Asked, alive: bool) -> str | None:
        import httpcore
        import httpx

        try:
            return self._exchange(asked, alive)
        except StateAdapterError:
            raise
        except (httpcore.TimeoutException, httpx.TimeoutException):
            raise StateAdapterError(f"no answer within {self._config.timeout:g} s") from None
        except (httpcore.NetworkError, httpcore.RemoteProtocolError, OSError) as error:
            said = f"the connection failed ({type(error).__name__})"
            raise (_RefusedError(said) if _may_pass(error) else StateAdapterError(said)) from None
        except (
            Exception
        ) as error:  # of whatever the client may raise only the class is told: a message may hold the address
            raise StateAdapterError(f"the request failed ({type(error).__name__})") from None

    def _exchange(self, asked: _Asked, alive: bool) -> str | None:
        import httpx

        url = httpx.URL(_base(self._config) + asked.path)
        if asked.query:
            url = url.copy_merge_params(asked.query)
        for _ in range(_MOST_REDIRECTS + 1):
            request = self._client.build_request(asked.method, url, content=asked.body, headers=self._sent(asked))
            answer = self._client.send(request, stream=True)
            try:
                self._client.cookies.clear()
                if alive and answer.status_code < 500 and answer.status_code not in (401, 403):
                    return None
                if answer.status_code not in _REDIRECTS:
                    return _body(answer)
                url = _next(asked, url, answer.headers.get("location", ""))
            finally:
                answer.close()
        raise StateAdapterError(f"more than {_MOST_REDIRECTS} redirects")

    def _sent(self, asked: _Asked) -> dict[str, str]:
        headers = {name: secret.reveal() for name, secret in self._headers.items()}
        if asked.body is not None:
            headers["Content-Type"] = "application/json"
        return {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "hotato", **headers}


def _may_pass(error: Exception) -> bool:
    """Say whether a failure of the network may be gone at the next attempt; a certificate that is wrong stays wrong."""
    return "CERTIFICATE_VERIFY_FAILED" not in str(error)


def request_of(resource: HttpResource, filters: Mapping[str, Any]) -> _Asked:
    """Return the request for a record. Raise StateAdapterError, naming filters and never their values."""
    path, used = resource.path_template, placeholders(resource.path_template)
    for name in dict.fromkeys(used):
        if name not in filters:
            raise StateAdapterError(f"the path needs the filter '{name}'")
        text = _text(name, filters[name])
        if text in ("", ".", ".."):
            raise StateAdapterError(f"the filter '{name}' would lead to another path")
        path = path.replace("{" + name + "}", quote(text, safe=""))
    rest = {name: value for name, value in filters.items() if name not in used}
    wired = {name: resource.params_map.get(name, name) for name in rest}
    if len(set(wired.values())) != len(wired):
        raise StateAdapterError("two filters would be sent under one name")
    if resource.method == "POST":
        from hotato.model.codec import encode

        return _Asked("POST", path, {}, encode({wired[name]: value for name, value in rest.items()}))
    return _Asked("GET", path, {wired[name]: _text(name, value) for name, value in rest.items()}, None)


def _text(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int, float)):
        text = str(value)
        if text.isascii() or not any("\ud800" <= one <= "\udfff" for one in text):
            return text
    raise StateAdapterError(f"the filter '{name}' has no form in a URL")


def record_of(text: str, pointer: str) -> dict[str, Any] | None:
    """Return the record that an answer holds, None where the pointer leads to nothing. Raise StateAdapterError."""
    from hotato.model.codec import JsonError, decode

    try:
        value = decode(text)
    except JsonError as error:
        raise StateAdapterError(f"the answer is not JSON ({error.code})") from None
    for step in _steps(pointer):
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and step.isascii() and step.isdigit() and len(step) < 9:
            value = value[int(step)] if int(step) < len(value) else None
        else:
            return None
    if value is None:
        return None
    if not isinstance(value, dict):
        said = "the answer holds a list where a record is wanted; response_pointer can end in its position, such as /0"
        raise StateAdapterError(said if isinstance(value, list) else "the answer holds a single value, not a record")
    found = plain(value, [MOST_BYTES])
    return dict(found)


def _steps(pointer: str) -> list[str]:
    if pointer.startswith("/"):
        return (
            [step.replace("~1", "/").replace("~0", "~") for step in pointer[1:].split("/")] if len(pointer) > 1 else []
        )
    return [step for one in pointer.split("/") for step in one.split(".")] if pointer else []


def parts_of(config: HttpConfig) -> tuple[str, str, int, str]:
    """Return scheme, host, port and path of a checked config's address."""
    parts = parts_of_url(config.base_url)
    assert parts is not None
    return parts


def _base(config: HttpConfig) -> str:
    scheme, host, port, path = parts_of(config)
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}{path}"


def _next(asked: _Asked, url: Any, location: str) -> Any:
    """Return where a redirect leads. Raise StateAdapterError where that is another host, or not for a GET."""
    import httpx

    try:
        target = url.join(location)
    except (httpx.InvalidURL, ValueError):
        raise StateAdapterError("a redirect to no valid address") from None

    def origin(one: Any) -> tuple[str, str, int]:
        return one.scheme, one.host, one.port or {"http": 80, "https": 443}.get(one.scheme, 0)

    if not location or origin(target) != origin(url) or target.userinfo:
        raise StateAdapterError("a redirect to another host, which is not followed")
    if asked.method != "GET":
        raise StateAdapterError("a redirect of a POST, which is not followed")
    return target


def _body(answer: Any) -> str | None:
    """Return the text of a good answer, None of a 404. Raise StateAdapterError, or _RefusedError where another may come."""
    status = answer.status_code
    if status == 404:
        return None
    if not 200 <= status < 300:
        said = f"the system answered with status {status}"
        raise _RefusedError(said) if status in _AGAIN else StateAdapterError(said)
    if answer.headers.get("content-encoding", "identity").lower() != "identity":
        raise StateAdapterError("the answer is compressed, which was not asked for")
    raw = bytearray()
    for piece in answer.iter_raw():
        raw += piece
        if len(raw) > MOST_BYTES:
            raise StateAdapterError(f"the answer is larger than {MOST_BYTES} bytes")
    try:
        return raw.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError:
        raise StateAdapterError("the answer is not UTF-8 text") from None


def _secrets(config: HttpConfig, file: str) -> Iterator[tuple[str, Secret]]:
    auth = config.auth
    if auth is None:
        return
    if auth.type == "bearer":
        token = from_environment(auth.token_env or "", file, "auth.token_env")
        yield "Authorization", Secret(f"Bearer {token.reveal()}")
    elif auth.type == "basic":
        name = auth.username
        if name is None:
            name = from_environment(auth.username_env or "", file, "auth.username_env").reveal()
        password = from_environment(auth.password_env or "", file, "auth.password_env")
        pair = base64.b64encode(f"{name}:{password.reveal()}".encode()).decode("ascii")
        yield "Authorization", Secret(f"Basic {pair}")
    for header, value in auth.headers.items():
        if value.env is not None:
            yield header, from_environment(value.env, file, f"auth.headers.{header}.env")
        elif not (value.value or "").isascii() or not (value.value or "").isprintable():
            said = "the value of a header is printable ASCII"
            raise EvidenceError(
                Problem(code="wrong_value", file=file, path=f"auth.headers.{header}.value", message=said)
            )
        else:
            yield header, Secret(value.value or "")


def _client(config: HttpConfig, folder: str, file: str) -> tuple[Any, Any]:
    try:
        import httpx

        from hotato.state.wire import Deadline, Transport
    except ImportError:
        said = "the http adapter needs httpx: pip install 'hotato[http]'"
        raise EvidenceError(Problem(code="extra_missing", file=file, path="adapter", message=said)) from None
    deadline = Deadline()
    context = _context(config, folder, file, httpx.create_ssl_context)
    transport = Transport(context, config.allow_hosts, deadline)
    return httpx.Client(transport=transport, trust_env=False, follow_redirects=False, timeout=config.timeout), deadline


def _context(config: HttpConfig, folder: str, file: str, usual: Callable[..., ssl.SSLContext]) -> ssl.SSLContext:
    if config.ca_file is None:
        return usual(trust_env=False)
    try:
        return ssl.create_default_context(cafile=os.path.join(folder, config.ca_file))
    except (OSError, ValueError):
        said = "no file of certificates that can be read"
        raise EvidenceError(Problem(code="file_unreadable", file=file, path="ca_file", message=said)) from None
