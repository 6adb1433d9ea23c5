"""The transport under httpx: it connects only to addresses that were looked at, and every read has the same deadline.

The name of a host is resolved once, its addresses are judged, and the connection goes to one of them, while the name stays what
the certificate is checked against. A server that sends a byte now and then is cut off like one that sends nothing.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import httpcore
import httpx

from hotato.state.address import resolve

_LONGEST_CONNECT = 10.0  # seconds


class Deadline:
    """When the read that is under way must have ended."""

    def __init__(self) -> None:
        self._ends = 0.0

    def start(self, seconds: float) -> None:
        """Let it end in so many seconds."""
        self._ends = time.monotonic() + seconds

    def left(self) -> float:
        """Return the seconds left, 0 or less where it has passed."""
        return self._ends - time.monotonic()


class _Stream(httpcore.NetworkStream):
    def __init__(self, inner: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._inner, self._deadline = inner, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        del timeout
        return self._inner.read(max_bytes, self._left(httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        del timeout
        self._inner.write(buffer, self._left(httpcore.WriteTimeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        del timeout
        inner = self._inner.start_tls(ssl_context, server_hostname, self._left(httpcore.ConnectTimeout))
        return _Stream(inner, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)

    def _left(self, error: type[Exception]) -> float:
        left = self._deadline.left()
        if left <= 0:
            raise error
        return left


class _Network(httpcore.NetworkBackend):
    def __init__(self, allowed: Sequence[str], deadline: Deadline) -> None:
        self._inner, self._allowed, self._deadline = httpcore.SyncBackend(), allowed, deadline

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        del timeout, local_address, socket_options
        addresses = resolve(host, port, self._allowed, min(_LONGEST_CONNECT, self._deadline.left()))
        for place, address in enumerate(addresses):
            left = min(_LONGEST_CONNECT, self._deadline.left())
            if left <= 0:
                break
            try:
                return _Stream(self._inner.connect_tcp(address, port, left), self._deadline)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if place == len(addresses) - 1:
                    raise
        raise httpcore.ConnectTimeout


class _Body(httpx.SyncByteStream):
    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        yield from self._answer.iter_stream()

    def close(self) -> None:
        self._answer.close()


class Transport(httpx.BaseTransport):
    """Asks over a pool of connections; proxies of the environment are not asked."""

    def __init__(self, context: ssl.SSLContext, allowed: Sequence[str], deadline: Deadline) -> None:
        self._pool = httpcore.ConnectionPool(
            ssl_context=context,
            max_connections=4,
            keepalive_expiry=60.0,
            retries=0,
            network_backend=_Network(allowed, deadline),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return an answer whose body is read as it comes. Raise what httpcore raises, and StateAdapterError."""
        url = request.url
        target = httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
        answer = self._pool.handle_request(
            httpcore.Request(
                request.method,
                target,
                headers=request.headers.raw,
                content=request.stream,
                extensions=request.extensions,
            )
        )
        return httpx.Response(answer.status, headers=answer.headers, stream=_Body(answer), extensions=answer.extensions)

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()
