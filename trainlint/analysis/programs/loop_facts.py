"""What a project uses on the way into a training loop and out of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from trainlint.analysis.callgraph.call_graph import CallGraph
from trainlint.analysis.callgraph.skeleton import NOWHERE
from trainlint.analysis.programs.around import CallsBothWays
from trainlint.analysis.tables.fact_kinds import Fact, FactKind

FactsByFunction = Mapping[str, Sequence[Fact]]
"""Qualified name of a function, "" for the top of the module → what is used there."""


class LocatedFact(NamedTuple):
    """One use of something, with the file in which it stands."""

    path: str
    fact: Fact


class LoopFacts:
    """Answers for a network of files. A module's top level is numbered behind all functions, by its file."""

    def __init__(self, net: CallGraph, facts: Sequence[FactsByFunction]) -> None:
        self.net = net
        self.facts = facts
        """For each file."""
        self._known: dict[tuple[int, bool], tuple[LocatedFact, ...]] = {}

    def top(self, file: int) -> int:
        """The number that stands for the top level of a module."""
        return len(self.net.functions) + file

    def around(self, function: int, *, beside: bool = False) -> tuple[LocatedFact, ...]:
        """What is used around a loop that stands in a function, or at the top of a module.

        `beside` adds what the callers call besides: there process groups, loaders and global switches are made.
        """
        key = (function, beside)
        if key not in self._known:
            found = (
                *self._calls_both_ways.around(function, beside=beside),
                *self._entrances.entries_reaching(function),
            )
            self._known[key] = tuple(sorted(found, key=_order))
        return self._known[key]

    @cached_property
    def _calls_both_ways(self) -> CallsBothWays[int, LocatedFact]:
        modules = {number: self.top(file) for number, file in self._files()}
        return CallsBothWays(self._calls(definitions_of_modules=True), self._located(), modules)

    @cached_property
    def _entrances(self) -> CallsBothWays[int, LocatedFact]:
        """The ways from the top level of modules by calls alone: to define a function is not to run it."""
        return CallsBothWays(self._calls(definitions_of_modules=False), {}, entries=self._entries())

    def _calls(self, *, definitions_of_modules: bool) -> dict[int, list[int]]:
        calls: dict[int, list[int]] = {}
        for edges in self.net.callers.values():
            for edge in edges:
                calls.setdefault(self.function_or_module(self.net.call_block[edge.call]), []).append(edge.function)
        for function in range(len(self.net.functions)):
            home = self.function_or_module(self.net.outside_block(function))
            if definitions_of_modules or home < len(self.net.functions):
                calls.setdefault(home, []).append(function)
        return calls

    def _entries(self) -> dict[int, LocatedFact]:
        """The top level of each module, as the start of a way into a loop."""
        return {
            self.top(file): LocatedFact(skeleton.path, Fact(FactKind.ENTERED, 1, None))
            for file, skeleton in enumerate(self.net.skeletons)
        }

    def _files(self) -> list[tuple[int, int]]:
        return list(enumerate(self.net.file_of_function))

    def function_or_module(self, block: int) -> int:
        """The number of the function around a block, or of the module."""
        function = self.net.function_of[block]
        return function if function != NOWHERE else self.top(self.net.file_of_block(block))

    def _located(self) -> dict[int, list[LocatedFact]]:
        found: dict[int, list[LocatedFact]] = {}
        for function, file in self._files():
            name = self.net.functions[function].qualified_name
            facts = self.facts[file].get(name, ())
            found[function] = [LocatedFact(self.net.skeletons[file].path, fact) for fact in facts]
        for file, facts_of_file in enumerate(self.facts):
            path = self.net.skeletons[file].path
            found[self.top(file)] = [LocatedFact(path, fact) for fact in facts_of_file.get("", ())]
        return found


def updated(
    imported_facts: Iterable[LocatedFact], here: Iterable[LocatedFact], facts: FactsByFunction, path: str
) -> tuple[LocatedFact, ...]:
    """What linking found of a loop, brought up to date for a file that has been edited since.

    Of the file's own uses, those that are gone are left out, and those that the file alone shows (`here`) are added.
    """
    now = {(fact.kind, fact.detail, fact.function): fact for each in facts.values() for fact in each}
    found = dict.fromkeys(here)
    for item in imported_facts:
        if item.path == path and item.fact.kind is not FactKind.ENTERED:
            standing = now.get((item.fact.kind, item.fact.detail, item.fact.function))
            if standing is None:
                continue
            item = LocatedFact(path, standing)
        found[item] = None
    return tuple(sorted(found, key=_order))


def _order(item: LocatedFact) -> tuple[str, int, str]:
    return (item.path, item.fact.line, item.fact.kind.value)


def by_function(facts: Sequence[Fact]) -> dict[str, list[Fact]]:
    """Facts of one file by the function in which they stand."""
    found: dict[str, list[Fact]] = {}
    for fact in facts:
        found.setdefault(fact.function or "", []).append(fact)
    return found
