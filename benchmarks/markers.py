"""Generated parts of a page stand between two comments, which say their name."""

from __future__ import annotations

import re


def between_markers(text: str, name: str, content: str) -> str:
    """The text with new content between the markers of that name. Raises ValueError where they do not stand once."""
    start, end = f"<!-- {name}:start -->", f"<!-- {name}:end -->"
    written, times = re.subn(f"(?s){start}.*?{end}", lambda _: f"{start}\n{content}\n{end}", text)
    if times != 1:
        raise ValueError(f"the markers {start} and {end} must stand in the page once")
    return written
