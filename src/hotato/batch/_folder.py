"""The files of a run over many calls, every one of them whole or absent."""

from __future__ import annotations

RESULTS, ENVELOPES, REPORT, SUMMARY = "results.parquet", "envelopes.jsonl.zst", "report.html", "summary.json"
WRITTEN = (RESULTS, ENVELOPES, REPORT, SUMMARY)  # the summary last, so that it never stands without its parts
