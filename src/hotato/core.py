"""The timing scorer's public names: `run_single`, `run_suite`, what they claim (`LIMITS`) and the suite they bring.

    from hotato import run_single
    envelope = run_single(stereo="call.wav", expect="yield")
    envelope["exit_code"]     # 0 passed, 1 failed, 2 nothing that could be judged

Scoring needs the extra `audio`: `pip install 'hotato[audio]'`.
"""

from __future__ import annotations

from hotato.timing import Config, run_single, run_suite
from hotato.timing.claims import LIMITS, SUITE_ID

__all__ = ["LIMITS", "SUITE_ID", "Config", "run_single", "run_suite", "verify_bundle"]


def verify_bundle(path: str) -> tuple[int, int, int]:
    """Return how many contracts a path holds, how many are kept, how many cannot be verified; for `hotato.assert_`.

    Raise EvidenceError, its code `extra_missing`, where the extra `audio` is not installed.
    """
    from hotato.timing.contract import counts

    return counts(path)
