"""The task that every engine runs: a piece of the input in, its results as bytes out. It needs nothing of its caller."""

from __future__ import annotations

import threading
from collections.abc import Mapping

import msgspec
import pyarrow as pa

from hotato.batch._document import Judged, compiled
from hotato.batch._judge import judged
from hotato.batch._read import items
from hotato.batch._rows import Ledger, Tally
from hotato.batch._sources import Piece
from hotato.model.limits import limits
from hotato.plan.compile import Plan


class Spec(msgspec.Struct, frozen=True):
    """What all tasks of a run share."""

    judged: Judged
    root: str
    call_format: str = ""
    capture_complete: bool = False
    envelopes: bool = False
    limits: Mapping[str, int] = {}


class Outcome(msgspec.Struct, array_like=True):
    """The results of a piece: rows as an Arrow stream, counts, and the lines of envelopes where they are wanted."""

    rows: bytes
    tally: Tally
    envelopes: bytes = b""


_OPTIONS = pa.ipc.IpcWriteOptions(compression="lz4")
_encode, _decode = msgspec.msgpack.Encoder().encode, msgspec.msgpack.Decoder(Outcome).decode
_spec_of = msgspec.msgpack.Decoder(Spec).decode
_plans: dict[bytes, tuple[Spec, Plan]] = {}
_lock = threading.Lock()


def packed(spec: Spec) -> bytes:
    """Return a spec as the bytes that tasks take."""
    return _encode(spec)


def work(spec: bytes, piece: bytes) -> bytes:
    """Judge a piece, and return its Outcome as bytes. The plan is compiled once a process. Raise EvidenceError."""
    with _lock:  # threads of an engine may share a process
        known, plan = _known(spec)
        with limits(**known.limits):
            return _encode(_judged(known, plan, msgspec.msgpack.decode(piece, type=Piece)))


def unpacked(outcome: bytes) -> Outcome:
    """Return an Outcome from its bytes."""
    return _decode(outcome)


def _judged(spec: Spec, plan: Plan, piece: Piece) -> Outcome:
    ledger = Ledger(plan)
    found = items(piece, spec.root, spec.call_format, capture_complete=spec.capture_complete)
    lines = judged(plan, found, ledger, capture_complete=spec.capture_complete, envelopes=spec.envelopes)
    envelopes = b"".join(lines)
    batch = ledger.rows()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema, options=_OPTIONS) as stream:
        stream.write_batch(batch)
    return Outcome(sink.getvalue().to_pybytes(), ledger.tally(), envelopes)


def _known(spec: bytes) -> tuple[Spec, Plan]:
    if spec not in _plans:
        _plans.clear()
        told = _spec_of(spec)
        with limits(**told.limits):
            _plans[spec] = told, compiled(told.judged)
    return _plans[spec]
