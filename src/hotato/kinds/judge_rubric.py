"""The `judge_rubric` kind."""

from __future__ import annotations

from hotato.kinds._rubric import Rubric


class JudgeRubric(Rubric, frozen=True, kw_only=True, tag="judge_rubric"):
    """A criterion that a model judges; it has no verdict here.

    The rubric lane scores it apart (`hotato rubric run`); in an assertions document it is always INCONCLUSIVE, and no model
    code is imported. Its fields are those of the rubric lane:

    - `criterion`: what is judged, in words.
    - `evidence`: what is shown to the judge, a list of `transcript` and `tool_trace`.
    - `examples`, `evaluation`, `review`: as the rubric lane reads them.

    ```yaml
    - id: was-polite
      kind: judge_rubric
      criterion: The agent stays polite throughout.
    ```
    """
