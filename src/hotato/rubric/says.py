"""Everything a result of a rubric can say: code -> sentence. None of it holds anything of the call."""

from __future__ import annotations

PASS, FAIL, INCONCLUSIVE, ERROR = "PASS", "FAIL", "INCONCLUSIVE", "ERROR"
STATUSES = (PASS, FAIL, INCONCLUSIVE, ERROR)

SAYS = {
    # PASS and FAIL
    "judged": "the judge's verdict; its citations are there, and its confidence is as required",
    "person_judged": "a person's verdict, given of this very evidence; what it cites is there",
    # INCONCLUSIVE
    "person_needed": "a person judges this; it is sent to no model",
    "person_judged_other": "a person judged by this rubric, but not this evidence by this criterion",
    "persons_disagree": "people who judged this do not say the same",
    "evidence_missing": "the evidence that the rubric asks for was not given",
    "evidence_empty": "there is no turn and no span to judge",
    "said_unsure": "the judge says that the evidence does not settle it",
    "citation_missing": "the judge gave a verdict and cites nothing for it",
    "citation_unknown": "the verdict cites a turn or a span that was not shown",
    "confidence_low": "the judge is less confident than required",
    "disagreement": "the judge, asked several times, did not say the same each time",
    # ERROR
    "answer_unusable": "the judge answered twice in a form that is no verdict",
    "evidence_too_large": "the evidence is larger than what is sent to a judge",
    "judge_cut_short": "the judge did not read all of the evidence",
    "judge_unreachable": "the judge could not be reached",
    "judge_timeout": "the judge did not answer in time",
    "judge_refused": "the judge answered with an error",
    "model_missing": "the judge has no such model",
    "not_recorded": "the recording holds no answer to this question",
}
