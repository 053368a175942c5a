"""Lets the random numbers of a script start from a seed where it gives them none itself."""

from __future__ import annotations

import hashlib
import multiprocessing
import random
import sys
from itertools import count

from trainlint_probe.watch.imported import Imports


def seed_what_is_unseeded(seed: int, imports: Imports) -> None:
    """Start the usual sources of random numbers from a seed, each as soon as the script has imported it."""
    random.seed(seed)
    imports.when("numpy", lambda: _seed_numpy(seed))
    imports.when("torch", lambda: sys.modules["torch"].manual_seed(seed))


def _seed_numpy(seed: int) -> None:
    """Seed NumPy's global generator, and each that is made without a seed, as environments of gymnasium make theirs.

    The latter take their seeds from `randbits`, a name in NumPy's module of generators. Each gets another one, and so
    does each process that loads data.
    """
    numpy_random = sys.modules["numpy"].random
    numpy_random.seed(seed % 2**32)
    made = count()

    def randbits(bits: int) -> int:
        text = f"{seed} {multiprocessing.current_process().name} {next(made)}"
        return int.from_bytes(hashlib.shake_256(text.encode()).digest(bits // 8), "big")

    numpy_random.bit_generator.randbits = randbits
