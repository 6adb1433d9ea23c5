"""Many calls at a URL: files of stores as fsspec gives them, which read no line of a given length and fail in ways of their own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")
fsspec = pytest.importorskip("fsspec")

from fsspec.spec import AbstractBufferedFile, AbstractFileSystem  # noqa: E402

from hotato import batch  # noqa: E402
from hotato.errors import EvidenceError  # noqa: E402

DOCUMENT = {"version": 1, "assertions": [{"id": "greets", "kind": "phrase", "regex": "good morning"}]}
FILES: dict[str, bytes] = {}
STATE = {"reads": 0, "fails_from": 10**9}
CALLS = 40


class GoneError(Exception):
    """What the store raises; it is no OSError."""

    status = 503


class Held(AbstractBufferedFile):  # type: ignore[misc]  # fsspec has no types
    """A file of the store, which fetches ranges."""

    def _fetch_range(self, start: int, end: int) -> bytes:
        STATE["reads"] += 1
        if STATE["reads"] >= STATE["fails_from"]:
            raise GoneError
        return FILES[self.path][start:end]


class Store(AbstractFileSystem):  # type: ignore[misc]
    """A store of a few files in one folder."""

    protocol = "held"
    cachable = False

    def _open(self, path: str, mode: str = "rb", **given: Any) -> Held:
        return Held(self, path, mode, block_size=256, cache_type="none", size=len(FILES[path]))

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        if path not in FILES:
            raise FileNotFoundError(path)
        return {"name": path, "size": len(FILES[path]), "type": "file"}

    def ls(self, path: str, detail: bool = True, **_: Any) -> list[Any]:
        found = [self.info(name) for name in FILES if name.startswith(path)]
        return found if detail else [one["name"] for one in found]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    fsspec.register_implementation("held", Store, clobber=True)
    rows = [
        {"call_id": f"c{i}", "transcript": [{"role": "agent", "text": "Good morning" if i % 2 else "Hey"}]}
        for i in range(CALLS)
    ]
    FILES["day/a.jsonl"] = "".join(json.dumps(row) + "\n" for row in rows).encode()
    (tmp_path / "doc.json").write_text(json.dumps(DOCUMENT))
    (tmp_path / "a.jsonl").write_bytes(FILES["day/a.jsonl"])
    STATE.update(reads=0, fails_from=10**9)
    yield tmp_path
    FILES.clear()


def judged(place: Path, calls: str) -> dict[str, Any]:
    return batch.run(place / "doc.json", calls, place / "out", workers=1, batch_bytes=500, force=True)


@pytest.mark.parametrize("calls", ["held://day/a.jsonl", "held://day/*.jsonl"])
def test_lines_at_a_url_are_judged_as_those_of_a_file(place: Path, calls: str) -> None:
    here, there = judged(place, str(place / "a.jsonl")), judged(place, calls)
    assert there["calls"] == here["calls"]
    assert there["results"] == here["results"]
    assert there["calls"]["judged"] == CALLS


def test_a_url_of_nothing_is_refused(place: Path) -> None:
    with pytest.raises(EvidenceError, match="no file is found there, or it may not be read"):
        judged(place, "held://day/b.jsonl")


def test_whatever_a_store_raises_is_told_as_a_file_that_cannot_be_read(place: Path) -> None:
    judged(place, "held://day/a.jsonl")
    reads = STATE["reads"]
    assert reads > 2
    for fails_from in range(1, reads + 1):
        STATE.update(reads=0, fails_from=fails_from)
        with pytest.raises(EvidenceError, match=r"its store does not give it \(status 503\)") as caught:
            judged(place, "held://day/a.jsonl")
        assert caught.value.problems[0].code == "file_unreadable"
