"""What functions and methods of NumPy return that is no array of several axes: numbers, and arrays of one axis."""

from __future__ import annotations

UNIQUE = "unique"
"""With another argument than the array it returns several arrays."""
OF_ONE_AXIS = frozenset({*"arange linspace logspace flatnonzero bincount".split(), UNIQUE})
"""Functions, by their names below `numpy`, that return an array of one axis: each element of it is a number."""
SHUFFLED = "random.permutation"
"""Given a number, it returns an array of one axis; given an array, one of the same shape."""
REDUCTIONS = frozenset(
    "mean sum max min std var median prod argmax argmin ptp average count_nonzero nanmean nansum nanmax nanmin".split()
)
"""Functions and methods that return one number unless an `axis` is named; of a method, it may be the first argument."""
DRAWS = {
    "random.randint": (2, "size"),
    "random.uniform": (2, "size"),
    "random.normal": (2, "size"),
    "random.choice": (1, "size"),
    "random.random": (0, "size"),
    "random.rand": (0, None),
    "random.randn": (0, None),
}
"""Function below `numpy` → the place and the name of the argument without which it returns one number."""
