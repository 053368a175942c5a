"""Whether what a branch requires of settings is met, by what the calls of its function and the options give them."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from typing import Protocol

from trainlint.analysis.callgraph.call_graph import CallGraph, Edge
from trainlint.analysis.callgraph.skeleton import NOWHERE, Handing
from trainlint.analysis.conditions.arguments import ANYTHING, BY_DEFAULT, PASSED, option_in, parameter_of_caller
from trainlint.analysis.conditions.settings.holders import is_expected
from trainlint.analysis.conditions.settings.required_values import ANSWER, RequiredValue
from trainlint.analysis.frequency.block_ways import BlockContext, BlockHeat
from trainlint.analysis.frequency.heat_fact import UNKNOWN_HEAT, HeatFact

_MOST_VALUES = 8
"""Of how many values a parameter may have before nothing is said of it."""
_DEEPEST = 5
"""Through how many calls a parameter is followed that each hands on."""
_DEEPEST_ANSWERS = 3
"""Through how many helpers that ask other helpers a test is followed."""
_NOT_KNOWN = frozenset({PASSED})
"""What a parameter that is handed on holds where its own callers are out of sight: most likely something."""


class Unmet(IntEnum):
    """Why what a branch requires is not met."""

    NEVER = 0
    """Nothing ever gives the setting that value, or only in few steps."""
    BY_DEFAULT = 1
    """Only an option that is set otherwise than by default gives it."""
    UNLESS_NONE = 2
    """It must be None, and calls pass what is that now and then at most."""


class FunctionHeats(Protocol):
    """How hot functions are: of the calls of a function, in most questions only the hot ones count."""

    @property
    def net(self) -> CallGraph:
        """The functions and their calls."""

    def own_heat(self, function: int) -> HeatFact | None:
        """What the user or a framework says of a function's heat, whoever calls it."""

    def heat_along(self, function: int, edge: Edge) -> HeatFact | None:
        """The heat that one caller gives a function."""


class UnmetRequirements:
    """Why what branches of a network require is not met."""

    def __init__(
        self,
        heats: FunctionHeats,
        handed: Mapping[tuple[int, str, bool], tuple[str, ...]],
        answers: Mapping[tuple[int, bool], Unmet],
        is_called: Callable[[int], bool],
    ) -> None:
        self._heats: FunctionHeats = weakref.proxy(heats)  # which holds this: a circle would keep the network's memory
        self._net = heats.net
        self._handed = handed
        """Function, parameter and whether all calls count, not hot ones alone → what calls outside the network give."""
        self._answers = answers
        """Call that leaves the network and an answer → why it never answers so."""
        self._is_called = is_called
        """Whether anything in the project may call a function."""
        self._values_passed: dict[tuple[int, str, bool], frozenset[str]] = {}
        self._functions_by_key: dict[tuple[int, str], int] | None = None
        self._calls_by_key: dict[tuple[int, str], int] | None = None

    def forget(self) -> None:
        """Answer anew what depends on which calls are hot."""
        self._values_passed.clear()

    def unmet_by_any(self, block: int, clause: Sequence[RequiredValue]) -> bool:
        """Whether no call of a branch's function, hot or not, and no option as it is by default meets a clause."""
        found = self.unmet(BlockHeat(UNKNOWN_HEAT, self._net.function_of[block], BlockContext(block)), clause)
        return found is not None and found is not Unmet.UNLESS_NONE

    def unmet(self, found: BlockHeat, clause: Sequence[RequiredValue], asking: tuple[int, ...] = ()) -> Unmet | None:
        """Why no item of a clause is met; None where one is, or may be."""
        by_framework = (
            found.fact is None and found.function != NOWHERE and self._heats.own_heat(found.function) is not None
        )
        worst = Unmet.NEVER
        for item in clause:
            if by_framework and parameter_of_caller(item.value) and not item.function:
                return None  # what a framework passes is not in sight
            unmet = self._unmet_item(found, item, asking)
            if unmet is None:
                return None
            worst = max(worst, unmet)
        return worst

    def _unmet_item(self, found: BlockHeat, item: RequiredValue, asking: tuple[int, ...]) -> Unmet | None:
        """Why an item is not met; None where it is, or may be."""
        function = found.function
        file = (
            self._net.file_of_function[function] if function != NOWHERE else self._net.file_of_block(found.context.end)
        )
        if item.operator == ANSWER:
            return self._unmet_answer(file, item, asking)
        function = self._function(file, item.function) if item.function else function
        if item.function and function != NOWHERE and not self._is_called(function):
            return Unmet.BY_DEFAULT
        values = self._values_given(found, function, file, item)
        return Unmet.NEVER if values is None else _unmet_by(item, values)

    def _values_given(self, found: BlockHeat, function: int, file: int, item: RequiredValue) -> frozenset[str] | None:
        """What a setting may be: nothing where that is unknown, None where nothing ever gives it a value.

        `function` is the one whose parameter it is.
        """
        name, option = parameter_of_caller(item.value), option_in(item.value)
        if option is not None:
            return self._option(file, option) or (None if "." in option else frozenset())
        if name is None:
            return frozenset({item.value})
        if function == NOWHERE:
            return frozenset()
        return self.values(function, name, any_call=bool(item.function) or found.fact is not None)

    def _unpacked(self, edge: Edge, name: str) -> frozenset[str]:
        """What a call that unpacks options, as `Net(**cfg.model)`, gives a parameter; nothing where that is unknown."""
        passed, shape = self._net.calls[edge.call].passed, self._net.functions[edge.function]
        by_itself = (*passed.names, *shape.parameters[: passed.positions])
        if not passed.unpacks or name in by_itself or is_expected(name):
            return frozenset()
        options = self._option(self._net.file_of_function[edge.function], name)
        default = dict(shape.defaults).get(name)
        return options | _by_default([default]) if options and default is not None else options

    def _passed(self, file: int, value: str) -> frozenset[str]:
        """What a call in a file passes that hands on no parameter."""
        option = option_in(value)
        return frozenset({value}) if option is None else self._option(file, option) or _NOT_KNOWN

    def _option(self, file: int, name: str) -> frozenset[str]:
        """The values of an option that a file asks for; nothing where they are unknown."""
        values = self._net.options[file].get(name, ()) if self._net.options else ()
        return frozenset(values) if "." in name else _by_default(values)

    def _unmet_answer(self, file: int, item: RequiredValue, asking: tuple[int, ...]) -> Unmet | None:
        """Why a call never answers as it should; None where it may."""
        call = self._call(file, item.value)
        if call == NOWHERE or call in asking or len(asking) >= _DEEPEST_ANSWERS:
            return None
        if (call, item.holds) in self._answers:
            return self._answers[call, item.holds]
        return self.unmet_answer(call, item.holds, asking)

    def unmet_answer(self, call: int, answer: bool, asking: tuple[int, ...] = ()) -> Unmet | None:
        """Why no function that a call runs ever answers so; None where one may."""
        edges = self._net.callees.get(call, ())
        reasons = [self._unmet_along(edge, answer, (*asking, call)) for edge in edges]
        found = [reason for reason in reasons if reason is not None]
        return max(found) if found and len(found) == len(reasons) else None

    def _unmet_along(self, edge: Edge, answer: bool, asking: tuple[int, ...]) -> Unmet | None:
        """Why the function that a call runs does not answer so, with what this call passes."""
        net, function = self._net, edge.function
        if edge.how is not Handing.CALLED:
            return None
        shape = net.functions[function]
        for clause in shape.yes if answer else shape.no:
            worst: Unmet | None = Unmet.NEVER
            for item in clause:
                name = parameter_of_caller(item.value)
                if name is None or item.function:
                    found = self._unmet_item(BlockHeat(None, function), item, asking)
                else:
                    values = self.values_along(edge, name, any_call=True)
                    found = _unmet_by(item, values)
                worst = None if worst is None or found is None else max(worst, found)
            if worst is not None:
                return worst
        return None

    def _function(self, file: int, key: str) -> int:
        """The number of the function with this key in a file."""
        if self._functions_by_key is None:
            self._functions_by_key = {
                (self._net.file_of_function[number], shape.key): number
                for number, shape in enumerate(self._net.functions)
            }
        return self._functions_by_key.get((file, key), NOWHERE)

    def _call(self, file: int, key: str) -> int:
        """The number of the call with this key in a file."""
        if self._calls_by_key is None:
            self._calls_by_key = {
                (self._net.file_of_call(number), shape.key): number for number, shape in enumerate(self._net.calls)
            }
        return self._calls_by_key.get((file, key), NOWHERE)

    def values(self, function: int, name: str, *, any_call: bool) -> frozenset[str]:
        """What the hot calls of a function give a parameter, or all of them."""
        return self._values(function, name, any_call, ())

    def _values(
        self, function: int, name: str, any_call: bool, asking: tuple[tuple[int, str, bool], ...]
    ) -> frozenset[str]:
        key = (function, name, any_call)
        configured = dict(self._net.functions[function].configured)
        if name in configured:
            return self._passed(self._net.file_of_function[function], configured[name])
        if key not in self._values_passed:
            found = set(self._handed.get(key, ()))
            for edge in self._net.callers.get(function, ()):
                if edge.how in (Handing.CALLED, Handing.RUN) and len(found) < _MOST_VALUES:
                    found |= self.values_along(edge, name, any_call=any_call, asking=(*asking, key))
            values = frozenset(found) if len(found) < _MOST_VALUES else frozenset({ANYTHING})
            if asking:
                return values  # what asks for it may be left out of it
            self._values_passed[key] = values
        return self._values_passed[key]

    def values_along(
        self, edge: Edge, name: str, *, any_call: bool, asking: tuple[tuple[int, str, bool], ...] = ()
    ) -> frozenset[str]:
        """What one call gives a parameter of the function that it runs; nothing where only hot calls count."""
        net, function = self._net, edge.function
        caller = net.function_of[net.call_block[edge.call]]
        if caller == function and net.functions[function].name == "__init__":
            return frozenset()  # `super().__init__()`, whose base is out of sight
        if not any_call:
            fact = self._heats.heat_along(function, edge)
            if fact is None or not fact.heat.in_step:
                return frozenset()
        if edge.how is Handing.RUN:
            return _NOT_KNOWN  # what a wrapper or another function hands on is not that call's own arguments
        shape = net.functions[function]
        value = net.calls[edge.call].passed.value(name, shape.parameters, shape.defaults)
        handed_on = parameter_of_caller(value)
        if handed_on is None:
            return self._unpacked(edge, name) or self._passed(net.file_of_call(edge.call), value)
        if caller == NOWHERE or len(asking) >= _DEEPEST or any(item[:2] == (caller, handed_on) for item in asking):
            return _NOT_KNOWN
        own = self._heats.own_heat(caller) is not None
        return _NOT_KNOWN if own else self._values(caller, handed_on, any_call, asking) or _NOT_KNOWN


def _by_default(values: Sequence[str]) -> frozenset[str]:
    """The values that an option has unless somebody sets it."""
    return frozenset([each if each == PASSED else BY_DEFAULT + each for each in values])


def _unmet_by(item: RequiredValue, values: frozenset[str]) -> Unmet | None:
    """Why none of some values meets an item; None where one does, or may, or none is known."""
    if not values or any(item.met_by(value) is not False for value in values):
        return None
    may_be_none = item.holds and PASSED in values
    if may_be_none:
        return Unmet.UNLESS_NONE
    return Unmet.BY_DEFAULT if any(value.startswith(BY_DEFAULT) for value in values) else Unmet.NEVER
