"""Streamable HTTP: the server behind uvicorn, on one address, with a token where one is set."""

from __future__ import annotations

import hmac
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from typing import TYPE_CHECKING, Any

from hotato.cli._out import complain
from hotato.errors import Problem, UsageError

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

_Message = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Message]]
_Send = Callable[[_Message], Awaitable[None]]
_App = Callable[[_Message, _Receive, _Send], Awaitable[None]]


def serve(server: Server[Any], host: str, port: int, token: str) -> None:
    """Listen until interrupted; the address is told on standard error. Raise UsageError where it is taken.

    On a loopback address the SDK refuses requests whose Host or Origin is another, so that no page in a browser reaches
    the server under a name of its own. Elsewhere the token keeps such pages out.
    """
    import uvicorn

    listening = _listening(host, port)
    app: Any = server.streamable_http_app(host=host)
    config = uvicorn.Config(
        _with_token(app, token) if token else app, log_level="warning", access_log=False, server_header=False
    )
    shown = f"[{host}]" if ":" in host else host
    complain(f"hotato-mcp: http://{shown}:{listening.getsockname()[1]}/mcp\n")
    with listening:
        uvicorn.Server(config).run(sockets=[listening])


def _listening(host: str, port: int) -> socket.socket:
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(128)
    except OSError as cause:
        said = f"cannot be listened on: {(cause.strerror or 'unknown cause').lower()}"
        raise UsageError(Problem(code="address", file=f"{host}:{port}", message=said)) from None
    return listening


def _with_token(app: _App, token: str) -> _App:
    """Return an ASGI app that answers 401 to a request without the token."""
    wanted = f"Bearer {token}".encode("utf-8", "surrogateescape")

    async def guarded(scope: _Message, receive: _Receive, send: _Send) -> None:
        if scope["type"] == "lifespan":
            await app(scope, receive, send)
            return
        given = [value for name, value in scope.get("headers", ()) if name == b"authorization"]
        if len(given) == 1 and hmac.compare_digest(given[0], wanted):
            await app(scope, receive, send)
            return
        headers = [(b"content-type", b"text/plain"), (b"www-authenticate", b"Bearer")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": b"a token is needed\n"})

    return guarded
