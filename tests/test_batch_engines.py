"""Engines beside the local one: the same bytes, and the same refusals."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

from hotato import batch
from hotato.errors import EvidenceError, UsageError

FILES = ("results.parquet", "summary.json", "report.html", "envelopes.jsonl.zst")
DOCUMENT = {"version": 1, "assertions": [{"id": "greets", "kind": "phrase", "regex": "good", "role": "agent"}]}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "doc.json").write_text(json.dumps(DOCUMENT))
    turns = [{"role": "agent", "text": "good day"}]
    rows = [json.dumps({"call_id": f"c{n}", "transcript": turns if n % 3 else []}) for n in range(60)]
    (tmp_path / "calls.jsonl").write_text("\n".join([*rows, "{torn"]))
    return tmp_path


def judged(place: Path, out: str, engine: str) -> dict[str, bytes]:
    batch.run(
        place / "doc.json", str(place / "calls.jsonl"), place / out,
        engine=engine, workers=2 if engine != "local" else 1, max_errors=1, envelopes=True, batch_bytes=500,
    )  # fmt: skip
    return {name: (place / out / name).read_bytes() for name in FILES}


def test_dask_gives_the_bytes_that_processes_give_and_raises_what_they_raise(place: Path) -> None:
    distributed = pytest.importorskip("distributed")
    assert judged(place, "dask", "dask") == judged(place, "local", "local")
    from hotato.batch import _dask, _run, _work
    from hotato.batch._document import taken
    from hotato.batch._sources import LINES, Piece

    gone = Piece(0, LINES, (str(place / "gone.jsonl"),), 0, 9, sizes=(9,))
    import msgspec

    spec = _work.packed(_work.Spec(taken(json.dumps(DOCUMENT), "")[0], "", limits={}))
    cluster = distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None)
    with cluster:
        outcomes = _dask.run(
            spec, iter([(0, msgspec.msgpack.encode(gone))]), _run.Engine("dask", 1, cluster.scheduler_address)
        )
        with pytest.raises(EvidenceError, match="is gone"):
            next(outcomes)
        outcomes.close()


@pytest.mark.skipif(find_spec("ray") is None, reason="ray is not installed (pip install 'hotato[ray]')")
def test_ray_gives_the_bytes_that_processes_give(place: Path) -> None:
    code = (
        "import sys; from hotato import batch;"
        "batch.run(sys.argv[1] + '/doc.json', sys.argv[1] + '/calls.jsonl', sys.argv[1] + '/ray', engine='ray',"
        " workers=2, max_errors=1, envelopes=True, batch_bytes=500)"
    )
    subprocess.run([sys.executable, "-c", code, str(place)], check=True, timeout=240, stdout=subprocess.DEVNULL)
    local = judged(place, "local", "local")
    assert {name: (place / "ray" / name).read_bytes() for name in FILES} == local


def test_an_engine_that_is_not_installed_is_told_before_anything_is_written(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UsageError, match=r"pip install 'hotato\[ray\]'"):
        judged(place, "out", "ray")
    assert not (place / "out").exists()
