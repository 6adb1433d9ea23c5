"""Judge what cannot be proven, apart from what can: the public facade of the rubric lane.

    from hotato import assert_ as A, rubric

    call = A.build_context(transcript_path="transcript.json")
    envelope = rubric.run_rubrics(rubric.load_file("rubrics.yaml"), call, rubric.Ollama("qwen3:8b"))

A model's verdict is an opinion with its provenance. It is advisory, is never deterministic, and nothing of the deterministic
lane imports this package.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hotato.rubric.calibration import calibrate, load_labeled
    from hotato.rubric.document import load, load_file
    from hotato.rubric.judge import Answer, Judge, JudgeError, Question
    from hotato.rubric.ollama import Ollama
    from hotato.rubric.openai import OpenAICompatible
    from hotato.rubric.persons import Verdict, load_verdicts
    from hotato.rubric.recording import Recorder, recorded, recording_text
    from hotato.rubric.run import render_text, run_rubrics
    from hotato.rubric.says import SAYS

__all__ = [
    "SAYS", "Answer", "Judge", "JudgeError", "Ollama", "OpenAICompatible", "Question", "Recorder", "Verdict", "calibrate", "load",
    "load_file", "load_labeled", "load_verdicts", "recorded", "recording_text", "render_text", "run_rubrics",
]  # fmt: skip

# name -> the module of this room that has it
_PLACES = {
    "SAYS": "says", "Answer": "judge", "Judge": "judge", "JudgeError": "judge", "Ollama": "ollama", "OpenAICompatible": "openai",
    "Question": "judge", "Recorder": "recording", "calibrate": "calibration", "load": "document", "load_file": "document",
    "load_labeled": "calibration", "load_verdicts": "persons", "Verdict": "persons", "recorded": "recording", "recording_text": "recording", "render_text": "run",
    "run_rubrics": "run",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    """Return a public name; its module is imported when it is first asked for."""
    if name not in _PLACES:
        raise AttributeError(f"module 'hotato.rubric' has no attribute '{name}'")
    return getattr(import_module(f"hotato.rubric.{_PLACES[name]}"), name)
