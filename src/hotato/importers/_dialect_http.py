"""HTTP exchanges among telemetry: client spans under the old names, the new ones, or both at once."""

from __future__ import annotations

from typing import Any

from hotato.importers._dialect_tools import failure
from hotato.importers._notes import Lost
from hotato.importers._out import Out, of_raw
from hotato.importers._raw import SERVER, Raw, Tree

METHODS = ("http.request.method", "http.method")
URLS = ("url.full", "http.url")
STATUSES = ("http.response.status_code", "http.status_code")
TELLING = frozenset(METHODS)
_NOT_CLIENT = (SERVER, 4, 5)


def is_exchange(raw: Raw) -> bool:
    """Say whether a span is a request that was sent: a client's span with a method and an address."""
    attrs = raw.attrs
    if ("http.request.method" not in attrs and "http.method" not in attrs) or raw.kind in _NOT_CLIENT:
        return False
    return raw.kind == 3 or any(name in attrs for name in URLS)


def collected(spans: list[Raw], tree: Tree, lost: Lost) -> list[Out]:
    """Return the exchanges of client spans, each once although two libraries may have recorded it.

    Where one library's request holds several of the other's, those are its attempts, and the attempts are the exchanges.
    """
    if len({span.scope for span in spans}) < 2:
        return [_out(span, None) for span in spans]
    known = {id(span): (_method(span), url_of(span)) for span in spans}
    inner: dict[int, list[list[Out]]] = {}
    top: list[Out] = []
    for span in sorted(spans, key=tree.depth, reverse=True):
        attempts = [out for found in inner.pop(id(span), []) for out in found]
        made = [_out(span, attempts[0] if attempts else None)] if len(attempts) < 2 else attempts
        lost["calls_merged"] += bool(attempts)
        around = next((above for above in tree.above(span) if id(above) in known), None)
        if around is not None and known[id(around)] == known[id(span)] and around.scope != span.scope:
            inner.setdefault(id(around), []).append(made)
        else:
            top += made
    return [*top, *(out for found in inner.values() for made in found for out in made)]  # a circle of parents


def _out(raw: Raw, twin: Out | None) -> Out:
    return of_raw("http_exchange", raw, {**(twin.data if twin is not None else {}), **fields(raw)})


def fields(raw: Raw) -> dict[str, Any]:
    """Return method, address, status and error of a request."""
    data: dict[str, Any] = {"method": _method(raw)}
    url = url_of(raw)
    if url:
        data["url"] = url
    status = status_of(raw.first(STATUSES))
    if status is not None:
        data["status_code"] = status
    error, kind = failure(raw)
    if error is not None:
        data["error"] = error
    if kind is not None:
        data["error_type"] = kind
    return data


def status_of(value: Any) -> Any:
    """Return a status as a number where it is one in any spelling; None where there is none."""
    if type(value) is str and value.isascii() and value.isdigit() and len(value) < 6:
        return int(value)
    if type(value) is float and value.is_integer():
        return int(value)
    return value if type(value) is int and value else None


def _method(raw: Raw) -> str:
    method = raw.first(METHODS)
    if method == "_OTHER":
        method = raw.attrs.get("http.request.method_original") or method
    return method.upper() if type(method) is str else str(method)


def url_of(raw: Raw) -> str:
    """Return the address, put together from its parts where it is not told in one piece; empty where it is not told."""
    whole = raw.first(URLS)
    if type(whole) is str and whole:
        return whole
    get = raw.attrs.get
    scheme = raw.first(("url.scheme", "http.scheme")) or "http"
    host, target = raw.first(("http.host", "server.address", "net.peer.name")), get("http.target")
    if type(target) is not str:
        path, query = get("url.path") or "", get("url.query")
        target = f"{path}?{query}" if query else path
    if type(host) is not str or not host:
        return target if type(target) is str else ""
    port = raw.first(("server.port", "net.peer.port"))
    default = {"http": "80", "https": "443"}.get(str(scheme))
    if ":" not in host and port is not None and str(port) != default:
        host = f"{host}:{port}"
    return f"{scheme}://{host}{target}"
