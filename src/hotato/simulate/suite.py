"""A suite, `hotato.suite` version 1: conversation tests that are run together and judged by one gate."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from datetime import date
from hashlib import sha256
from typing import Annotated, Literal

import msgspec

from hotato.document.guess import Guesser
from hotato.document.tree import Tree
from hotato.errors import DocumentError, Problem
from hotato.model.codec import encode
from hotato.model.fault import Fault
from hotato.simulate import documents
from hotato.simulate.checks import Test, load_test_file
from hotato.simulate.scenario import Ident, Struct, Text

KIND = "hotato.suite"
POLICIES = ("report", "fail", "refuse")
Day = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")]


class Quarantine(Struct, frozen=True, kw_only=True):
    """A test, or one `cell` of it, whose failures do not gate: told all the same, up to and including the day `until`.

    `reason` says to readers why, and what will end it.
    """

    test: Ident
    until: Day
    reason: Text
    cell: Text | None = None


class Document(Struct, frozen=True, kw_only=True):
    """A suite as its file has it. `tests` are paths that start at the file's folder.

    `inconclusive_policy`: what a run without a verdict does to the gate: `report` (default) leaves it out up to a share,
    `fail` and `refuse` allow none. `required_for_release`: true (default), false, or the ids of the tests that a release
    needs; it counts where a run is asked for release.
    """

    kind: Literal["hotato.suite"]
    version: Literal[1]
    suite_id: Ident
    name: Text
    tests: Annotated[tuple[Text, ...], msgspec.Meta(min_length=1)]
    inconclusive_policy: Literal["report", "fail", "refuse"] = "report"
    required_for_release: bool | Annotated[tuple[Ident, ...], msgspec.Meta(min_length=1)] = True
    quarantine: tuple[Quarantine, ...] = ()
    description: str | None = None


class Suite(msgspec.Struct, frozen=True, kw_only=True):
    """A checked suite with its tests by id, in the order of the document, and the path of each."""

    document: Document
    tests: Mapping[str, Test]
    paths: Mapping[str, str]
    sha256: str

    @property
    def released(self) -> frozenset[str]:
        """Return the ids of the tests that a release needs."""
        wanted = self.document.required_for_release
        return frozenset(self.tests) if wanted is True else frozenset(wanted or ())


def load_suite_file(path: documents.Path) -> Suite:
    """Return the suite in a file, all its tests read. Raise DocumentError with everything that is wrong in any of them."""
    return load_suite(documents.tree_of_file(path))


def load_suite(tree: Tree) -> Suite:
    """Return a suite. Raise DocumentError with everything that is wrong in it and in its tests."""
    document = documents.read(tree, Document, KIND, _faults)
    problems: list[Problem] = []
    tests: dict[str, Test] = {}
    paths: dict[str, str] = {}
    for place, name in enumerate(document.tests):
        path = documents.relative(tree.file, name)
        try:
            test = load_test_file(path)
        except DocumentError as error:
            problems += error.problems
            continue
        ident = test.document.id
        if ident in tests:
            said = f"the test id '{ident}' is that of {os.path.basename(paths[ident])} already"
            problems += documents.told(tree, Fault(("tests", place), "duplicate_id", said))
            continue
        tests[ident], paths[ident] = test, path
    if not problems:
        problems = documents.told(tree, *_unknown(document, tests))
    if problems:
        raise DocumentError(problems)
    sources = {ident: test.sha256 for ident, test in tests.items()}
    whole = encode({"suite": documents.plain(document), "tests": sources})
    return Suite(document=document, tests=tests, paths=paths, sha256=sha256(whole.encode()).hexdigest())


def _faults(document: Document) -> Iterator[Fault]:
    for place, path in enumerate(document.tests):
        if path in document.tests[:place]:
            yield Fault(("tests", place), "duplicate_item", "this test is listed twice")
    seen: set[tuple[str, str | None]] = set()
    for place, one in enumerate(document.quarantine):
        try:
            date.fromisoformat(one.until)
        except ValueError:
            said = "is no day of the calendar; write it as 2027-01-31"
            yield Fault(("quarantine", place, "until"), "wrong_value", said, found=one.until)
        if (one.test, one.cell) in seen:
            yield Fault(("quarantine", place), "duplicate_item", "this is in quarantine already")
        seen.add((one.test, one.cell))


def _unknown(document: Document, tests: Mapping[str, Test]) -> Iterator[Fault]:
    """Yield what names a test or a cell that there is not."""
    from hotato.simulate.variants import variants

    named: list[tuple[tuple[str | int, ...], str]] = [
        (("quarantine", place, "test"), one.test) for place, one in enumerate(document.quarantine)
    ]
    if isinstance(document.required_for_release, tuple):
        wanted = document.required_for_release
        named += [(("required_for_release", place), one) for place, one in enumerate(wanted)]
    guesser = Guesser()
    for where, ident in named:
        if ident not in tests:
            near = guesser.nearest(ident, tuple(tests))
            said = f"no test of the suite has the id '{ident}'"
            yield Fault(where, "wrong_value", said, found=ident if near else "", allowed=tuple(tests))
    for place, one in enumerate(document.quarantine):
        test = tests.get(one.test)
        if one.cell is None or test is None or test.scenario is None:
            continue  # cells of recorded calls are known when these are read
        cells = tuple(dict.fromkeys(variant.place for variant in variants(test.scenario)))
        if one.cell not in cells:
            said = f"the scenario of '{one.test}' has no cell '{one.cell}'"
            yield Fault(("quarantine", place, "cell"), "wrong_value", said, found=one.cell, allowed=cells)
