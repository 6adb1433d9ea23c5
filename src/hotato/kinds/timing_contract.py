"""The `timing_contract` kind."""

from __future__ import annotations

from hotato.errors import EvidenceError
from hotato.kinds._kind import Check, Kind, Resources, Text
from hotato.match.evidence import Evidence
from hotato.model.verdict import Verdict, breaks, holds, unsettled


class TimingContract(Kind, frozen=True, kw_only=True, tag="timing_contract"):
    """Recordings kept as contracts still satisfy their own policy.

    - `bundle`: a `.hotato` directory, or a directory of them, relative to where the run starts.

    Each bundle's audio is scored again and held against the policy in it. A bundle that is missing, changed or otherwise
    not to be verified makes the result INCONCLUSIVE, unless another one is broken. So does a missing extra `audio`, which
    scores.

    ```yaml
    - id: still-yields-to-the-caller
      kind: timing_contract
      bundle: contracts/barge-in.hotato
    ```
    """

    bundle: Text

    family = "measure"
    says = {
        "kept": "{passed} of {total} contracts are kept",
        "broken": "{passed} of {total} contracts are kept",
        "no_verifier": "timing contracts are not scored here: hotato assert run scores them, with the extra 'audio' "
        "(pip install 'hotato[audio]')",
        "extra_missing": "recordings cannot be scored here: the extra 'audio' is missing (pip install 'hotato[audio]')",
        "unverified": "{unverified} of {total} contracts cannot be verified; hotato contract verify says why",
        "no_contract": "the bundle holds no contract that could be verified",
    }
    shows = ("contracts",)

    def compile(self, resources: Resources) -> Check:
        """Return the check."""
        verify, bundle = resources.verify_bundle, self.bundle

        def check(_: Evidence) -> Verdict:
            if verify is None:
                return unsettled("no_verifier")
            try:
                total, passed, unverified = verify(bundle)
            except EvidenceError as error:
                if error.problems[0].code != "extra_missing":
                    raise
                return unsettled("extra_missing")
            if not total:
                return unsettled("no_contract")
            counts = {"total": total, "passed": passed}
            if passed + unverified < total:
                return breaks("broken", exercised=total, fields={"contracts": counts}, **counts)
            if unverified:
                return unsettled("unverified", fields={"contracts": counts}, unverified=unverified, **counts)
            return holds("kept", exercised=total, fields={"contracts": counts}, **counts)

        return check
