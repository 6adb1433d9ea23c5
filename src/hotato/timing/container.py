"""Whether a file of sound is whole, from its container alone: libsndfile reads what is left of a cut file without a word."""

from __future__ import annotations

from typing import IO

_MOST_CHUNKS = 1000
_UNKNOWN = 0x7FFF_F000  # a writer that cannot go back says 0xFFFFFFFF or something near 2 GB, or nothing
_PAGE = 65_307  # bytes of the longest Ogg page


def broken_off(stream: IO[bytes]) -> str:
    """Return how a WAV or Ogg file is cut short, empty where it is whole or of another format. Moves the stream."""
    stream.seek(0)
    head = stream.read(12)
    if head[:4] in (b"RIFF", b"RF64", b"RIFX") and head[8:12] == b"WAVE":
        return _wav(stream, "big" if head[:4] == b"RIFX" else "little")
    return _ogg(stream) if head[:4] == b"OggS" else ""


def _wav(stream: IO[bytes], order: str) -> str:
    end = stream.seek(0, 2)
    place, long_size = 12, -1
    for _ in range(_MOST_CHUNKS):
        stream.seek(place)
        chunk = stream.read(8)
        if len(chunk) < 8:
            return "it has no sound"
        size = int.from_bytes(chunk[4:], "big" if order == "big" else "little")
        if chunk[:4] == b"ds64":
            long_size = int.from_bytes(stream.read(16)[8:16], "little")
        if chunk[:4] == b"data":
            if size == 0xFFFF_FFFF and long_size >= 0:
                size = long_size
            elif size >= _UNKNOWN or size == 0:
                return ""
            left = end - place - 8
            return f"its header promises {size} bytes of sound and {left} are there" if size > left else ""
        place += 8 + size + (size & 1)
    return "its sound does not begin"


def _ogg(stream: IO[bytes]) -> str:
    end = stream.seek(0, 2)
    stream.seek(max(0, end - _PAGE))
    tail = stream.read(_PAGE)
    place = tail.rfind(b"OggS")
    whole = place >= 0 and len(tail) >= place + 27 and len(tail) >= place + 27 + tail[place + 26]
    if whole:
        table = tail[place + 27 : place + 27 + tail[place + 26]]
        whole = bool(tail[place + 5] & 4) and len(tail) >= place + 27 + len(table) + sum(table)
    return "" if whole else "its last page is not there"
