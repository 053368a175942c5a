"""Which functions do the training programs of a project reach? Others, such as a decoder's search, train nothing.

A function is reached if it takes a training step, or if calls lead to it from a function that does, from what calls
that, or from code that builds its trainer. Of a class that is built on the way, `forward` and what else runs without a
call by name is reached as well, and each method whose name stands in code that is reached, or in another file with such
code, as calls of objects that are not known lead nowhere. So the answer errs on the side of what is reached.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from trainlint.analysis.callgraph.call_graph import CallGraph
from trainlint.analysis.callgraph.skeleton import NOWHERE
from trainlint.analysis.frequency.code_units import TRANSPARENT
from trainlint.analysis.frequency.heat_flow import FrequencyFixpoint
from trainlint.analysis.frequency.units_apart import function_around
from trainlint.analysis.programs.steps import Steps
from trainlint.analysis.project.hierarchy import Hierarchy
from trainlint.analysis.project.summary import Summary
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.analysis.tables.frameworks.roles import is_of_framework
from trainlint.analysis.types.access_paths import AccessPath
from trainlint.finding import Heat
from trainlint.patterns import lazy

_WORD = lazy(r"[^\W\d]\w*")
_Class = tuple[int, str]
"""File and name."""
_RUN_UNNAMED = frozenset({"forward", "backward", "extra_repr", "reset_parameters"})
"""Methods that torch calls; so are those between double underscores called by Python."""


class TrainedCode:
    """Answers for the files of a network. The top level of a module is numbered behind all functions, by its file."""

    def __init__(
        self,
        summaries: Sequence[Summary],
        net: CallGraph,
        steps: Steps,
        flow: FrequencyFixpoint,
        classes: Hierarchy,
        registered: Sequence[_Class],
    ) -> None:
        self.summaries = summaries
        self.net = net
        self.steps = steps
        self.flow = flow
        self.classes = classes
        self.registered = registered
        """Classes that a registry builds by their names."""

    def unreached(self, file: int) -> tuple[str, ...]:
        """The functions of a file that no training program reaches."""
        first = self.net.first_function[file]
        functions = self.summaries[file].skeleton.functions
        return tuple([item.key for number, item in enumerate(functions, first) if number not in self._reached])

    @cached_property
    def _reached(self) -> set[int]:
        """All that is reached, by its numbers."""
        found = set(self._roots())
        built = {cls for cls in self._classes if self._needs_no_call(cls)} | set(self.registered)
        mentioned, read, news = set[str](), set[int](), set(found)
        while news:
            waiting = list(news)
            while waiting:
                number = waiting.pop()
                built |= self._built_by(number)
                mentioned |= self._own_methods_named.get(number, set())
                if (file := self._file(number)) not in read:
                    read.add(file)
                    mentioned |= self._methods_of_others_named_in(file)
                for other in self._below.get(number, ()):
                    if other not in found:
                        found.add(other)
                        waiting.append(other)
            news = {each for cls in built for each in self._methods(cls, mentioned)} - found
            found |= news
        return found

    def _roots(self) -> Iterator[int]:
        """What trains by itself: steps, loops, frameworks' trainers, what runs in a step, and who builds a trainer."""
        net, builders = self.net, self._builders
        for number in range(len(net.functions)):
            if self._is_test(net.file_of_function[number]):
                continue
            heat = self.flow.function(number).heat
            if self.steps.summary(number) is not None or heat.in_step or heat is Heat.EPOCH or number in builders:
                yield number
        for call in self.steps.step_calls():
            yield self._caller(call)
        for file, summary in enumerate(self.summaries):
            keys = {item.qualified_name: place for place, item in enumerate(summary.skeleton.functions)}
            for name, facts in summary.facts.items() if not self._is_test(file) else ():
                if any(fact.kind is FactKind.FRAMEWORK for fact in facts):
                    yield net.first_function[file] + keys[name] if name in keys else self._top(file)

    @cached_property
    def _builders(self) -> set[int]:
        """What builds an object of a class with a method that trains, or calls one: it belongs to the program."""
        trains = {
            (self.net.file_of_function[number], shape.owner)
            for number, shape in enumerate(self.net.functions)
            if shape.owner is not None and self.steps.summary(number) is not None
        }
        found: set[int] = set()
        for call, edges in self.net.callees.items():
            for edge in edges:
                shape, file = self.net.functions[edge.function], self.net.file_of_function[edge.function]
                starts = shape.name == "__init__" and (file, shape.owner) in trains
                if (starts or self.steps.summary(edge.function) is not None) and not self._is_test(
                    self.net.file_of_call(call)
                ):
                    found.add(self._caller(call))
        return found

    @cached_property
    def _below(self) -> Mapping[int, list[int]]:
        """Function → functions that it calls, hands over or holds."""
        found: dict[int, list[int]] = {}
        for call, edges in self.net.callees.items():
            found.setdefault(self._caller(call), []).extend(edge.function for edge in edges)
        for number, shape in enumerate(self.net.functions):
            outside = self.net.function_of[self.net.outside_block(number)]
            if outside != NOWHERE:
                found.setdefault(outside, []).append(number)
            elif shape.owner is None and self._is_registered(number):
                found.setdefault(self._top(self.net.file_of_function[number]), []).append(number)
        return found

    def _is_registered(self, number: int) -> bool:
        """Whether a decorator may keep a function for somebody to call."""
        names = (text.partition("(")[0].rpartition(".")[2] for text in self.net.functions[number].decorators)
        return any(name not in TRANSPARENT for name in names)

    def _methods_of_others_named_in(self, file: int) -> frozenset[str]:
        """The names of methods of other files that stand in a file."""
        code = self.summaries[file].code
        own = {name for _, name in self._methods_in.get(file, ())}
        return (self._all_method_names - own) & {*code.quoted, *(name for unit in code.units for name in unit.uses)}

    @cached_property
    def _own_methods_named(self) -> Mapping[int, set[str]]:
        """Function → the names of methods of its file that stand in it."""
        found: dict[int, set[str]] = {}
        for file, summary in enumerate(self.summaries):
            first = self.net.first_function[file]
            keys = {item.key: first + place for place, item in enumerate(summary.skeleton.functions)}
            own = {name for _, name in self._methods_in.get(file, ())}
            for unit in summary.code.units if own else ():
                home = keys.get(function_around(unit.key), self._top(file))
                found.setdefault(home, set()).update(own.intersection(unit.uses))
            found.setdefault(self._top(file), set()).update(own.intersection(summary.code.quoted))
        return found

    @cached_property
    def _methods_in(self) -> Mapping[int, list[tuple[int, str]]]:
        """File → the methods of its classes, with their names."""
        found: dict[int, list[tuple[int, str]]] = {}
        for (file, _), methods in self._classes.items():
            found.setdefault(file, []).extend((number, self.net.functions[number].name) for number in methods)
        return found

    @cached_property
    def _all_method_names(self) -> frozenset[str]:
        return frozenset(name for methods in self._methods_in.values() for _, name in methods)

    @cached_property
    def _classes(self) -> Mapping[_Class, list[int]]:
        """Class → its methods."""
        found: dict[_Class, list[int]] = {}
        for number, shape in enumerate(self.net.functions):
            if shape.owner is not None:
                found.setdefault((self.net.file_of_function[number], shape.owner), []).append(number)
        return found

    def _needs_no_call(self, cls: _Class) -> bool:
        """Whether no call shows that a class is built: it has no constructor, or a decorator keeps it."""
        summary = self.summaries[cls[0]].classes.get(cls[1])
        if summary is None or self.classes.method(*cls, "__init__") is None:
            return True
        return any(_last_word(item) not in TRANSPARENT for item in summary.decorators)

    def _built_by(self, number: int) -> set[_Class]:
        """The class whose constructor this is, and those that inherit it or its methods."""
        if number >= len(self.net.functions):
            return set()
        shape, file = self.net.functions[number], self.net.file_of_function[number]
        if shape.owner is None:
            return set()
        bases = {(each.file, each.name) for each in self.classes.ancestry(file, shape.owner)}
        if shape.name == "__init__":
            key = (file, shape.key)
            bases |= {each for each in self.classes.derived(file, shape.owner) if self._constructor(each) == key}
        return bases | {(file, shape.owner)}

    def _constructor(self, cls: _Class) -> tuple[int, str] | None:
        return self.classes.method(*cls, "__init__")

    def _methods(self, cls: _Class, mentioned: set[str]) -> Iterator[int]:
        """The methods of a class that is built that run without a call, or whose names stand in a file that trains."""
        by_framework = is_of_framework(self.classes.base_names(*cls))
        for number in self._classes.get(cls, ()):
            shape = self.net.functions[number]
            unnamed = shape.name in _RUN_UNNAMED or (shape.name.startswith("__") and shape.name.endswith("__"))
            if by_framework or unnamed or shape.name in mentioned or self._is_registered(number):
                yield number

    def _caller(self, call: int) -> int:
        function = self.net.function_of[self.net.call_block[call]]
        return function if function != NOWHERE else self._top(self.net.file_of_call(call))

    def _file(self, number: int) -> int:
        functions = len(self.net.functions)
        return number - functions if number >= functions else self.net.file_of_function[number]

    def _top(self, file: int) -> int:
        return len(self.net.functions) + file

    def _is_test(self, file: int) -> bool:
        return self.summaries[file].skeleton.is_test_file


def _last_word(path: AccessPath) -> str:
    """The last name of what a decorator is, or of what it calls."""
    words = [*_WORD.findall(path.of), *(part for part in path.path if isinstance(part, str))]
    return words[-1] if words else ""
