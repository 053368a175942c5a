"""Files whose training nobody waits for, told by their paths."""

from __future__ import annotations

import re
from functools import lru_cache

from trainlint.patterns import lazy

_IDLE_PATH = lazy(
    r"(^|/)(tests?|unit_tests|test_utils|benchmarks?)/|(^|/)(test_\w+|\w+_test|conftest|bench\w*|\w*benchmark\w*)\.py$"
)
"""Files that test or measure: nobody waits for their training."""

_KEPT_ASIDE = lazy(r"(^|/)(deprecated|obsolete|archived?|unused|back_?ups?)/", re.IGNORECASE)
_OUTPUT = lazy(
    r"(^|/)(logs?|runs?|outputs?|checkpoints?|ckpts?|snapshots?|wandb|mlruns|lightning_logs)/",
    re.IGNORECASE,
)


@lru_cache(maxsize=256)  # rules ask again at each place
def is_test_path(path: str) -> bool:
    """Whether a path is that of a test or a benchmark."""
    return _IDLE_PATH.search(path) is not None


def is_kept_aside(path: str) -> bool:
    """Whether a path is that of a file in a directory for what is no longer used."""
    return _KEPT_ASIDE.search(path.replace("\\", "/")) is not None


def is_output_of_run(path: str) -> bool:
    """Whether a path is that of a file in a directory that by its name holds what runs leave."""
    return _OUTPUT.search(path.replace("\\", "/")) is not None
