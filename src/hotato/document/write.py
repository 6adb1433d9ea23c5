"""From a document in hand to YAML text that reads back as the same document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def to_yaml(doc: Mapping[str, Any]) -> str:
    """Return YAML text: keys in the order given, short lists and mappings on one line, text quoted where it must be.

    Text is written in the quoting that YAML 1.1 and 1.2 readers agree on. Raise DocumentError for what cannot be written.
    """
    import yaml

    from hotato.document.from_mapping import tree_of
    from hotato.document.reading import read
    from hotato.errors import DocumentError, Problem
    from hotato.model import given

    doc = tree_of(given.typed(Mapping, doc, "document", "a mapping", DocumentError), "document").value
    text = str(yaml.dump(_plain(doc), Dumper=_dumper(), sort_keys=False, allow_unicode=True, width=100))
    if not text.isprintable():  # a character that is not seen stands in double quotes alone, where it may be spelt
        text = "".join(c if c.isprintable() or c == "\n" else _spelt(c) for c in text)
    if read(text, "document").value != _plain(doc):
        raise DocumentError(Problem(code="unwritable", file="document", message="holds a value that YAML cannot carry"))
    return text


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, (list, tuple)) else value


def _dumper() -> Any:
    import yaml

    class Dumper(yaml.SafeDumper):
        def ignore_aliases(self, data: Any) -> bool:
            del data
            return True

        def represent_sequence(self, tag: str, sequence: Any, flow_style: bool | None = None) -> Any:
            flat = all(not isinstance(item, (dict, list)) for item in sequence)
            return super().represent_sequence(tag, sequence, flow_style=flat or flow_style)

        def represent_text(self, data: str) -> Any:
            return self.represent_scalar("tag:yaml.org,2002:str", data, style=None if _is_plain(data) else '"')

    Dumper.add_representer(str, Dumper.represent_text)
    return Dumper


def _spelt(char: str) -> str:
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"


def _is_plain(text: str) -> bool:
    """Say whether a text without quotes is read as itself here; the dumper knows where others would not."""
    from hotato.document.scalars import ScalarError, resolve

    try:
        return text.isprintable() and (not text or type(resolve(text)) is str)
    except ScalarError:
        return False
