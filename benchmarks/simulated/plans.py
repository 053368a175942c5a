"""What a script plans to happen, read from the comments of its lines.

A comment such as `# wait 2/step` says that its line makes the host wait twice in each step. Kinds are `wait`, `copy to
device`, `copy to host` and `collective`; `wait 1/5 steps` is one in each fifth step; several stand side by side,
divided by semicolons. What happens in a library, or in the backward pass, counts for the innermost line of the script
that led there. Lines without such a comment do none of this in a step. A step ends where the optimizer that steps
first has stepped.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

KINDS = ("wait", "copy to device", "copy to host", "collective")
_PLANNED = re.compile(rf"(?P<kind>{'|'.join(KINDS)}) (?P<count>\d+)/(?:(?P<every>\d+) steps|step)")


class At(NamedTuple):
    """A line of a script, and what happens there."""

    line: int
    kind: str
    """One of KINDS."""


def planned(source: str, steps: int) -> Mapping[At, int]:
    """How often each planned thing happens in so many steps, which are a multiple of each `5 steps`.

    Raises ValueError where a comment begins like a plan and is none.
    """
    found: Counter[At] = Counter()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        text = token.string.removeprefix("#").strip()
        if token.type != tokenize.COMMENT or not text.startswith(KINDS):
            continue
        for part in text.split("; "):
            match = _PLANNED.fullmatch(part)
            if match is None:
                raise ValueError(f"line {token.start[0]}: {part!r} is no plan; write `wait 2/step` or `wait 1/5 steps`")
            every = int(match["every"] or 1)
            if steps % every:
                raise ValueError(f"line {token.start[0]}: {steps} steps are no multiple of {every}")
            found[At(token.start[0], match["kind"])] += int(match["count"]) * steps // every
    return found
