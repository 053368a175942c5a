"""Resolves the calls that leave their files, and records what they pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias

from trainlint.analysis.callgraph.skeleton import NOWHERE, Handing
from trainlint.analysis.project.call_outcomes import call_methods, results
from trainlint.analysis.project.choices import MOST_ENTRIES
from trainlint.analysis.project.following import MOST_KEPT, Follower
from trainlint.analysis.project.frameworks.configured import given_by_configuration
from trainlint.analysis.project.handing_on import passed_value
from trainlint.analysis.project.summary import OutgoingCall, Summary
from trainlint.analysis.project.things import (
    ALL_GIVEN,
    MOST_FUNCTIONS,
    ChoiceThing,
    ClassThing,
    FunctionThing,
    ObjectThing,
    Thing,
)
from trainlint.analysis.syntax.local_calls import COMMON_METHODS
from trainlint.analysis.tables.frameworks.trainers import is_given_model
from trainlint.analysis.types.access_paths import AccessPath, Start
from trainlint.analysis.types.values import Value

_ROUNDS = 5
"""Objects may be handed on through this many calls before they are called themselves."""
_BY_NAME = 0.75
_SURE = 1.0
_OF_SEVERAL = 0.9
_OF_SEVERAL_WRAPPED = 0.5
"""A decorator's inner function runs what each of its uses decorates: a call of one runs no other."""


class Crossing(NamedTuple):
    """A call that runs a function of another file, or one that its own file alone could not see."""

    file: int
    call: int
    target: int
    function: str
    confidence: float
    how: Handing = Handing.CALLED


_Call: TypeAlias = tuple[int, OutgoingCall]
"""A call and the file in which it stands."""
_Answer: TypeAlias = tuple[int, OutgoingCall, list[FunctionThing]]


@dataclass(slots=True)
class Resolver:
    """Resolves calls round by round: what one round learns of arguments, the next may follow."""

    summaries: Sequence[Summary]
    follower: Follower
    groups: Sequence[int]
    """Only files of one group are linked by the mere name of a method."""
    crossings: dict[tuple[int, int, int, str], Crossing] = field(default_factory=dict)
    _by_name: dict[str, list[tuple[int, str, str]]] = field(default_factory=dict)

    def resolve(self) -> list[Crossing]:
        """All crossings of the project."""
        self._know_configured()
        for file, summary in enumerate(self.summaries):
            for cls, shape in summary.classes.items():
                for name, key in shape.methods.items():
                    self._by_name.setdefault(name, []).append((file, cls, key))
            for call in summary.calls:
                self._pass_inside(file, summary, call)
        calls = [
            (file, call)
            for file, summary in enumerate(self.summaries)
            for call in summary.calls
            if call.targets or call.method or call.runs
        ]
        resolved: set[tuple[int, int]] = set()
        open_calls = calls
        for _ in range(_ROUNDS):
            found, open_calls = self._round(open_calls)
            resolved |= {(file, call.number) for file, call, _ in found}
            if not self._record(found):
                break
            self.follower.forget()
        for file, call in calls:
            if (file, call.number) not in resolved:
                self._by_method_name(file, call)
        self._run_given(calls)
        self._run_wrappers()
        return list(self.crossings.values())

    def _know_configured(self) -> None:
        """What constructors are given that a framework fills from a configuration."""
        for file, key, source, given in given_by_configuration(self.follower):
            for name, value in given.items():
                self._know(file, key, name, source, value)

    def _run_given(self, calls: Sequence[_Call]) -> None:
        """Link calls with the functions that they are given to run: they pass values of their own to these."""
        for file, call in calls:
            if call.how is Handing.HOOK and not self._trains_what_it_is_given(file, call):
                continue
            things = self.follower.follow(file, call.runs) if call.runs else ()
            for function in dict.fromkeys(each for thing in things for each in self._run_by(thing)):
                self._add(file, call.number, function, _SURE, call.how)

    def _trains_what_it_is_given(self, file: int, call: OutgoingCall) -> bool:
        """Whether a call builds a framework's trainer, or an object of a class that derives from one."""
        names = [path.dotted for path in call.targets if path.start is Start.NAME]
        for thing in self.follower.follow(file, call.targets):
            if isinstance(thing, ClassThing):
                names += self.follower.classes.base_names(thing.file, thing.name)
        return any(is_given_model(name) for name in names)

    def _run_wrappers(self) -> None:
        """Link calls of decorated functions with the functions that their decorators put around them."""
        wrappers: dict[tuple[int, str], list[FunctionThing]] = {}
        for file, summary in enumerate(self.summaries):
            for key, function in summary.functions.items():
                if function.decorators:
                    found = self._wrappers(file, function.decorators)
                    if found:
                        wrappers[file, key] = found
        if not wrappers:
            return
        for crossing in list(self.crossings.values()):
            for wrapper in wrappers.get((crossing.target, crossing.function), ()):
                self._add(crossing.file, crossing.call, wrapper, crossing.confidence, crossing.how)
        for file, summary in enumerate(self.summaries):
            for call in summary.calls:
                for link in summary.skeleton.calls[call.number].links:
                    key = summary.skeleton.functions[link.function].key
                    if link.how is Handing.CALLED:
                        for wrapper in wrappers.get((file, key), ()):
                            self._add(file, call.number, wrapper, link.confidence, Handing.RUN)

    def _wrappers(self, file: int, decorators: tuple[AccessPath, ...]) -> list[FunctionThing]:
        """The functions of the project that decorators return in place of what they are given."""
        found: dict[FunctionThing, None] = {}
        for thing in self.follower.follow(file, decorators):
            for made in results(self.follower, thing):
                if isinstance(made, FunctionThing | ObjectThing):
                    found |= dict.fromkeys(self._run_by(made))
        return list(found)

    def _add(self, file: int, call: int, function: FunctionThing, confidence: float, how: Handing) -> None:
        """Link a call with a function that it runs besides what it calls."""
        key = (file, call, function.file, function.key)
        if key not in self.crossings:
            self.crossings[key] = Crossing(*key, confidence, Handing.RUN if how is Handing.CALLED else how)

    def _round(self, calls: Sequence[_Call]) -> tuple[list[_Answer], list[_Call]]:
        """What calls run by what is known so far, and those that may run more once more arguments are known."""
        found: list[_Answer] = []
        open_calls: list[_Call] = []
        for file, call in calls:
            self.follower.asked_arguments = False
            functions = self._functions(file, call)
            if functions is not None:
                found.append((file, call, functions))
            if self.follower.asked_arguments:
                open_calls.append((file, call))
        return found, open_calls

    def _record(self, found: Sequence[_Answer]) -> bool:
        """Keep the answers of a round, once all of them are known; whether any of them passes new arguments."""
        before = len(self.crossings)
        for file, call, functions in found:
            sure = _SURE if len(functions) == 1 else self._sure_of_one(file, call)
            for function in functions:
                self._cross(file, call, function, sure)
        return len(self.crossings) > before

    def _sure_of_one(self, file: int, call: OutgoingCall) -> float:
        """How sure it is that a call runs a certain one of several functions that are known of it.

        A function that returns an inner one is a decorator. One that only calls it is a part of a program, and each
        program gives it a function of its own.
        """
        if not all(path.start is Start.PARAMETER and not path.path for path in call.targets):
            return _OF_SEVERAL
        skeleton = self.summaries[file].skeleton
        bodies = {item.body: item.key for item in skeleton.functions}
        block = skeleton.calls[call.number].block
        while block not in bodies and block != NOWHERE:
            block = skeleton.shapes[block].parent
        functions, inner = self.summaries[file].functions, bodies.get(block)
        made = [functions[path.of].returned.access_paths for path in call.targets]
        is_wrapped = bool(made) and all(any(path.of == inner for path in found) for found in made)
        return _OF_SEVERAL_WRAPPED if is_wrapped else _OF_SEVERAL

    def _pass_inside(self, file: int, summary: Summary, call: OutgoingCall) -> None:
        """What a call passes to functions of its own file."""
        for link in summary.skeleton.calls[call.number].links:
            if link.how is Handing.CALLED:
                key = summary.skeleton.functions[link.function].key
                self._pass(file, call, FunctionThing(file, key, summary.functions[key].bound))

    def _functions(self, file: int, call: OutgoingCall) -> list[FunctionThing] | None:
        """What a call runs: None where that is not known, nothing where it may be too many functions."""
        found = self._functions_of(file, call, call.targets)
        return self._functions_of(file, call, call.otherwise) if found is None and call.otherwise else found

    def _functions_of(
        self, file: int, call: OutgoingCall, targets: tuple[AccessPath, ...]
    ) -> list[FunctionThing] | None:
        things = self.follower.follow(file, targets)
        if not things:
            return None
        functions: dict[FunctionThing, None] = {}
        for thing in things:
            functions |= dict.fromkeys(self._run_by(thing))
        if self.summaries[file].skeleton.calls[call.number].entered:
            functions |= dict.fromkeys(each for thing in things for each in self._entered(thing))
        most = MOST_ENTRIES if any(isinstance(thing, ChoiceThing) for thing in things) else MOST_FUNCTIONS
        return (list(functions) if len(functions) <= most else []) if functions else None

    def _run_by(self, thing: Thing) -> Sequence[FunctionThing]:
        if isinstance(thing, FunctionThing):
            return (thing,)
        if isinstance(thing, ObjectThing):
            return call_methods(self.follower, thing)
        if isinstance(thing, ChoiceThing):
            return self._chosen(thing)
        method = (
            self.follower.classes.method(thing.file, thing.name, "__init__") if isinstance(thing, ClassThing) else None
        )
        return (FunctionThing(*method, bound=True),) if method is not None else ()

    def _chosen(self, choice: ChoiceThing) -> list[FunctionThing]:
        """What a call of one of several things may run. A table's own method fills the parameters by itself."""
        choices = self.follower.choices
        found = [each for thing in choices.run_by(choice) for each in self._run_by(thing)]
        return [replace(each, given=ALL_GIVEN) for each in found] if choices.builds(choice) else found

    def _entered(self, thing: Thing) -> Iterator[FunctionThing]:
        """What a `with` runs besides, when it enters an object of a class that is called there."""
        if isinstance(thing, ClassThing):
            for name in ("__enter__", "__exit__"):
                method = self.follower.classes.method(thing.file, thing.name, name)
                if method is not None:
                    yield FunctionThing(*method, bound=True)

    def _by_method_name(self, file: int, call: OutgoingCall) -> None:
        """The last resort for a method of an object that nothing is known of: the only class family that has it."""
        if not call.method or call.method in COMMON_METHODS or call.method.startswith("__"):
            return
        owners = [access_path.before() for access_path in call.targets if access_path.path]
        if any(
            isinstance(thing, ClassThing | ObjectThing | ChoiceThing) for thing in self.follower.follow(file, owners)
        ):
            return  # the class is known, and has no such method in the project
        group = self.groups[file]
        found = [item for item in self._by_name.get(call.method, ()) if self.groups[item[0]] == group]
        if not found or len(found) > MOST_FUNCTIONS:
            return
        families = {self.follower.classes.ancestry(where, cls)[-1] for where, cls, _ in found}
        if len(families) == 1:
            for where, _, key in found:
                bound = self.summaries[where].functions[key].bound
                self._cross(file, call, FunctionThing(where, key, bound), _BY_NAME)

    def _cross(self, file: int, call: OutgoingCall, function: FunctionThing, confidence: float) -> None:
        skeleton = self.summaries[file].skeleton
        if function.file == file:
            inside = (link for link in skeleton.calls[call.number].links if link.how is Handing.CALLED)
            if any(skeleton.functions[link.function].key == function.key for link in inside):
                return
        key = (file, call.number, function.file, function.key)
        if key not in self.crossings:
            self._pass(file, call, function)
        self.crossings[key] = Crossing(*key, confidence, Handing.RUN if function.given else Handing.CALLED)

    def _pass(self, file: int, call: OutgoingCall, function: FunctionThing) -> None:
        if self.summaries[file].skeleton.is_test_file and not self.summaries[function.file].skeleton.is_test_file:
            return
        parameters = self.summaries[function.file].functions[function.key].parameters
        names = parameters[function.bound + function.given :]
        given = [*zip(names, call.arguments, strict=False), *call.keywords]
        for name, value in given:
            self._know(function.file, function.key, name, file, value)

    def _know(self, file: int, function: str, parameter: str, source: int, value: Value) -> None:
        """Record that a function is given a value for a parameter, in the file `source`."""
        known = self.follower.arguments.setdefault((file, function, parameter), [])
        if len(known) <= MOST_KEPT:
            known.append(passed_value(source, value))
