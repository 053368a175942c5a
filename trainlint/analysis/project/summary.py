"""What other files need to know of one file. Tree-free, and true for as long as the file is unchanged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from trainlint.analysis.tables.fact_kinds import Use


@dataclass(frozen=True, slots=True)
class Summary:
    """All of it."""

    path: str
    """As shown to the user."""
    imports: frozenset[str]
    """The dotted origins of what it imports; relative ones keep their dots."""
    uses: frozenset[Use]
    """What it uses somewhere: autocast, DDP, a framework."""
    is_test: bool
    """Whether it is a test or a benchmark, which says nothing of the code that it calls."""
    bound: frozenset[str] = frozenset()
    """The names that it binds at its top."""
    stars: tuple[str, ...] = ()
    """Modules whose every name it imports."""
    takes: frozenset[str] = frozenset()
    """The dotted names that it takes from other files, or from libraries that are not known."""
    ignored: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """Line of a call whose statement has an ignore comment → the words of the comment, none for all rules."""
    tests_old_scaler: bool = False
    """Whether it tests if an object is of the old scaler's class."""
    sets_default_device: bool = False
    """Whether it may make tensors on a device by default, or enters one by `with`."""
