"""What holds for a whole group of files: a default device, tests for an old class."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from trainlint.analysis.project.summary import Summary


class GroupTraits:
    """Of each group of files that import each other."""

    def __init__(self, summaries: Sequence[Summary], groups: Sequence[int]) -> None:
        self._summaries = summaries
        self._groups = groups

    def tests_old_scaler_elsewhere(self, file: int) -> bool:
        """Whether another file of its group tests for the old scaler's class."""
        return bool(self._tests_of_old_scaler.get(self._groups[file], set()) - {file})

    def sets_default_device(self, file: int) -> bool:
        """Whether a file of its group makes tensors on a device by default, or enters one by `with`."""
        return self._groups[file] in self._with_default_device

    @cached_property
    def _with_default_device(self) -> set[int]:
        """The groups with such a file."""
        pairs = zip(self._summaries, self._groups, strict=True)
        return {group for summary, group in pairs if summary.sets_default_device}

    def assigned_names(self, file: int) -> frozenset[tuple[str, str]]:
        """What the files of its group assign in modules and classes of libraries."""
        return self._assigned.get(self._groups[file], frozenset())

    @cached_property
    def _assigned(self) -> dict[int, frozenset[tuple[str, str]]]:
        """Group → the modules and names."""
        found: dict[int, frozenset[tuple[str, str]]] = {}
        for summary, group in zip(self._summaries, self._groups, strict=True):
            if summary.assigned_names:
                found[group] = found.get(group, frozenset()) | summary.assigned_names
        return found

    @cached_property
    def _tests_of_old_scaler(self) -> dict[int, set[int]]:
        """Group → its files that test for the old scaler's class."""
        found: dict[int, set[int]] = {}
        for file, (summary, group) in enumerate(zip(self._summaries, self._groups, strict=True)):
            if summary.tests_old_scaler:
                found.setdefault(group, set()).add(file)
        return found
