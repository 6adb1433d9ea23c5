"""A document of assertions: text or mapping to specs in a fixed order, or every problem in it at once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import msgspec

from hotato import kinds
from hotato.document.confusable import fold, looks_like
from hotato.document.from_mapping import tree_of
from hotato.document.other import ASSERTIONS, is_other
from hotato.document.problems import Problems, Where, path_text, shown
from hotato.document.references import cycles, order
from hotato.document.tree import Tree
from hotato.errors import DocumentError
from hotato.kinds._kind import Kind, Resources
from hotato.model.fault import Fault

VERSION = 1
MAX_ID = 128
_MOST_NAMED = 20
_BAD_ID = re.compile(r"[^A-Za-z0-9._-]")
_SETTINGS = ("inconclusive_policy", "strict", "join_segments")
_FILES = frozenset({"pack_path", "bundle"})  # fields whose value is a path
_OF_THE_WHOLE = frozenset({"missing_field", "exclusive_fields", "needless_field"})


class Document(msgspec.Struct, frozen=True):
    """A checked document.

    `specs` are the assertions in document order, those of packs after them. `order` lists their positions such that
    each comes after all it refers to, otherwise in document order. `when` holds for each spec the ids that must have
    passed. The settings are None where the document does not make them.
    """

    specs: tuple[Kind, ...]
    order: tuple[int, ...]
    when: tuple[tuple[str, ...], ...]
    inconclusive_policy: str | None
    strict: bool | None
    join_segments: bool | None


class Head(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The top level of a document. `version` and the assertions are looked at one by one."""

    version: Any
    assertions: list[Any]
    inconclusive_policy: Literal["report", "fail", "refuse"] | msgspec.UnsetType = msgspec.UNSET
    strict: bool | msgspec.UnsetType = msgspec.UNSET
    join_segments: bool | msgspec.UnsetType = msgspec.UNSET


class _Item(msgspec.Struct):
    """One assertion while the document is read. `refs` are the ids it mentions and where."""

    tree: Tree
    where: Where
    id: str
    spec: Kind | None
    refs: list[tuple[str, Where]]

    @property
    def owner(self) -> str:
        return f"assertion '{self.id}'" if self.id else ""


def load(
    source: Tree | Mapping[str, Any],
    resources: Resources,
    packs: Sequence[Tree | Mapping[str, Any]] = (),
    file: str = "",
) -> Document:
    """Return the checked document. Raise DocumentError with everything that is wrong in it and in the packs.

    `file` names a mapping in messages; a tree knows its own. Assertion packs have the shape of a document without
    settings; their assertions follow the document's. Use `tree.scan` for a text, not `tree.read`, to have the
    problems of the text reported together with those of what it says.
    """
    problems = Problems()
    reader = _Reader(problems, resources)
    head = reader.source(tree_of(source, file), is_pack=False)
    for pack in packs:
        reader.source(tree_of(pack), is_pack=True)
    graph = reader.graph()
    problems.raise_any()
    return Document(
        specs=tuple(item.spec for item in reader.items if item.spec is not None),
        order=order(graph) or (),
        when=tuple(tuple(dict.fromkeys(_when(item.spec))) for item in reader.items),
        inconclusive_policy=head.get("inconclusive_policy"),
        strict=head.get("strict"),
        join_segments=head.get("join_segments"),
    )


class _Reader:
    """Reads the assertions of one document and its packs, and collects what is wrong."""

    def __init__(self, problems: Problems, resources: Resources) -> None:
        self.items: list[_Item] = []
        self._problems = problems
        self._resources = resources
        self._index: dict[str, int] = {}
        self._folded: dict[str, str] = {}
        self._refused_ids: set[str] = set()

    def source(self, tree: Tree, *, is_pack: bool) -> dict[str, Any]:
        """Read one document or pack; return its top level as far as it is usable."""
        self._problems.take(tree.problems)
        if type(tree.value) is not dict:
            self._wrong_type(tree, (), "a document must be a mapping with version and assertions", tree.value)
            return {}
        if is_other(self._problems, tree, ASSERTIONS):
            return {}
        head = _own(tree.value)
        for fault in _explain(Head, head):
            self._problems.add(tree, (), fault)
        self._version(tree, head)
        if is_pack:
            for name in (name for name in _SETTINGS if name in head):
                said = f"'{name}' is a setting of the document; an assertion pack cannot make it"
                self._problems.add(tree, (), Fault((name,), "pack_setting", said))
        assertions = head.get("assertions")
        if type(assertions) is list:
            if not assertions:
                fault = Fault(("assertions",), "no_assertions", "no assertions: nothing would be checked")
                self._problems.add(tree, (), fault)
            for place, value in enumerate(assertions):
                where: Where = ("assertions", place)
                from_pack = is_pack and type(value) is dict
                self._assertion(tree, where, self._without_files(tree, where, value) if from_pack else value)
        return head

    def _version(self, tree: Tree, head: dict[str, Any]) -> None:
        value = head.get("version", VERSION)
        if type(value) is not int or value != VERSION:
            from hotato.document.explain import found

            said = f"must be the integer {VERSION}; found {found(value)}"
            self._problems.add(tree, (), Fault(("version",), "version", said))

    def _wrong_type(self, tree: Tree, where: Where, said: str, value: Any) -> None:
        from hotato.document.explain import found

        self._problems.add(tree, where, Fault((), "wrong_type", f"{said}; found {found(value)}"))

    def _without_files(self, tree: Tree, where: Where, value: dict[str, Any]) -> dict[str, Any]:
        """Return a pack's assertion without the rule pack it names by file; what names a file is refused, not read."""
        for name in _FILES & value.keys():
            said = f"'{name}' names a file; an assertion pack cannot have others read"
            self._problems.add(tree, where, Fault((name,), "pack_file", said))
        return {name: item for name, item in value.items() if name != "pack_path"}

    def _assertion(self, tree: Tree, where: Where, value: Any) -> None:
        if type(value) is not dict:
            self._wrong_type(tree, where, "an assertion must be a mapping", value)
            return
        fields = _own(value)
        item = _Item(tree, where, self._id(tree, where, fields), None, [])
        kind = self._kind(item, fields)
        if kind is not None:
            item.spec = self._spec(item, kind, fields)
        item.refs = list(_refs(item.spec, fields))
        if item.id:
            self._index[item.id] = len(self.items)
        self.items.append(item)

    def _id(self, tree: Tree, where: Where, fields: dict[str, Any]) -> str:
        """Return the id of an assertion, empty where it has none that is usable."""
        value = fields.get("id")
        if "id" not in fields:
            self._problems.add(tree, where, Fault(("id",), "missing_field", "the field 'id' is missing"))
            return ""
        if type(value) is not str:
            self._wrong_type(tree, (*where, "id"), "an id must be text, in quotes if it looks like a number", value)
            return ""
        said = _id_fault(value)
        if said:
            self._refused_ids.add(value)
            self._problems.add(tree, where, Fault(("id",), "bad_id", said))
            return ""
        first = self._folded.setdefault(fold(value), value)
        if value in self._index or first != value:
            said = (
                f"the id '{value}' is already used by {self._first(value, tree)}"
                if first == value
                else (f"the id '{value}' is '{first}' of {self._first(first, tree)} but for upper and lower case")
            )
            self._problems.add(tree, where, Fault(("id",), "duplicate_id", said))
            self._refused_ids.add(value)
            return ""
        return value

    def _first(self, ident: str, tree: Tree) -> str:
        first = self.items[self._index[ident]]
        line, _ = first.tree.position((*first.where, "id"))
        place = f"the assertion in line {line}" if line else path_text(first.where)
        return place if first.tree is tree or not first.tree.file else f"{place} of {first.tree.file}"

    def _kind(self, item: _Item, fields: dict[str, Any]) -> type[Kind] | None:
        name = fields.get("kind")
        if "kind" not in fields:
            fault = Fault(("kind",), "missing_field", "the field 'kind' is missing")
        elif type(name) is not str:
            self._wrong_type(item.tree, (*item.where, "kind"), "a kind must be text", name)
            return None
        else:
            try:
                return kinds.get(name)
            except KeyError:
                said = f"unknown kind '{shown(name)}'"
                fault = Fault(("kind",), "unknown_kind", said, found=name, allowed=kinds.names())
        self._problems.add(item.tree, item.where, fault, item.owner)
        return None

    def _spec(self, item: _Item, kind: type[Kind], fields: dict[str, Any]) -> Kind | None:
        """Return an assertion's spec; where fields were refused, what the others make, if anything."""
        try:
            spec = msgspec.convert(fields, kind, strict=True)
        except msgspec.ValidationError as error:
            faults = _explain(kind, fields) or [Fault((), "wrong_type", str(error))]
        else:
            self._add(item, self._beyond_types(spec))
            return spec
        # the id was looked at before, and more closely
        self._add(item, (fault for fault in faults if fault.where[:1] != ("id",)))
        refused = {fault.where[0] for fault in faults if fault.where}
        rest = {name: value for name, value in fields.items() if name not in refused}
        try:
            spec = msgspec.convert({**rest, "id": item.id}, kind, strict=True)
        except msgspec.ValidationError:
            return None
        # what was left out may be what a fault about the whole misses
        self._add(item, (fault for fault in self._beyond_types(spec) if fault.code not in _OF_THE_WHOLE))
        return spec

    def _add(self, item: _Item, faults: Iterable[Fault]) -> None:
        for fault in faults:
            self._problems.add(item.tree, item.where, fault, item.owner)

    def _beyond_types(self, spec: Kind) -> list[Fault]:
        """Return a spec's own faults; those of a file that it names are added as they are."""
        try:
            return list(spec.faults(self._resources))
        except DocumentError as error:
            self._problems.take(error.problems)
            return []

    def graph(self) -> list[list[int]]:
        """Return for each assertion the positions that it refers to, and add what is wrong with the references."""
        graph: list[list[int]] = []
        known = tuple(self._index)
        for item in self.items:
            edges: dict[int, None] = {}
            for ref, where in item.refs:
                if item.id and ref == item.id:
                    self._add(item, [Fault(where, "self_reference", f"'{shown(ref)}' refers to itself")])
                elif ref in self._index:
                    edges[self._index[ref]] = None
                elif ref not in self._refused_ids:
                    said = f"no assertion has the id '{shown(ref)}'"
                    self._add(item, [Fault(where, "unknown_reference", said, found=ref, allowed=known)])
            graph.append(list(edges))
        if order(graph) is None:
            self._cycles(graph)
        return graph

    def _cycles(self, graph: list[list[int]]) -> None:
        for cycle in cycles(graph):
            first = self.items[cycle[0]]
            ids = [self.items[member].id for member in cycle]
            where = next(where for ref, where in first.refs if ref == ids[1])
            if len(ids) > _MOST_NAMED:
                ids[_MOST_NAMED:] = [f"({len(ids) - _MOST_NAMED} more)"]
            said = f"these wait for one another: {' -> '.join([*ids, ids[0]])}"
            self._add(first, [Fault(where, "reference_cycle", said)])


def _own(value: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that are ours; those that begin with `x-` are the user's."""
    return {key: item for key, item in value.items() if not key.startswith("x-")}


def _explain(struct: type[msgspec.Struct], value: dict[str, Any]) -> list[Fault]:
    from hotato.document.explain import explain

    return list(explain(struct, value))


def _id_fault(ident: str) -> str:
    bad = _BAD_ID.search(ident)
    if bad is not None:
        like = looks_like(bad.group())
        point = f"U+{ord(bad.group()):04X}" + (f", which looks like {like}," if like else "")
        return f"{point} in an id; ids are made of ASCII letters, digits, '.', '_' and '-'"
    if not 1 <= len(ident) <= MAX_ID:
        return f"an id of {len(ident)} characters; ids have 1 to {MAX_ID}"
    return ""


def _when(spec: Kind | None) -> tuple[str, ...]:
    when = spec.when if spec is not None else None
    return () if when is None else (when,) if isinstance(when, str) else when


def _refs(spec: Kind | None, fields: dict[str, Any]) -> Iterable[tuple[str, Where]]:
    """Yield the ids that an assertion refers to and where in it; `when` also of one that made no spec."""
    when = fields.get("when")
    if type(when) is str and when:
        yield when, ("when",)
    elif type(when) is list:
        for place, ref in enumerate(when):
            if type(ref) is str and ref:
                yield ref, ("when", place)
    for ref in spec.refs() if spec is not None else ():
        field = next(
            (n for n, v in fields.items() if type(v) is str and ref in v and n not in ("id", "kind", "when")), None
        )
        yield ref, (field,) if field else ()
