"""Every code that refused evidence, a refused file or a refused argument can carry, and what it means."""

from __future__ import annotations

CODES = {
    # files
    "file_missing": "there is no such file",
    "file_kind": "a folder, a device or a pipe, where a regular file is read",
    "file_outside": "the file lies outside of the folder to which a server was confined",
    "file_unreadable": "the file cannot be opened or read",
    "file_too_large": "the file is larger than is read",
    "file_encoding": "the file is not UTF-8 text",
    "file_exists": "the file to write is there already",
    "file_unwritable": "the file cannot be written",
    # JSON
    "json_syntax": "the text is not JSON",
    "json_duplicate_key": "the same key twice in one object, of which one would be dropped",
    "json_number": "NaN, an infinity, or a number too large to represent",
    "json_depth": "values are nested too deep",
    "json_values": "more values than one text may hold",
    # evidence
    "too_many_problems": "problems beyond those listed were left out",
    "transcript": "the value is no transcript in any of its shapes",
    "turn": "a turn without text, or with a role or a time of the wrong type",
    "trace": "the value is no list of spans",
    "span": "a span without a type, a tool call without a name, or a time of the wrong type",
    "trace_schema": "the trace says that it is of another schema",
    "trace_meta": "a second meta line: two traces in one file",
    "timing": "the timing envelope is no mapping",
    "state": "the state file describes no system of record",
    "regex_cost": "a text so long that a regex would take too many steps on it",
    "address": "an address that is not plainly one, or that an adapter may not reach",
    "egress": "a system on the network, which the state config does not allow to be reached",
    "secret": "a secret that is written in a config, or that the environment does not hold under the name given",
    "statement": "a statement that does more than read, or that is not one statement",
    "read_only": "a database that hotato cannot keep from being written to",
    # files that other systems wrote
    "gzip": "the compressed file is broken off or damaged, or larger than is read once unpacked",
    "format_unknown": "the content is of no format that is known, or of another one than was named",
    "format_ambiguous": "the content could be of two formats that say different things; --format names one",
    "import": "the content is of a known format and damaged, or holds what the format does not allow",
    "extra_missing": "the format needs a package that is not installed",
    # recordings
    "audio": "the recording is damaged, cut off, empty, or in no form that is read",
    "audio_channels": "the recording has not the two channels, or the one, that are asked for",
    "scenario": "a scenario of a suite is malformed, or has no recording",
    "model": "the speech model cannot be found, fetched or loaded, or is none",
    # contracts
    "contract": "the folder or archive is no contract, or one whose audio allows no verdict",
    "tampered": "a contract or a conversation holds other files than those it was made of, or was changed",
    # conversations
    "conversation": "the folder holds no conversation, or none that one id is of",
    # scenarios
    "variable": "a name in braces that is no fact and no variable of the scenario",
    "simulator_invalid": "a scenario that could not be rendered; it says nothing about the agent",
    "run": "a run that the scenario does not have",
    # batches
    "call": "a row of many calls that is no object, or that holds no evidence",
    "parquet": "the Parquet file is damaged",
    "zstd": "the compressed file is broken off or damaged",
    "internal": "a defect of hotato met a call of a batch",
    "journal": "the journal of a run is not as it was written, or there is none",
    "run_changed": "an input, a document or hotato changed since the run began",
    "run_locked": "another run works in the folder",
    "cluster": "no cluster answers at the address",
    "query": "a query that DuckDB refuses, or that is more than one SELECT",
    # rubrics
    "no_rubrics": "there is no rubric, so nothing would be judged",
    "recording": "the file holds no answers of a judge, or not those of the model that is asked for",
    "labels": "people's labels of calls are missing, or name what there is not",
    # results
    "envelope": "the value is no envelope of results, or contradicts itself",
    # arguments
    "both_given": "one input is given as a value and as a path",
    "state_adapter": "an object without a method `query`",
    "nothing_to_infer": "the trace holds nothing from which a first document can be made",
    "not_failing": "the assertion does not fail on this call, so there is nothing to shrink",
    "limit": "a limit that does not exist, or a value that it cannot have",
    "value": "an argument is not among the values allowed",
    "unknown_pack": "no pack has this name",
    "unwritable": "the document holds a value that YAML cannot carry",
}
