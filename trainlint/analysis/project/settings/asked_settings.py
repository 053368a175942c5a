"""What the branches of a file ask of settings that other files decide: parameters, answers of helpers, switches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from trainlint.analysis.callgraph.call_graph import CallGraph
from trainlint.analysis.callgraph.skeleton import NOWHERE
from trainlint.analysis.conditions.arguments import parameter_of_caller
from trainlint.analysis.conditions.settings.required_values import ANSWER, RequiredValue
from trainlint.analysis.frequency.heat_flow import FrequencyFixpoint
from trainlint.analysis.project.settings.calls_by_name import CallsByName

Asked = tuple[int, str, bool]
"""A function, its parameter, and whether all calls count, not hot ones alone."""


@dataclass(frozen=True, slots=True)
class AskedSettings:
    """Answers for the files of one network."""

    flow: FrequencyFixpoint
    calls: CallsByName
    numbers: list[dict[str, int]]
    """For each file, the number of each function in the network."""

    @property
    def net(self) -> CallGraph:
        """The calls of all files."""
        return self.flow.net

    def parameters(self, file: int) -> list[Asked]:
        """The parameters that a file's branches ask for, and those of its functions that are handed on to these."""
        asked = dict.fromkeys(
            asked for function, item in self._required(file) for asked in self._of(file, function, item)
        )
        waiting = list(asked)
        while waiting:
            for handed_on in self._handing_on(file, waiting.pop()):
                if handed_on not in asked:
                    asked[handed_on] = None
                    waiting.append(handed_on)
        return list(asked)

    def answers(self, file: int) -> dict[tuple[str, bool], int]:
        """The calls of a file that ask functions of other files, with the answers that these never give, and why."""
        found: dict[tuple[str, bool], int] = {}
        asked = {(item.value, item.holds) for _, item in self._required(file) if item.operator == ANSWER}
        calls = self.net.skeletons[file].calls if asked else ()
        for number, call in enumerate(calls, self.net.first_call[file]):
            for answer in (True, False):
                if (call.key, answer) in asked and self._leaves(file, number):
                    unmet = self.flow.requirements.unmet_answer(number, answer)
                    if unmet is not None:
                        found[call.key, answer] = unmet.value
        return found

    def uncalled(self, file: int) -> tuple[str, ...]:
        """The functions that assign an attribute for which a file's branches ask, and that nothing calls."""
        numbers = self.numbers[file]
        keys = {item.function for _, item in self._required(file)} & numbers.keys()
        return tuple(sorted(key for key in keys if not self.calls.may_call(numbers[key])))

    def _required(self, file: int) -> Iterator[tuple[int, RequiredValue]]:
        """What is required of settings, each with the function that requires it."""
        net, skeleton = self.net, self.net.skeletons[file]
        for block, shape in enumerate(skeleton.shapes, net.first_block[file]):
            for clause in shape.requires:
                for item in clause:
                    yield net.function_of[block], item
        for function, shape_of in enumerate(skeleton.functions, net.first_function[file]):
            for clause in (*shape_of.yes, *shape_of.no):
                for item in clause:
                    yield function, item

    def _of(self, file: int, function: int, item: RequiredValue) -> Iterator[Asked]:
        name = parameter_of_caller(item.value)
        if name is None:
            return
        if item.function in self.numbers[file]:
            yield self.numbers[file][item.function], name, True
        elif not item.function and function != NOWHERE:
            yield function, name, False
            yield function, name, True

    def _handing_on(self, file: int, asked: Asked) -> Iterator[Asked]:
        """The parameters of functions of a file that their calls hand on to one that is asked for."""
        net, (function, name, any_call) = self.net, asked
        if net.file_of_function[function] != file:
            return
        shape = net.functions[function]
        for edge in net.callers.get(function, ()):
            given = net.calls[edge.call].passed.value(name, shape.parameters, shape.defaults)
            caller, handed_on = net.function_of[net.call_block[edge.call]], parameter_of_caller(given)
            if handed_on and caller != NOWHERE and net.file_of_function[caller] == file:
                yield caller, handed_on, any_call

    def _leaves(self, file: int, call: int) -> bool:
        """Whether a call runs functions of other files."""
        return any(self.net.file_of_function[edge.function] != file for edge in self.net.callees.get(call, ()))
