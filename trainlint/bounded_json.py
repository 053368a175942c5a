"""Reads JSON that anybody may have written, within a bound on the memory that its values take."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_VALUES = 1_000_000
"""As many values may one document have. An empty object takes three bytes of text and sixty-four of memory, so a bound
on bytes alone does not bound memory. What `trainlint probe` and `trainlint baseline` write has 20 bytes or more for
each value: a million values have the 20 MB that are read of such a file."""


class TooManyValues(ValueError):
    """A document has more values than are read. The message says so, as part of a sentence."""


def check_values(text: str | bytes, most: int = MOST_VALUES) -> None:
    """Raise TooManyValues where a text of JSON may hold more than `most` values, before any of them is made.

    Each value follows a comma or the beginning of a list or an object. Those within strings count as well.
    """
    found = sum(map(text.count, ",[{")) if isinstance(text, str) else sum(map(text.count, (b",", b"[", b"{")))
    if found > most:
        raise TooManyValues(f"it may hold more than {most:,} values, the most that trainlint reads of such a file")


def load_bounded(data: bytes) -> Any:
    """The value of a document in UTF-8.

    Raises TooManyValues, ValueError for what is no JSON, and RecursionError where it is nested too deeply.
    """
    check_values(data)
    return json.loads(data.decode("utf-8"))
