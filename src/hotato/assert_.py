"""Judge a call against typed assertions: the public facade of the deterministic lane.

    from hotato import assert_ as A

    ctx = A.build_context(transcript_path="transcript.json", trace_path="voice_trace.jsonl")
    env = A.run_assertions_from_file("assertions.yaml", ctx)
    env["exit_code"]   # 0 pass, 1 fail; 2 under inconclusive_policy "refuse" where evidence is missing

Bad documents and bad evidence raise `hotato.errors.UsageError`, a ValueError, with every problem found.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from hotato.context.build import build_context
from hotato.context.files import MOST_CONFIG, read_text
from hotato.context.trace import load_spans_file
from hotato.context.transcript import load_transcript_file
from hotato.document.load import Document, load
from hotato.document.reading import read, scan
from hotato.document.tree import Tree
from hotato.errors import DocumentError, EvidenceError, Problem, UsageError
from hotato.model import codec, given
from hotato.model.call import Call as Context
from hotato.model.call import Span, StateAdapter, Turn
from hotato.model.pack import Pack
from hotato.model.verdict import DIMENSIONS as RESULT_DIMENSIONS
from hotato.model.verdict import POLICIES as INCONCLUSIVE_POLICIES
from hotato.model.verdict import STATUSES
from hotato.plan.compile import Plan, check_policy, compile_plan
from hotato.plan.resources import DEFAULT_PACK as DEFAULT_POLICY_PACK
from hotato.plan.resources import Resources
from hotato.plan.run import judge, run
from hotato.plan.summary import SCHEMA, envelope
from hotato.plan.text import render_run_text

DEFAULT_INCONCLUSIVE_POLICY = "report"
_EVIDENCE = ("transcript", "spans", "timing", "state_adapter")
VerifyBundle = Callable[[str], tuple[int, int, int]]

# resolved by __getattr__ when first asked for, since they need every kind or every detector
KINDS: tuple[str, ...]
RUBRIC_KINDS: tuple[str, ...]
EXTENSION_KINDS: tuple[str, ...]
ALL_KINDS: tuple[str, ...]
DETECTOR_NAMES: tuple[str, ...]
DETECTORS: dict[str, dict[str, str]]  # detector -> how it recognises: code -> sentence

__all__ = [
    "ALL_KINDS",
    "Context",
    "DEFAULT_INCONCLUSIVE_POLICY",
    "DEFAULT_POLICY_PACK",
    "DETECTORS",
    "DETECTOR_NAMES",
    "EXTENSION_KINDS",
    "INCONCLUSIVE_POLICIES",
    "KINDS",
    "Plan",
    "RESULT_DIMENSIONS",
    "RUBRIC_KINDS",
    "SCHEMA",
    "Turn",
    "build_context",
    "build_init_stub",
    "compile_assertions",
    "envelope_from_results",
    "evaluate_assertion",
    "judge_bytes",
    "judge_call",
    "load_policy_pack",
    "load_spans_file",
    "load_transcript_file",
    "parse_assertions_yaml",
    "render_assertions_yaml",
    "render_run_text",
    "run_assertions",
    "run_assertions_from_file",
    "run_assertions_from_yaml",
    "validate_assertions_doc",
]


def parse_assertions_yaml(text: str) -> Any:
    """Return the plain value of a YAML or JSON text. Raise DocumentError with the place of what is wrong."""
    return read(
        given.typed(str, text, "assertions", "the text of a YAML or JSON document", DocumentError), "assertions"
    ).value


def validate_assertions_doc(doc: Any) -> Any:
    """Return the document as it was given. Raise DocumentError with every problem in it."""
    _load(doc)
    return doc


def compile_assertions(
    doc: Any,
    *,
    packs: Sequence[str] = (),
    file: str = "",
    inconclusive_policy: str | None = None,
    strict: bool | None = None,
    join_segments: bool | None = None,
    verify_bundle: VerifyBundle | None = None,
) -> Plan:
    """Compile a document once, to judge any number of calls with `judge_call`. Raise DocumentError.

    `doc` is a mapping or the text of a YAML or JSON file, `packs` are bundled assertion packs to merge in by name, `file`
    names a text in messages. An argument beats the document's own setting. `verify_bundle` (`hotato.core.verify_bundle`)
    scores the contracts that `timing_contract` names; without it that kind is INCONCLUSIVE. An argument of another type
    than these raises UsageError.
    """
    if verify_bundle is not None and not callable(verify_bundle):
        raise given.refused(verify_bundle, "verify_bundle", "a function, such as hotato.core.verify_bundle, or None")
    file = given.path(file, "file")
    resources = Resources(_read_pack(file), verify_bundle)
    return compile_plan(
        _load(doc, resources, packs, file),
        resources,
        inconclusive_policy=inconclusive_policy,
        strict=strict,
        join_segments=join_segments,
        plain=os.environ.get("HOTATO_PLAIN", "") not in ("", "0"),
    )


def judge_call(plan: Plan, ctx: Any) -> dict[str, Any]:
    """Return the envelope of one call under a compiled plan.

    `ctx` is what `build_context` returns, or an object with its attributes. Raise UsageError for a plan or context that is
    none, EvidenceError for evidence that is more than can be judged by, and InternalError, naming the assertion.
    """
    _check_plan(plan)
    _check_context(ctx)
    return run(plan, ctx)


def judge_bytes(plan: Plan, raw: bytes, *, state: Callable[[Any], StateAdapter] | None = None) -> bytes:
    """Return the envelope of one call as compact JSON in UTF-8, from the bytes of the call.

    `raw` is a JSON object with some of `transcript`, `spans`, `timing` and `state`, each as `build_context` takes it; null
    is not supplied. An object under `source` says what a trace's meta line does; other keys are left alone, but for lists
    and objects under a name that is nearly one of these. `state` makes a system of record of what the call has under that
    name, such as `MockStateAdapter`; without it there is none. Raise EvidenceError, UsageError for a plan that is none,
    and InternalError, naming the assertion.
    """
    _check_plan(plan)
    raw = bytes(given.typed((bytes, bytearray), raw, "call", "bytes: JSON in UTF-8", EvidenceError))
    if state is not None and not callable(state):
        raise given.refused(state, "state", "a function that makes a system of record of what the call has, or None")
    from hotato.context.row import call_of_row
    from hotato.context.typed import of_bytes

    if not plan.plain and (quick := of_bytes(raw)) is not None:
        if state is not None and quick.state is not None:
            quick.state_adapter = state(quick.state)
        return codec.encode_bytes(run(plan, quick))
    try:
        record = codec.decode_bytes(raw)
    except codec.JsonError as error:
        said = f"not JSON: {error.message}"
        raise EvidenceError(
            Problem(code=error.code, file="call", line=error.line, column=error.column, message=said)
        ) from None
    if type(record) is not dict:
        raise EvidenceError(Problem(code="call", file="call", message="a call is a JSON object"))
    told = record.get("state")
    adapter = None if state is None or told is None else state(told)
    call = call_of_row(record, state_adapter=adapter, file="call")
    return codec.encode_bytes(run(plan, call))


def run_assertions(
    doc: Any,
    ctx: Any,
    inconclusive_policy: str | None = None,
    *,
    strict: bool | None = None,
    join_segments: bool | None = None,
    verify_bundle: VerifyBundle | None = None,
) -> dict[str, Any]:
    """Judge a call by a document in hand and return the assert.v1 envelope. Raise DocumentError before anything runs.

    The settings are those of `compile_assertions`, `ctx` and what is raised later those of `judge_call`.
    """
    plan = compile_assertions(
        doc,
        inconclusive_policy=inconclusive_policy,
        strict=strict,
        join_segments=join_segments,
        verify_bundle=verify_bundle,
    )
    return judge_call(plan, ctx)


def run_assertions_from_yaml(
    text: str,
    ctx: Any,
    inconclusive_policy: str | None = None,
    *,
    strict: bool | None = None,
    join_segments: bool | None = None,
    verify_bundle: VerifyBundle | None = None,
) -> dict[str, Any]:
    """Judge a call by the text of a YAML or JSON document. Raise DocumentError before anything runs."""
    return run_assertions(
        text, ctx, inconclusive_policy, strict=strict, join_segments=join_segments, verify_bundle=verify_bundle
    )


def run_assertions_from_file(
    path: str | os.PathLike[str],
    ctx: Any,
    inconclusive_policy: str | None = None,
    *,
    packs: Sequence[str] = (),
    strict: bool | None = None,
    join_segments: bool | None = None,
    verify_bundle: VerifyBundle | None = None,
) -> dict[str, Any]:
    """Judge a call by a document file. Raise DocumentError before anything runs.

    The settings are those of `compile_assertions`.
    """
    text = read_text(path, most=MOST_CONFIG, error=DocumentError)
    plan = compile_assertions(
        text,
        packs=packs,
        file=given.path(path, "path"),
        inconclusive_policy=inconclusive_policy,
        strict=strict,
        join_segments=join_segments,
        verify_bundle=verify_bundle,
    )
    return judge_call(plan, ctx)


def evaluate_assertion(assertion: Mapping[str, Any], ctx: Any) -> dict[str, Any]:
    """Judge a call by one assertion that refers to no other, and return its result. Raise as `run_assertions` does."""
    plan = compile_assertions({"version": 1, "assertions": [assertion]})
    _check_context(ctx)
    return judge(plan, ctx)[0]


def envelope_from_results(
    results: Iterable[dict[str, Any]], inconclusive_policy: str = DEFAULT_INCONCLUSIVE_POLICY
) -> dict[str, Any]:
    """Return the envelope around results that were made before. Raise UsageError, a ValueError.

    A result without one of the statuses PASS, FAIL and INCONCLUSIVE is refused: nothing would count it.
    """
    check_policy(inconclusive_policy)
    made = list(given.typed(Iterable, results, "results", "a list of results"))
    for place, result in enumerate(made):
        status = given.typed(Mapping, result, f"results[{place}]", "a result, as evaluate_assertion returns it").get(
            "status"
        )
        if type(status) is not str or status not in STATUSES:
            said = f"a result's status is {', '.join(STATUSES)}"
            raise UsageError(Problem(code="value", file="results", path=f"[{place}].status", message=said))
    return envelope(made, inconclusive_policy or DEFAULT_INCONCLUSIVE_POLICY)


def build_init_stub(ctx: Any) -> dict[str, Any]:
    """Return a first document, inferred from a context's spans. Raise UsageError where they show nothing to assert."""
    from hotato.plan.starter import starter

    _check_context(ctx)
    return starter(getattr(ctx, "spans", None))


def render_assertions_yaml(doc: Mapping[str, Any]) -> str:
    """Return a document as YAML text that reads back as the same document. Raise DocumentError where there is none."""
    from hotato.document.write import to_yaml

    return to_yaml(doc)


def load_policy_pack(name: str = DEFAULT_POLICY_PACK) -> Pack:
    """Return a policy rule pack: a bundled one by name, or one in a file by path. Raise DocumentError."""
    name = given.path(name, "name", DocumentError)
    is_file = os.sep in name or name.endswith((".yaml", ".yml", ".json"))
    resources = Resources(_read_pack(""))
    return resources.pack(None, name) if is_file else resources.pack(name, None)


def _read_pack(document: str) -> Any:
    """Return a reader of files named in a document; relative paths start at the document's folder."""
    folder = os.path.dirname(document)

    def read_beside(path: str) -> str:
        return read_text(os.path.join(folder, path), most=MOST_CONFIG, error=DocumentError)

    return read_beside


def _load(doc: Any, resources: Resources | None = None, packs: Sequence[str] = (), file: str = "") -> Document:
    resources = resources or Resources(_read_pack(file))
    source = scan(doc, file) if isinstance(doc, str) else doc
    return load(source, resources, [_pack(name) for name in given.names(packs, "packs", DocumentError)], file)


def _pack(name: str) -> Tree:
    from hotato import packs

    if name not in packs.names("assertions"):
        from hotato.document.guess import Guesser

        known = packs.names("assertions")
        said = f"no assertion pack is called '{name}'; there are {', '.join(known)}"
        raise DocumentError(
            Problem(code="unknown_pack", file="--pack", message=said, guess=Guesser().nearest(name, known))
        )
    return read(packs.text("assertions", name), f"{name}.yaml")


def _check_plan(plan: Any) -> None:
    given.typed(Plan, plan, "plan", "a plan, as compile_assertions returns it")


def _check_items(items: Any, one: type, name: str) -> None:
    """Refuse a context that was made by hand of what build_context would have read."""
    if items is None or (type(items) in (tuple, list) and (not items or isinstance(items[0], one))):
        return
    raise given.refused(items, f"ctx.{name}", f"what build_context makes of {name}", EvidenceError)


def _check_context(ctx: Any) -> None:
    """Refuse what holds no evidence whatever: every check of it would be INCONCLUSIVE, which by default fails nothing."""
    if type(ctx) is Context:
        _check_items(ctx.transcript, Turn, "transcript")
        _check_items(ctx.spans, Span, "spans")
        return
    if hasattr(type(ctx), "__getattr__"):
        return
    from inspect import getattr_static

    # a look that computes nothing: an attribute may be read from elsewhere when a check asks for it
    if all(getattr_static(ctx, name, _check_context) is _check_context for name in _EVIDENCE):
        what = "a context, as build_context returns it, or an object with its attributes"
        raise given.refused(ctx, "ctx", what, EvidenceError)


def __getattr__(name: str) -> Any:
    """Resolve the listings that need every kind or every detector, when first asked for."""
    if name in ("KINDS", "RUBRIC_KINDS", "EXTENSION_KINDS", "ALL_KINDS"):
        from hotato import kinds

        apart = {"rubric": "RUBRIC_KINDS", "say_do": "EXTENSION_KINDS"}
        named = {kinds.tag(kind): apart.get(kind.family, "KINDS") for kind in kinds.all_kinds()}
        return tuple(kind for kind, listing in named.items() if name in ("ALL_KINDS", listing))
    if name in ("DETECTORS", "DETECTOR_NAMES"):
        from hotato.match import pii

        return pii.names() if name == "DETECTOR_NAMES" else {one: dict(pii.codes(one)) for one in pii.names()}
    raise AttributeError(f"module 'hotato.assert_' has no attribute '{name}'")
