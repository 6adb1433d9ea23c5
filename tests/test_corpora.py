"""The engine's verdict against the verdicts of real corpora, call by call."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from hotato import assert_

EXAMPLES = Path(__file__).resolve().parent.parent / "examples" / "corpora"
CALLS = {"taubench": 379, "star": 4150, "sgd": 5019, "eva": 215, "whissle_voice": 119, "tau2voice": 3}
COMPARISONS = {
    "taubench": 13_455,
    "star": 89_924,
    "sgd": 35_198,
    "eva": 31_502,
    "whissle_voice": 1_824,
    "tau2voice": 104,
}
NOTED = {
    "taubench": {
        "the gold writes, the gold database": 201,
        "other writes, the gold database": 30,
        "other writes, another database": 148,
    },
    "star": {"false claims found": 77, "labelled turns without a canned text": 993},
}


@pytest.fixture(scope="module", autouse=True)
def _examples() -> Any:
    sys.path.insert(0, str(EXAMPLES))
    yield
    sys.path.remove(str(EXAMPLES))


@pytest.fixture
def corpora() -> Path:
    corpus = import_module("corpus")
    if not corpus.CORPORA.is_dir():
        pytest.skip(corpus.ABSENT.format(folder=corpus.CORPORA))
    return corpus.CORPORA  # type: ignore[no-any-return]  # a module that is imported by its name


@pytest.mark.parametrize("name", CALLS)
def test_the_engine_agrees_with_the_corpus_on_every_call(name: str, corpora: Path) -> None:
    corpus, judge = import_module("corpus"), import_module("judge").make(name, corpora)
    kept = corpus.score(judge, corpora)
    assert corpus.unexplained(judge, kept) == []
    assert kept.calls == CALLS[name]
    assert sum(kept.agreed.values()) + sum(map(len, kept.disagreed.values())) == COMPARISONS[name]
    noted = NOTED.get(name, {})
    assert {what: kept.noted[what] for what in noted} == noted


@pytest.mark.parametrize("file", sorted((EXAMPLES / "documents").glob("*.yaml")), ids=lambda file: file.name)
def test_a_document_of_the_corpora_is_accepted(file: Path) -> None:
    assert assert_.compile_assertions(file.read_text(encoding="utf-8"), file=str(file)).nodes


def test_a_disagreement_that_is_not_known_is_told_and_so_is_a_known_one_that_has_gone() -> None:
    corpus, judge = import_module("corpus"), import_module("sgd").Judge(EXAMPLES)
    kept = corpus.Score("sgd")
    known = judge.known["answer and announcement"].times
    for _ in range(known):
        kept.keep("a-call", corpus.Finding("answer and announcement", "PASS", "FAIL"))
    kept.keep("a-call", corpus.Finding("agreed", "PASS", "PASS"))
    assert corpus.unexplained(judge, kept) == []
    kept.keep("a-call", corpus.Finding("agreed", "PASS", "INCONCLUSIVE"))
    assert corpus.unexplained(judge, kept) == ["sgd, agreed: 1 disagreements, 0 are known; a-call"]
    del kept.disagreed["answer and announcement"]
    assert len(corpus.unexplained(judge, kept)) == 2


def test_a_truth_is_not_the_number_one() -> None:
    corpus = import_module("corpus")
    kept = corpus.Score("any")
    kept.keep("a-call", corpus.Finding("check", True, 1))
    assert kept.disagreed == {"check": ["a-call"]}


def test_the_command_refuses_a_folder_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert import_module("judge").main(["--corpora", str(tmp_path / "none")]) == 2
    assert capsys.readouterr().err.startswith("The corpora were not judged: ")
