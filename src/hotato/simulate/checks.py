"""A conversation test, `hotato.conversation-test` version 1: what is asserted of a call, and what counts as success."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec.structs import replace

from hotato.document.guess import Guesser
from hotato.document.load import load
from hotato.document.tree import Tree
from hotato.errors import DocumentError, Problem
from hotato.model.codec import encode
from hotato.model.fault import Fault
from hotato.model.verdict import DIMENSIONS
from hotato.plan.compile import Plan, compile_plan
from hotato.plan.resources import Resources
from hotato.simulate import documents
from hotato.simulate.contracts import digests, verifier
from hotato.simulate.faults import faults as scenario_faults
from hotato.simulate.rubrics import rubrics_of
from hotato.simulate.scenario import KIND as SCENARIO
from hotato.simulate.scenario import Ident, Scenario, Struct, Text

if TYPE_CHECKING:
    from hotato.rubric.document import Rubric

KIND = "hotato.conversation-test"
OF_RUBRICS = "no_rubric_failure"
CONDITIONS = {
    "all_deterministic_assertions_pass": "every deterministic assertion is PASS",
    "no_deterministic_fail": "no deterministic assertion is FAIL; INCONCLUSIVE is let be",
    OF_RUBRICS: "a model judged each rubric, or people a human one, and none is FAIL",
    "no_inconclusive": "no deterministic assertion is INCONCLUSIVE; what a model judged is no part of it",
}
_AT = ("assertions", "deterministic")


class Assertions(Struct, frozen=True, kw_only=True):
    """`deterministic` assertions, as those of an assertions document, and model-judged `rubric` ones, kept apart."""

    deterministic: list[Any] = msgspec.field(default_factory=list)
    rubric: list[dict[str, Any]] = msgspec.field(default_factory=list)


class Success(Struct, frozen=True, kw_only=True):
    """`required`: the conditions that must all hold. `report_dimensions`: which dimensions a report counts; default all."""

    required: Annotated[tuple[Text, ...], msgspec.Meta(min_length=1)]
    report_dimensions: (
        Annotated[
            tuple[Literal["outcome", "policy", "conversation", "speech", "reliability"], ...],
            msgspec.Meta(min_length=1),
        ]
        | None
    ) = None


class Document(Struct, frozen=True, kw_only=True):
    """A conversation test as its file has it. `scenario` is a path that starts at the file's folder."""

    kind: Literal["hotato.conversation-test"]
    version: Literal[1]
    id: Ident
    agent: Text | dict[str, Any]
    assertions: Assertions
    success: Success
    scenario: Text | None = None
    repetitions: Annotated[int, msgspec.Meta(ge=1, le=1000)] | None = None
    description: str | None = None


class Test(msgspec.Struct, frozen=True, kw_only=True):
    """A checked conversation test. `plan` is None where only rubrics are asserted, `scenario` where none is named.

    `sources` holds the text of the documents it was made of, by name, for artifacts to bind; `packs` that of the rule packs
    that assertions name, by path. `contracts` tells the timing contracts that they name from others, by path. `criteria` are
    the rubrics, for models and people to judge apart from all else.
    """

    __test__ = False  # it is no test of ours

    document: Document
    plan: Plan | None
    scenario: Scenario | None
    sources: Mapping[str, str]
    packs: Mapping[str, str] = {}
    contracts: Mapping[str, str] = {}
    criteria: tuple[Rubric, ...] = ()

    @property
    def dimensions(self) -> Sequence[str]:
        """Return the dimensions that a report counts."""
        return self.document.success.report_dimensions or DIMENSIONS

    @property
    def sha256(self) -> str:
        """Return the hash of all that the test was made of."""
        return sha256(encode([dict(self.sources), dict(self.packs), dict(self.contracts)]).encode()).hexdigest()

    @property
    def rubrics(self) -> list[str]:
        """Return the ids of the rubrics."""
        return [one.id for one in self.criteria]


def load_scenario(source: Any, file: str = "") -> Scenario:
    """Return a scenario from a mapping or a text. Raise DocumentError with everything that is wrong in it."""
    return documents.read(documents.tree(source, file), Scenario, SCENARIO, scenario_faults)


def load_scenario_file(path: documents.Path) -> Scenario:
    """Return the scenario in a file. Raise DocumentError."""
    return documents.read(documents.tree_of_file(path), Scenario, SCENARIO, scenario_faults)


def load_test_file(path: documents.Path) -> Test:
    """Return the conversation test in a file, its scenario read as well. Raise DocumentError with all that is wrong."""
    return load_test(documents.tree_of_file(path))


def load_test(source: Any, file: str = "") -> Test:
    """Return a conversation test from a tree, a mapping or a text. Raise DocumentError with everything that is wrong."""
    tree = source if isinstance(source, Tree) else documents.tree(source, file)
    problems: list[Problem] = []
    document = plan = scenario = None
    sources: dict[str, str] = {}
    packs: dict[str, str] = {}
    contracts: dict[str, str] = {}
    criteria: tuple[Rubric, ...] = ()
    try:
        document = documents.read(tree, Document, KIND, _faults)
    except DocumentError as error:
        problems += error.problems
    try:
        plan = _plan(tree, packs, contracts)
    except DocumentError as error:
        problems += error.problems
    try:
        criteria = rubrics_of(tree)
    except DocumentError as error:
        told = {one.path for one in problems}
        problems += [one for one in error.problems if one.path not in told]
    if document is not None and document.scenario is not None:
        try:
            scenario = load_scenario_file(documents.relative(tree.file, document.scenario))
            sources["scenario.json"] = _written(scenario)
        except DocumentError as error:
            problems += error.problems
    if problems or document is None:
        raise DocumentError(problems)
    sources["test.json"] = _written(document)
    return Test(
        document=document,
        plan=plan,
        scenario=scenario,
        sources=sources,
        packs=packs,
        contracts=contracts,
        criteria=criteria,
    )


def _written(document: msgspec.Struct) -> str:
    return encode(documents.plain(document), indent=2) + "\n"


def _faults(document: Document) -> Iterator[Fault]:
    required = document.success.required
    guesser = Guesser()
    for place, name in enumerate(required):
        where = ("success", "required", place)
        if name not in CONDITIONS:
            said = f"no condition is called '{name}'; there are {', '.join(CONDITIONS)}"
            near = guesser.nearest(name, tuple(CONDITIONS))
            yield Fault(where, "wrong_value", said, found=name if near else "", allowed=tuple(CONDITIONS))
        elif name in required[:place]:
            yield Fault(where, "duplicate_item", f"'{name}' is listed twice")
    asserted = document.assertions
    if not asserted.deterministic and not asserted.rubric:
        yield Fault(("assertions",), "no_assertions", "no assertions: nothing would be checked")
    for name in required:
        of_rubrics = name == OF_RUBRICS
        if name in CONDITIONS and not (asserted.rubric if of_rubrics else asserted.deterministic):
            what = "rubric" if of_rubrics else "deterministic"
            said = f"'{name}' cannot fail: there is no {what} assertion"
            yield Fault(("success", "required", required.index(name)), "needless_field", said)
    if document.repetitions is not None and document.scenario is None:
        said = "'repetitions' means nothing without 'scenario'"
        yield Fault(("repetitions",), "needless_field", said)
    yield from _rubric_faults(asserted)


def _rubric_faults(asserted: Assertions) -> Iterator[Fault]:
    """Yield the rubrics that have the id of a deterministic assertion; `rubrics` finds all else that is wrong with them."""
    of = {str(one["id"]).lower() for one in asserted.deterministic if type(one) is dict and type(one.get("id")) is str}
    for place, one in enumerate(asserted.rubric):
        ident = one.get("id")
        if type(ident) is str and ident.lower() in of:
            yield Fault(("assertions", "rubric", place, "id"), "duplicate_id", f"the id '{ident}' is used already")


def _plan(tree: Tree, packs: dict[str, str], contracts: dict[str, str]) -> Plan | None:
    """Return the compiled deterministic assertions; None where there are none, or no list of them to look at.

    The files that they name, rule packs, are added to `packs` by their paths, and what tells the timing contracts that they
    name to `contracts`.
    """
    value = tree.value.get("assertions") if isinstance(tree.value, dict) else None
    assertions = value.get("deterministic") if isinstance(value, dict) else None
    if not isinstance(assertions, list) or not assertions:
        return None
    resources = _resources(tree.file, packs)
    try:
        loaded = load(documents.Section(tree, "assertions", assertions, _AT), resources)
        contracts |= digests(loaded.specs)
        return compile_plan(loaded, resources)
    except DocumentError as error:
        raise DocumentError(
            replace(one, path="assertions.deterministic" + one.path[10:])
            if one.file == tree.file and one.path.startswith("assertions[")
            else one
            for one in error.problems
        ) from None


def _resources(file: str, packs: dict[str, str]) -> Resources:
    from hotato.context.files import MOST_CONFIG, read_text

    def read_beside(path: str) -> str:
        packs[path] = read_text(documents.relative(file, path), most=MOST_CONFIG, error=DocumentError)
        return packs[path]

    return Resources(read_beside, verifier())
