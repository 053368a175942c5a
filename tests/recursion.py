"""Python's recursion limit for a test: what else runs in the process, such as torch.compile, may have raised it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

USUAL = 1_000
"""With what Python starts."""


@contextmanager
def recursion_limit(limit: int = USUAL) -> Iterator[None]:
    """Set the limit, and in the end what it was."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(limit)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
