"""Which functions of a project does nothing call, by the names that all its calls have?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from trainlint.analysis.callgraph.call_graph import CallGraph
from trainlint.analysis.callgraph.skeleton import NOWHERE

_BASES = frozenset({"Module", "object", "ABC"})


class CallsByName:
    """Answers for the functions of one network, for methods that switch something on."""

    def __init__(self, net: CallGraph, *, in_sight: bool) -> None:
        """`in_sight` says whether all code that may call the functions is there."""
        self.net = net
        self.in_sight = in_sight
        self._known: dict[int, bool] = {}

    def may_call(self, function: int) -> bool:
        """Whether a call of something with this name stands in a function of another name, or may stand out of sight.

        Special methods, and what a decorator may register, are always called. Calls in tests do not count.
        """
        if function not in self._known:
            self._known[function] = self._may_call(function)
        return self._known[function]

    def named(self, name: str) -> Sequence[int]:
        """The calls of what has a name, but for those in tests."""
        return self._by_name.get(name, ())

    def _may_call(self, function: int) -> bool:
        shape = self.net.functions[function]
        if shape.name.startswith("__") or shape.decorators or shape.owner is None:
            return True
        file = self.net.file_of_function[function]
        if not self.in_sight or not self._knows_bases(file, shape.owner):
            return True
        around = [self.net.function_of[self.net.call_block[call]] for call in self._by_name.get(shape.name, ())]
        return any(caller == NOWHERE or self.net.functions[caller].name != shape.name for caller in around)

    def _knows_bases(self, file: int, owner: str) -> bool:
        """Whether no base of a class is out of sight that could call its methods; PyTorch's own calls few, by name."""
        names = (base.rpartition(".")[2] for base in self.net.skeletons[file].bases.get(owner, ()))
        return all(name in _BASES or name in self._classes for name in names)

    @cached_property
    def _classes(self) -> frozenset[str]:
        return frozenset([shape.owner for shape in self.net.functions if shape.owner is not None])

    @cached_property
    def _by_name(self) -> dict[str, list[int]]:
        """The last word of what is called → the calls."""
        found: dict[str, list[int]] = {}
        for number, call in enumerate(self.net.calls):
            if self.net.skeletons[self.net.file_of_call(number)].is_test_file:
                continue
            name = call.key.rpartition(":")[2].rpartition(".")[2].partition("#")[0]
            found.setdefault(name, []).append(number)
        return found
