"""A model server over HTTP: where it may be, and one bounded exchange of JSON with it.

A call is private. A server on this machine may be asked; any other only where the user opted in, over https, or over http
where an address of a private network is written out. Link-local and metadata addresses are never asked.
"""

from __future__ import annotations

import ssl
import threading
from collections.abc import Mapping
from typing import Any

import msgspec

from hotato.errors import EvidenceError, Problem, StateAdapterError, UsageError
from hotato.rubric.judge import JudgeError
from hotato.state.address import host_fault, is_local, literal, sort_of
from hotato.state.config import parts_of_url
from hotato.state.secret import Secret, from_environment

_MOST_BYTES = 4 * 1024 * 1024  # of an answer


class Place(msgspec.Struct, frozen=True):
    """A checked address. `told` is how results name it: `loopback`, or host and port."""

    url: str
    host: str
    told: str


def place_of(url: str, *, egress_opt_in: bool, file: str = "judge") -> Place:
    """Return the checked address of a server. Raise UsageError where it is none, or may not be asked."""

    def refused(code: str, said: str) -> UsageError:
        return UsageError(Problem(code=code, file=file, path="judge_url", message=said))

    parts = parts_of_url(url)
    if parts is None:
        raise refused("address", "must be http(s)://HOST[:PORT][/PATH] in ASCII, without a user, a query or a fragment")
    scheme, host, port, path = parts
    if is_local(host):
        host = "127.0.0.1" if host == "localhost" else host  # no hosts file is asked where that is
        return Place(_url(scheme, host, port, path), host, "loopback")
    said = host_fault(host, [])
    if said:
        raise refused("address", said.partition(";")[0])
    if not egress_opt_in:
        raise refused("egress", "the call would leave this machine; --judge-egress-opt-in allows that")
    address = literal(host)
    if scheme == "http" and (address is None or sort_of(address) != "private"):
        raise refused("address", "http is not encrypted; a judge elsewhere is asked over https")
    return Place(_url(scheme, host, port, path), host, f"{host}:{port}")


def _url(scheme: str, host: str, port: int, path: str) -> str:
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}{path}"


def _trust(place: Place) -> ssl.SSLContext:
    """Return which certificates are trusted; without TLS none are, and their list, which takes a while, is not read."""
    if place.url.startswith("http:"):
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    import httpx

    return httpx.create_ssl_context(trust_env=False)


class Server:
    """Exchanges JSON with one server. `seconds` is the longest one exchange may take, all of it.

    Raise EvidenceError where httpx is missing, or `key_env` names no variable that holds a key.
    """

    def __init__(self, place: Place, seconds: float, key_env: str | None = None) -> None:
        key = None if key_env is None else from_environment(key_env, "judge", "judge_key_env")
        self._key: Secret | None = key
        try:
            import httpx

            from hotato.state.wire import Deadline, Transport
        except ImportError:
            said = "a judge over HTTP needs httpx: pip install 'hotato[rubric]'"
            raise EvidenceError(Problem(code="extra_missing", file="judge", message=said)) from None
        self._place, self._seconds, self._lock = place, seconds, threading.Lock()
        self._deadline = Deadline()
        self._gone = ""
        # a name may stand for an address of a private network: the user wrote it, and opted in
        transport = Transport(_trust(place), [place.host], self._deadline)
        self._client = httpx.Client(transport=transport, trust_env=False, follow_redirects=False)

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the object that the server answers with. Raise JudgeError."""
        from hotato.model.codec import encode

        return self._exchange("POST", path, encode(body))

    def get(self, path: str) -> dict[str, Any]:
        """Return the object that the server answers with. Raise JudgeError."""
        return self._exchange("GET", path, None)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _exchange(self, method: str, path: str, body: str | None) -> dict[str, Any]:
        from hotato.model.codec import JsonError, decode

        if self._gone:
            raise JudgeError("judge_unreachable", self._gone)
        with self._lock:
            self._deadline.start(self._seconds)
            text = self._answer(method, path, body)
        try:
            value = decode(text)
        except JsonError as error:
            raise JudgeError("judge_refused", f"its answer is not JSON ({error.code})") from None
        if type(value) is not dict:
            raise JudgeError("judge_refused", "its answer is no object")
        return dict(value)

    def _answer(self, method: str, path: str, body: str | None) -> str:
        import httpcore
        import httpx

        try:
            return self._sent(method, path, body)
        except (httpcore.ConnectError, httpcore.ConnectTimeout, StateAdapterError) as error:
            self._gone = type(error).__name__  # it is not asked again: each try would wait as long
            raise JudgeError("judge_unreachable", self._gone) from None
        except (httpcore.TimeoutException, httpx.TimeoutException):
            raise JudgeError("judge_timeout", f"{self._seconds:g} s") from None
        except (httpcore.NetworkError, httpcore.ProtocolError, httpx.HTTPError, OSError) as error:
            raise JudgeError("judge_unreachable", type(error).__name__) from None

    def _sent(self, method: str, path: str, body: str | None) -> str:
        headers = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "hotato"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if self._key is not None:
            headers["Authorization"] = f"Bearer {self._key.reveal()}"
        request = self._client.build_request(method, self._place.url + path, content=body, headers=headers)
        answer = self._client.send(request, stream=True)
        try:
            self._client.cookies.clear()
            if answer.status_code != 200:
                raise JudgeError("judge_refused", f"status {answer.status_code}")
            if answer.headers.get("content-encoding", "identity").lower() != "identity":
                raise JudgeError("judge_refused", "its answer is compressed, which was not asked for")
            raw = bytearray()
            for piece in answer.iter_raw():
                raw += piece
                if len(raw) > _MOST_BYTES:
                    raise JudgeError("judge_refused", f"its answer is larger than {_MOST_BYTES} bytes")
        finally:
            answer.close()
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            raise JudgeError("judge_refused", "its answer is not UTF-8 text") from None
