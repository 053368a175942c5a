"""Lets the random numbers of a script start from a seed where it gives them none itself."""

from __future__ import annotations

import random
import sys

from trainlint_probe.watch.imported import Imports


def seed_what_is_unseeded(seed: int, imports: Imports) -> None:
    """Start the usual sources of random numbers from a seed, each as soon as the script has imported it."""
    random.seed(seed)
    imports.when("numpy", lambda: sys.modules["numpy"].random.seed(seed % 2**32))
    imports.when("torch", lambda: sys.modules["torch"].manual_seed(seed))
