"""A policy rule pack: text or mapping to a `hotato.model.pack.Pack`, or every problem in it at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from hotato.document.confusable import fold
from hotato.document.explain import explain, found
from hotato.document.from_mapping import tree_of
from hotato.document.problems import Problems, Where
from hotato.document.tree import Tree
from hotato.match.regex import regex_fault
from hotato.model.fault import Fault
from hotato.model.pack import Pack


def load_pack(source: Tree | Mapping[str, Any], file: str = "") -> Pack:
    """Return the checked rule pack. Raise DocumentError with everything that is wrong in it.

    Fields that begin with `x-` are the user's. There is at least one rule, rule ids are unique, every regex compiles.
    """
    tree = tree_of(source, file)
    problems = Problems()
    problems.take(tree.problems)
    if type(tree.value) is not dict:
        said = f"a rule pack must be a mapping with name, version and rules; found {found(tree.value)}"
        problems.add(tree, (), Fault((), "wrong_type", said))
        problems.raise_any()
    value = _own(tree.value)
    rules = value.get("rules")
    if type(rules) is list:
        value["rules"] = rules = [_own(rule) if type(rule) is dict else rule for rule in rules]
        if not rules:
            problems.add(tree, (), Fault(("rules",), "no_rules", "no rules: nothing would be checked"))
        _rules(tree, rules, problems)
    for fault in explain(Pack, value):
        problems.add(tree, (), fault, _owner(rules, fault.where))
    problems.raise_any()
    return msgspec.convert(value, Pack, strict=True)


def _own(value: dict[str, Any]) -> dict[str, Any]:
    return {key: item for key, item in value.items() if not key.startswith("x-")}


def _rules(tree: Tree, rules: list[Any], problems: Problems) -> None:
    """Add what types cannot say: ids given twice, patterns that do not compile."""
    first: dict[str, int] = {}
    for place, rule in enumerate(rules):
        if type(rule) is not dict:
            continue
        where: Where = ("rules", place)
        ident, regex = rule.get("id"), rule.get("regex")
        if type(ident) is str and first.setdefault(fold(ident), place) != place:
            said = f"the id is already used by rules[{first[fold(ident)]}]"
            problems.add(tree, where, Fault(("id",), "duplicate_id", said), _owner(rules, where))
        said = regex_fault(regex) if type(regex) is str and regex else ""
        if type(regex) is str and not regex:
            said = "an empty pattern; it would match everything"
        if said:
            problems.add(tree, where, Fault(("regex",), "regex", said), _owner(rules, where))


def _owner(rules: Any, where: Where) -> str:
    match where:
        case ("rules", int(place), *_) if type(rules) is list and type(rules[place]) is dict:
            ident = rules[place].get("id")
            return f"rule '{ident}'" if type(ident) is str and ident.isprintable() and 0 < len(ident) <= 40 else ""
    return ""
