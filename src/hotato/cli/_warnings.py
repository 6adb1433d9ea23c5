"""What a valid document says that can hardly be meant: checks that cannot fail, or cannot pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import msgspec

from hotato.cli._siblings import siblings
from hotato.cli._suspects import Where, suspects
from hotato.document.guess import Guesser
from hotato.document.load import load
from hotato.document.problems import path_text
from hotato.document.reading import scan
from hotato.document.tree import Tree
from hotato.errors import Problem
from hotato.kinds import tag
from hotato.kinds._kind import Kind
from hotato.match.regex import regex_can_match, regex_common
from hotato.match.text import ROLES, fold_role
from hotato.plan.resources import Resources

if TYPE_CHECKING:
    from hotato.model.call import Call

CODES = {
    "always_true": "a formula that is true whatever the results of its references",
    "never_true": "a formula that is false whatever the results of its references",
    "duplicate_assertion": "an assertion that checks the same as another",
    "unknown_role": "a role that is neither agent nor caller, nor another name of one of them",
    "matches_everything": "a pattern that matches the empty text, and therefore every text",
    "matches_nearly_everything": "a pattern that any text matches which has a letter in it, or two in a row",
    "matches_nothing": "a pattern that no text matches",
    "never_judged": "a kind that has no verdict in this lane",
    "contradicts": "an assertion that cannot hold where another one does: one requires what the other forbids",
    "never_reached": "an assertion whose `when` can never be met",
    "plain_matcher": "an expected field that is called as a matcher is, without its `$`",
    "matches_no_value": "bounds of an expected value that no value meets",
    "blank_edge": "a name that begins or ends with a blank",
}
# of these, what lets a check hold whatever was said and done
HOLLOW = frozenset(
    "always_true matches_everything matches_nearly_everything matches_nothing matches_no_value never_reached "
    "unknown_role blank_edge".split()
)
MOST_REFS = 12
_MOST_TOLD = 5  # warnings where a document is run
_NEVER = frozenset({"never_true", "never_judged"})  # what no call makes pass
_NO_CHECK = frozenset({"id", "description", "severity", "tags", "dimension"})
_UNREAD = _NO_CHECK | {"kind", "when"}
_OTHER_ROLES = frozenset({"system", "tool", "unknown", "ivr", "supervisor", "human_agent", "specialist"})

_Warning = tuple[str, str | Where, str, str]  # code, field or the way to it, message, guess
_Found = Iterator[_Warning]


def warnings(source: str | Tree, file: str) -> list[Problem]:
    """Return a valid document's warnings, in the order of its assertions. Raise DocumentError where it is not valid."""
    return _warned(*_read(source, file))


def _read(source: str | Tree, file: str) -> tuple[Tree, Sequence[Kind]]:
    tree = scan(source, file) if isinstance(source, str) else source
    # what lies in other files was looked at when the document was compiled
    resources = Resources(lambda path: _beside(path, file))
    return tree, load(tree, resources).specs


def _warned(tree: Tree, specs: Sequence[Kind]) -> list[Problem]:
    found: list[Problem] = []
    seen: dict[bytes, str] = {}
    told = [list(_of(spec, seen)) for spec in specs]
    dead = {spec.id for spec, each in zip(specs, told, strict=True) if _NEVER.intersection(code for code, *_ in each)}
    for place, (spec, more) in enumerate(zip(specs, siblings(specs, dead), strict=True)):
        found += [_problem(tree, place, spec.id, one) for one in (*told[place], *more)]
    return found


def hollow(text: str, file: str, call: Call | None = None) -> str:
    """Return a line for each check of a valid document that hardly any call can make fail; empty where there is none.

    With the call that is judged also one for each name of which the call has another spelling.
    """
    from hotato.cli._unseen import unseen
    from hotato.plan.text import safe

    tree, specs = _read(text, file)
    found = [str(one) for one in _warned(tree, specs) if one.code in HOLLOW]
    told, rest = found[:_MOST_TOLD], found[_MOST_TOLD:]
    if rest:
        told.append(f"{len(rest)} more; hotato assert lint {file} tells all")
    return "".join(f"warning: {safe(line)}\n" for line in (*told, *(() if call is None else unseen(specs, call))))


def _beside(path: str, file: str) -> str:
    import os

    from hotato.context.files import MOST_CONFIG, read_text

    return read_text(os.path.join(os.path.dirname(file), path), most=MOST_CONFIG)


def _problem(tree: Tree, place: int, ident: str, found: _Warning) -> Problem:
    code, field, said, guess = found
    way = field if isinstance(field, tuple) else (field,) if field else ()
    where: Where = ("assertions", place, *way)
    line, column = tree.position(where)
    message = f"assertion '{ident}': {said}"
    return Problem(
        code=code, file=tree.file, line=line, column=column, path=path_text(where), message=message, guess=guess
    )


def _of(spec: Kind, seen: dict[bytes, str]) -> _Found:
    yield from _roles(spec)
    yield from _patterns(spec)
    if spec.family == "rubric":
        yield "never_judged", "kind", f"{tag(type(spec))} is INCONCLUSIVE in every run; the rubric lane judges it", ""
    elif tag(type(spec)) == "formula":
        yield from _constant(spec)
    yield from suspects({k: v for k, v in msgspec.to_builtins(spec).items() if k not in _UNREAD})
    fields = {k: v for k, v in msgspec.to_builtins(spec).items() if k not in _NO_CHECK}
    first = seen.setdefault(msgspec.json.encode(fields, order="deterministic"), spec.id)
    if first != spec.id:
        yield "duplicate_assertion", "", f"checks the same as '{first}'", ""


def _roles(spec: Kind) -> _Found:
    named = [("role", getattr(spec, "role", None))]
    for field in ("all_of", "any_of"):
        named += [(field, getattr(sign, "role", None)) for sign in getattr(spec, field, None) or ()]
    known = [*dict.fromkeys(ROLES.values()), *ROLES]
    for field, role in named:
        if role is not None and fold_role(role) not in {*ROLES.values(), *_OTHER_ROLES}:
            said = f"the role '{role}' is no usual one; where no turn has it, nothing is searched"
            yield "unknown_role", field, said, Guesser().nearest(role, known)


def _patterns(spec: Kind) -> _Found:
    names = [*spec.regexes, *(["phrase"] if getattr(spec, "phrase", None) is not None else [])]
    named = [(field, spec.given(field)) for field in dict.fromkeys(names)]
    for field in ("all_of", "any_of"):
        named += [(field, getattr(sign, "phrase", None)) for sign in getattr(spec, field, None) or ()]
    for field, source in named:
        if source is not None:
            yield from _pattern(field, source, case_sensitive=getattr(spec, "case_sensitive", field == "url_matches"))


def _pattern(field: str, source: str, *, case_sensitive: bool) -> _Found:
    if Resources().pattern(source, speech=False).search("") is not None:
        yield "matches_everything", field, "the pattern matches the empty text, and so every text", ""
        return
    if not regex_can_match(source):
        said = "the pattern matches no text: it asks for more beyond an edge of the text"
        yield "matches_nothing", field, said, ""
        return
    least = regex_common(source, case_sensitive=case_sensitive)
    if least:
        which = "with a letter in it" if least == 1 else "with two letters in a row"
        yield "matches_nearly_everything", field, f"the pattern matches any text {which}, and so nearly every one", ""


def _constant(spec: Any) -> _Found:
    from hotato.match.formula import parse

    formula = parse(spec.expr)
    if len(formula.refs) > MOST_REFS:
        return
    outcomes = {
        formula.holds(frozenset(ref for ref, passed in zip(formula.refs, results, strict=True) if passed))
        for results in product((False, True), repeat=len(formula.refs))
    }
    if outcomes == {True}:
        yield "always_true", "expr", "true whatever the results of its references, so the check cannot fail", ""
    elif outcomes == {False}:
        yield "never_true", "expr", "false whatever the results of its references, so the check cannot pass", ""
