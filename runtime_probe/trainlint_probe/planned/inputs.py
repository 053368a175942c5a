"""Inputs of a model as the command line names them: `3x224x224`, `tokens:1024`, `mask=2x8`."""

from __future__ import annotations

import re
from dataclasses import dataclass

_INPUT = re.compile(r"(?:(?P<name>[A-Za-z_]\w*)=)?(?P<tokens>tokens:)?(?P<sizes>\d+(?:x\d+)*)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Input:
    """One argument of the forward, without the dimension of the batch."""

    sizes: tuple[int, ...]
    tokens: bool = False
    """Whole numbers, as for embeddings; otherwise floating point."""
    name: str | None = None
    """The keyword it is passed by; None for the next position."""


def read_input(text: str) -> Input:
    """An input as it is typed. Raises ValueError with a sentence for what is none."""
    found = _INPUT.fullmatch(text.strip())
    sizes = tuple(map(int, found["sizes"].split("x"))) if found else ()
    if found is None or not all(0 < size < 1 << 31 for size in sizes):
        raise ValueError(
            f"expected the shape of one sample such as 3x224x224, or tokens:1024 for whole numbers, not {text!r}"
        )
    return Input(sizes, found["tokens"] is not None, found["name"])
