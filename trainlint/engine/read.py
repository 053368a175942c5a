"""A file's bytes: how they are read, and the gate that spares most work on files that cannot hold a finding."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trainlint.source import SourceFile, UnreadableSource, decode_source

if TYPE_CHECKING:
    from pathlib import Path

SIZE_LIMIT = 5_000_000
"""In bytes. Source that people write is far smaller; a larger file is data, and judging it could take minutes."""

_TRIGGER = b"torch"
_CODING_LINE = re.compile(rb"\A[^\n]*(?:\n[^\n]*)?coding[:=]")


def read_bytes(path: Path) -> bytes:
    """The bytes of a source file.

    Raises UnreadableSource when the file cannot be read, is too large, or holds another language.
    """
    if path.suffix == ".ipynb":
        raise UnreadableSource("it is a notebook, which trainlint does not read; export it as a script")
    try:
        with path.open("rb") as file:
            data = file.read(SIZE_LIMIT + 1)
    except OSError as error:
        words = (error.strerror or str(error)).lower()
        raise UnreadableSource(f"it cannot be read ({words}); correct its permissions or exclude it") from error
    if len(data) > SIZE_LIMIT:
        raise UnreadableSource(
            f"it is larger than {SIZE_LIMIT // 1_000_000} MB, the most that trainlint reads of one file; exclude it"
        )
    return data


def decode(shown: str, data: bytes) -> SourceFile | None:
    """The source text, or None where the file cannot hold a finding because it never speaks of PyTorch.

    Raises UnreadableSource when the bytes are no Python text, whatever they speak of.
    """
    if _TRIGGER in data:
        return decode_source(shown, data)
    # Plain ASCII without a coding line always decodes; only the few other files are worth a closer look.
    if b"\0" in data or not data.isascii() or _CODING_LINE.match(data):
        decode_source(shown, data)
    return None
