"""OTLP in protobuf: told by its bytes, decoded with `opentelemetry-proto`, and handed on as OTLP in JSON."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from hotato.importers._importer import Damage

INSTALL = "protobuf needs opentelemetry-proto: pip install 'hotato[otel]'"
_FIELD = 0x0A  # field 1, a message: resource_spans or resource_logs


def looks_like(raw: bytes) -> bool:
    """Say whether bytes are nothing but messages of field 1, alone or each with its length in front."""
    return bool(raw.strip()) and (_is_message(raw) or _pieces(raw) is not None)


def _is_message(raw: bytes) -> bool:
    place, size = 0, len(raw)
    while place < size:
        if raw[place] != _FIELD:
            return False
        length, place = _varint(raw, place + 1)
        if length is None or place + length > size:
            return False
        if length and raw[place] not in (0x0A, 0x12, 0x1A):  # resource, scopes, schema
            return False
        place += length
    return size > 0


def _varint(raw: bytes, place: int) -> tuple[int | None, int]:
    value = shift = 0
    while place < len(raw) and shift < 35:
        byte = raw[place]
        value |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            return value, place
    return None, place


def _pieces(raw: bytes) -> list[bytes] | None:
    """Return the messages of a file that has four bytes of length before each; None where it has not."""
    found = []
    place = 0
    while place < len(raw):
        length = int.from_bytes(raw[place : place + 4], "big")
        piece = raw[place + 4 : place + 4 + length]
        if len(piece) != length or not length or not _is_message(piece):
            return None
        found.append(piece)
        place += 4 + length
    return found or None


def requests(raw: bytes) -> list[Any]:
    """Return the export requests in bytes as JSON has them. Raise Damage where they are damaged or cannot be decoded."""
    try:
        traces = import_module("opentelemetry.proto.trace.v1.trace_pb2")
        logs = import_module("opentelemetry.proto.logs.v1.logs_pb2")
        as_dict = import_module("google.protobuf.json_format").MessageToDict
        fault = import_module("google.protobuf.message").DecodeError
    except ImportError:
        raise Damage((), INSTALL, code="extra_missing") from None
    found = []
    for index, piece in enumerate([raw] if _is_message(raw) else _pieces(raw) or [raw]):
        kinds = (traces.TracesData, logs.LogsData)
        for kind in kinds:
            try:
                message = kind.FromString(piece)
                value = as_dict(message)
            except (fault, ValueError, RecursionError):
                continue
            if _is_whole(value):
                found.append(value)
                break
        else:
            raise Damage((index,), "is neither spans nor log records as OTLP writes them in protobuf")
    return found


def _is_whole(value: dict[str, Any]) -> bool:
    """Say whether decoded spans have ids of the right length; log records read as spans have not."""
    for resource in value.get("resourceSpans", []):
        for scope in resource.get("scopeSpans", []):
            for span in scope.get("spans", []):
                if len(span.get("traceId", "")) not in (0, 24) or len(span.get("spanId", "")) not in (0, 12):
                    return False
    return "resourceSpans" in value or "resourceLogs" in value or not value
