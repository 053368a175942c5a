"""What a project chooses itself among what its code offers: by its options, by what its calls pass, by names.

A branch, or an entry of a table, is closed where what it needs is not so by default, by what shipped files set, or by
what calls pass. A class of a registry is left out where configurations name others of that registry, and nothing names
it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property

from trainlint.analysis.callgraph.call_graph import CallGraph
from trainlint.analysis.callgraph.skeleton import NOWHERE, Handing
from trainlint.analysis.conditions.arguments import parameter_of_caller
from trainlint.analysis.conditions.settings.required_values import ANSWER, RequiredValue
from trainlint.analysis.frequency.code_units import Unit, class_key
from trainlint.analysis.frequency.heat_flow import FrequencyFixpoint
from trainlint.analysis.frequency.running_code import UnitPlace
from trainlint.analysis.programs.steps import Steps
from trainlint.analysis.project.references import Chosen
from trainlint.analysis.project.settings.calls_by_name import CallsByName
from trainlint.analysis.project.settings.shipped_values import NAMES
from trainlint.analysis.project.summary import Summary
from trainlint.analysis.project.things import ClassThing, Thing
from trainlint.analysis.tables.optimizers import is_optimizer_class

_PLAIN = (Handing.CALLED, Handing.RUN)
_MADE = "__init__"


class OwnChoices:
    """Answers for the groups of files of one network."""

    def __init__(
        self,
        summaries: Sequence[Summary],
        groups: Sequence[int],
        flow: FrequencyFixpoint,
        steps: Steps,
        calls: CallsByName,
        registered: Collection[Sequence[Thing]],
        shipped: Mapping[str, frozenset[str]],
    ) -> None:
        """`registered` are the entries of each registry, `shipped` what configurations and launch scripts set."""
        self.summaries = summaries
        self.groups = groups
        self.flow = flow
        self.steps = steps
        self.calls = calls
        self.registered = registered
        self.named = shipped.get(NAMES, frozenset())
        self._known: dict[int, bool] = {}
        """Function → whether all of its calls are known."""

    @property
    def net(self) -> CallGraph:
        """The calls of all files."""
        return self.flow.net

    def of(self, group: int) -> Chosen:
        """What the project chooses in a group of files."""
        files = [file for file, number in enumerate(self.groups) if number == group]
        closed = frozenset((file, key) for file in files for key in self._closed(file))
        by_name = frozenset((file, key) for file, key in self._left_out if self.groups[file] == group)
        return Chosen(closed, by_name, self.named)

    def _closed(self, file: int) -> Iterator[str]:
        """The branches of a file that nothing shipped takes. What leads to training is a program of its own."""
        first = self.net.first_block[file]
        for number, key in self.summaries[file].code.branches:
            block = first + number
            if block not in self._leading and any(
                self._may_be_judged(block, clause) and self.flow.requirements.unmet_by_any(block, clause)
                for clause in self.net.shapes[block].ever
            ):
                yield key
        for entry in self.net.skeletons[file].entries:
            uses = self._units[file][entry.key].uses
            is_plain = self._training_names.isdisjoint(uses) and not self._is_used_elsewhere(file, entry.table)
            if is_plain and any(
                self._may_be_judged(first, clause) and self.flow.requirements.unmet_by_any(first, clause)
                for clause in entry.ever
            ):
                yield entry.key

    def _is_used_elsewhere(self, file: int, table: str) -> bool:
        """Whether another file may take entries of a table at the top of a file."""
        return bool(table) and len(self._files_with.get(table, ())) > 1

    @cached_property
    def _files_with(self) -> dict[str, set[int]]:
        """Variable that holds a table → the files whose code has a name like it."""
        found: dict[str, set[int]] = {entry.table: set() for net in self.net.skeletons for entry in net.entries}
        for file, summary in enumerate(self.summaries) if found else ():
            for unit in summary.code.units:
                for name in unit.uses:
                    if name in found:
                        found[name].add(file)
        return found

    @cached_property
    def _units(self) -> list[dict[str, Unit]]:
        """For each file, its units by their keys."""
        return [{unit.key: unit for unit in summary.code.units} for summary in self.summaries]

    @cached_property
    def _training_names(self) -> frozenset[str]:
        """The names of functions that train, and of classes with such a method."""
        functions = (item.name for number, item in enumerate(self.net.functions) if self.steps.summary(number))
        return frozenset([*functions, *(owner for _, owner in self._trainers if owner is not None)])

    def _may_be_judged(self, block: int, clause: Sequence[RequiredValue]) -> bool:
        """Whether all is in sight that could meet a clause.

        Of helpers that answer questions, only answers that they give in most steps are known.
        """
        file, function = self.net.file_of_block(block), self.net.function_of[block]
        for item in clause:
            if item.operator == ANSWER:
                return False
            if parameter_of_caller(item.value) is not None:
                owner = self._numbers.get((file, item.function), NOWHERE) if item.function else function
                if owner == NOWHERE or not self._knows_calls(owner):
                    return False
        return True

    def _knows_calls(self, function: int) -> bool:
        """Whether all calls of what has a function's name are known to run functions of the project, and pass plainly.

        Python and PyTorch call special methods and `forward` themselves.
        """
        if function not in self._known:
            self._known[function] = self._work_out_calls(function)
        return self._known[function]

    def _work_out_calls(self, function: int) -> bool:
        shape = self.net.functions[function]
        if shape.name == "forward" or (shape.name.startswith("__") and shape.name != _MADE):
            return False
        if any(edge.how not in _PLAIN for edge in self.net.callers.get(function, ())):
            return False
        if self.flow.own_heat(function) is not None:  # a framework calls it
            return False
        name = shape.owner if shape.name == _MADE else shape.name
        return name is not None and all(call in self.net.callees for call in self.calls.named(name))

    @cached_property
    def _numbers(self) -> dict[tuple[int, str], int]:
        """File and key of a function → its number."""
        return {(self.net.file_of_function[number], item.key): number for number, item in enumerate(self.net.functions)}

    @cached_property
    def _leading(self) -> set[int]:
        """The blocks around calls that take a training step, hold a training loop, or build what does."""
        net = self.net
        found: set[int] = set()
        for number, call in enumerate(net.calls):
            if call.proves_step or any(self._trains(edge.function) for edge in net.callees.get(number, ())):
                found.update(net.outwards(net.call_block[number]))
        return found

    def _trains(self, function: int) -> bool:
        shape, file = self.net.functions[function], self.net.file_of_function[function]
        if self.steps.summary(function) is not None:
            return True
        return shape.name == _MADE and (file, shape.owner) in self._trainers

    @cached_property
    def _trainers(self) -> set[tuple[int, str | None]]:
        """The classes with a method that trains, or that a framework calls in each step. Optimizers only take part."""
        return {
            (self.net.file_of_function[number], shape.owner)
            for number, shape in enumerate(self.net.functions)
            if shape.owner is not None
            and (self.steps.summary(number) is not None or self._runs_in_step(number))
            and not self._is_optimizer(self.net.file_of_function[number], shape.owner)
        }

    def _is_optimizer(self, file: int, owner: str) -> bool:
        bases = self.net.skeletons[file].bases.get(owner, ())
        return any(is_optimizer_class(base.rpartition(".")[2]) for base in bases)

    def _runs_in_step(self, function: int) -> bool:
        """Whether a framework calls a function in each step."""
        own = self.flow.own_heat(function)
        return own is not None and own.heat.in_step

    @cached_property
    def _left_out(self) -> set[UnitPlace]:
        """The classes of registries that nothing names, where configurations name others of that registry."""
        found: set[UnitPlace] = set()
        for entries in self.registered:
            units = [(thing, unit) for thing in entries if (unit := self._unit(thing)) is not None]
            if any(not self.named.isdisjoint(unit.registered_as) for _, unit in units):
                found |= {
                    (thing.file, unit.key)
                    for thing, unit in units
                    if isinstance(thing, ClassThing)
                    and self.named.isdisjoint(unit.registered_as)
                    and (thing.file, thing.name) not in self._trainers
                }
        return found

    def _unit(self, thing: Thing) -> Unit | None:
        """The class that a registry holds, where its decorators do nothing but register it."""
        if not isinstance(thing, ClassThing):
            return None
        cls = self.summaries[thing.file].classes.get(thing.name)
        if cls is None or len(cls.decorators) != 1:
            return None
        unit = self._units[thing.file].get(class_key(thing.name))
        return unit if unit is not None and unit.registered_as else None
