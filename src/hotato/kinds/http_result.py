"""The `http_result` kind."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from hotato.kinds._kind import Check, Kind, Regex, Resources, Subset, Text
from hotato.match.closest import Want
from hotato.match.evidence import Evidence
from hotato.match.values import Expected
from hotato.model.call import span_ids
from hotato.model.verdict import Verdict, breaks, holds

Code = Annotated[int, msgspec.Meta(ge=100, le=599)]


class HttpResult(Kind, frozen=True, kw_only=True, tag="http_result"):
    """A recorded HTTP exchange has the status and the response expected.

    - `method`: compared without case.
    - `url_matches`: a regex searched in the URL, always case-sensitive.
    - `status`: one status, or a list of those allowed (100 to 599).
    - `response_subset`: fields that the response must contain; values may be matchers.

    Method and URL select exchanges (`http_exchange` spans); one of them must have the status and the response. Nothing
    is requested: only the trace is read. On FAIL the reason says whether no exchange was selected or none answered as
    expected, and `closest` shows the nearest exchange and where it differs.

    ```yaml
    - id: refund-posted
      kind: http_result
      method: POST
      url_matches: '/v1/refunds$'
      status: [200, 201]
      response_subset: {status: ok}
    ```
    """

    method: Text
    url_matches: Regex
    status: Code | Annotated[tuple[Code, ...], msgspec.Meta(min_length=1)]
    response_subset: Subset | None = None

    family = "trace"
    reads = ("trace",)
    says = {
        "answered": "an exchange matches (matching: {count})",
        "no_exchange": "no recorded exchange has this method and URL (exchanges: {count})",
        "wrong_answer": "no exchange with this method and URL has the status and response expected (exchanges: {count})",
    }
    shows = ("span_ids", "closest")
    regexes = ("url_matches",)
    values = ("response_subset",)

    def rests_on(self) -> tuple[str, ...]:
        """Return what the trace's source must record."""
        return ("http_exchange", "response") if self.response_subset is not None else ("http_exchange",)

    def compile(self, resources: Resources) -> Check:
        """Return the check."""
        search = resources.pattern(self.url_matches, case_sensitive=True, speech=False).search
        statuses = [self.status] if isinstance(self.status, int) else list(self.status)
        answer: dict[str, Any] = {"status": statuses[0] if len(statuses) == 1 else {"$in": statuses}}
        if self.response_subset is not None:
            answer["response"] = self.response_subset
        method = self.method.strip().upper()
        address = {"method": {"$ci": method}, "url": {"$regex": self.url_matches}}
        expected, whole = Expected(answer), Expected({**address, **answer})

        def check(evidence: Evidence) -> Verdict:
            exchanges = evidence.trace.exchanges
            chosen = [(i, x) for i, x in exchanges if x["method"] == method and search(x["url"]) is not None]
            matching = [i for i, x in chosen if expected.matches(x)]
            want = Want(("http_result",), whole, lambda: chosen or exchanges)
            looked = len(evidence.trace)
            if matching:
                shown = {"span_ids": span_ids(matching)}
                return holds("answered", exercised=looked, fields=shown, want=want, count=len(matching))
            shown = {"span_ids": span_ids(i for i, _ in chosen)}
            code, count = ("wrong_answer", len(chosen)) if chosen else ("no_exchange", len(exchanges))
            return breaks(code, exercised=looked, fields=shown, want=want, count=count)

        return check
