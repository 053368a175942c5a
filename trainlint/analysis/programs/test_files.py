"""Files whose training nobody waits for, told by their paths."""

from __future__ import annotations

from functools import lru_cache

from trainlint.patterns import lazy

_IDLE_PATH = lazy(
    r"(^|/)(tests?|unit_tests|test_utils|benchmarks?)/|(^|/)(test_\w+|\w+_test|conftest|bench\w*|\w*benchmark\w*)\.py$"
)
"""Files that test or measure: nobody waits for their training."""


@lru_cache(maxsize=256)  # rules ask again at each place
def is_test_path(path: str) -> bool:
    """Whether a path is that of a test or a benchmark."""
    return _IDLE_PATH.search(path) is not None
