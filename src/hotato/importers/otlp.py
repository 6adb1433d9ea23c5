"""OpenTelemetry: OTLP as JSON or protobuf, from a collector's file exporter, an SDK, Tempo, Jaeger or a vendor.

How to get it: the collector's `file` exporter (one export request a line), an OTLP file exporter of an SDK, Tempo's
`/api/traces/ID`, Jaeger's `/api/v3/traces`, or the body of an OTLP/HTTP request, gzip or not. Protobuf needs
`pip install 'hotato[otel]'`. Resources, spans and log records of several requests are read as one file.

Read are tool calls, HTTP requests, errors, handoffs, key presses and endings as the semantic conventions for GenAI and
HTTP, OpenInference, OpenLLMetry, LiveKit, Pipecat, ElevenLabs, Vercel and others name them, and spans that carry the name
of one of hotato's own types. What was said is read where the instrumentation records it.

What it does not record, unless the instrumentation is told to: arguments, results and messages
(`OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY`); bodies of HTTP requests, ever.
"""

from __future__ import annotations

from hotato.importers import _otlp as otlp
from hotato.importers import _otlp_typed as typed
from hotato.importers._assemble import imported
from hotato.importers._importer import Content, Damage, Imported, Options
from hotato.importers._protobuf import looks_like, requests
from hotato.importers._raw import Batch

RANK = 50


def matches(content: Content) -> str:
    """Return why the content is OTLP; empty where it is not."""
    if not content.values:
        return "an export request in protobuf" if looks_like(content.raw) else ""
    values = content.value if type(content.value) is list else content.values
    found = otlp.wrapped(values[0]) if values else None
    if found is None:
        return ""
    return next(name for name in (*otlp.SPANS, *otlp.LOGS) if name in found[1])


def quick(raw: bytes, options: Options) -> Imported | None:
    """Return the call of bytes that are OTLP as the protocol writes it; None for anything else, and for what is damaged."""
    requests = typed.decoded(raw)
    batch = typed.Spans(otlp.nano, otlp.any_value).batch(requests) if requests is not None else None
    if batch is None:
        return None
    try:
        return imported(batch, "otlp", options)
    except Damage:  # the message names places of the content
        return None


def read(content: Content, options: Options) -> Imported:
    """Return the call that the spans tell."""
    return imported(batch_of(content), "otlp", options)


def batch_of(content: Content) -> Batch:
    """Return the spans and log records of all requests. Raise Damage."""
    batch = Batch()
    if not content.values:
        for index, request in enumerate(requests(content.raw)):
            otlp.read_request(request, (index,), batch)
    elif content.shape == "document" and type(content.value) is not list:
        otlp.read_request(content.value, (), batch)
    else:
        for index, value in enumerate(content.value if content.shape == "document" else content.values):
            otlp.read_request(value, (index,), batch)
    return batch
