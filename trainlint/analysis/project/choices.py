"""Registries and names that only the run decides: which classes, functions or modules one of them may mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from trainlint.analysis.callgraph.modules import Modules
from trainlint.analysis.project.hierarchy import Hierarchy
from trainlint.analysis.project.summary import OutgoingCall, Summary
from trainlint.analysis.project.things import (
    CALL,
    NO_FILE,
    ChoiceThing,
    ClassThing,
    FunctionThing,
    ModuleThing,
    ObjectThing,
    Thing,
)
from trainlint.analysis.tables.frameworks.trainers import BUILD_CONFIGURED
from trainlint.analysis.types.access_paths import BY_NAME, SOME, AccessPath, Start, fits
from trainlint.patterns import lazy

MOST_ENTRIES = 48
"""Of a table with more entries, nothing is followed beyond these."""
_LONGEST = 8
_FURTHEST = 6
"""Files through which an imported name is followed to the variable that it means."""
_REGISTERS = lazy(
    r"(?<!de)(?<!un)regist(?!er_(\w+_)?(autograd|buffer|dataclass|fake|kernel|parameter|pytree|serializable|vmap))",
    re.IGNORECASE,
)
"""Names of decorators and methods that put what they are given into a table. Others tell PyTorch, or what saves and
loads, of an operator, a type or a part of a module."""
_LOOKS_UP = lazy(r"^_?(get|lookup|look_up|find|resolve|pop|setdefault)($|_)")
"""Methods of a table that return an entry."""
_BUILDS = lazy(r"^_?(build|create|make|instantiate|construct|new|from_)", re.IGNORECASE)
"""Methods of a table that call an entry and return its result."""

_Table = tuple[int, str]
"""A table by its file and variable; by NO_FILE and its dotted origin for a library's."""
_Entry = Thing | tuple[int, AccessPath]
"""What a table holds, or where in a file that comes from."""
_Variable = tuple[int, str, tuple[str | int, ...]]


@dataclass(slots=True)
class Choices:
    """The tables of one project, and what its modules define."""

    summaries: Sequence[Summary]
    modules: Modules
    classes: Hierarchy
    calls: dict[tuple[int, str], OutgoingCall]
    step: Callable[[Thing, str | int], tuple[Thing, ...]]
    """What a call of a thing (CALL), or one of its attributes or elements, may be."""
    follow: Callable[[int, Sequence[AccessPath]], tuple[Thing, ...]]
    configured: Sequence[str] = ()
    """The dotted names by which configurations ask for objects of classes."""
    registered: dict[_Table, list[Thing]] = field(default_factory=dict)
    """Table → the classes and functions that decorators and calls put into it."""
    read: set[_Table] = field(default_factory=set)
    """Tables of which some call takes an entry."""
    _tables: dict[_Table, list[_Entry]] = field(default_factory=dict)
    _known: dict[ChoiceThing, tuple[Thing, ...]] = field(default_factory=dict)
    _busy: set[ChoiceThing] = field(default_factory=set)

    def index(self) -> None:
        """Find all tables with their entries."""
        for library in BUILD_CONFIGURED if self.configured else ():
            self._tables[NO_FILE, library] = [(0, AccessPath(Start.NAME, name)) for name in self.configured]
        for file, summary in enumerate(self.summaries):
            for name, paths in summary.entries.items():
                self._tables.setdefault((file, name), []).extend((file, each) for each in paths)
            for name, cls in summary.classes.items():
                self._register(file, cls.decorators, ClassThing(file, name))
            for name, function in summary.functions.items():
                if function.decorators and "." not in name:
                    self._register(file, function.decorators, FunctionThing(file, name))
            for call in summary.calls:
                self._registering_call(file, call)

    def _registering_call(self, file: int, call: OutgoingCall) -> None:
        """`TABLE.register(Class)` and `register("name", Class)`, as statements."""
        given = [each for value in (*call.arguments, *dict(call.keywords).values()) for each in value.access_paths]
        for path in given:
            variable = self._variable(file, path) if path.start in (Start.LOCAL, Start.NAME) else None
            if variable is not None and not variable[2]:
                where, name, _ = variable
                if where != NO_FILE and name in self.summaries[where].classes:
                    self._register(file, call.targets, ClassThing(where, name))

    def _register(self, file: int, decorators: Sequence[AccessPath], thing: Thing) -> None:
        for path in decorators:
            for table in self._filled_by(file, path, 0):
                self._tables.setdefault(table, []).append(thing)
                self.registered.setdefault(table, []).append(thing)

    def _filled_by(self, file: int, path: AccessPath, depth: int) -> Iterator[_Table]:
        """The tables into which a decorator, or a function, puts what it is given."""
        if path.start is Start.CALL and not path.path:
            call = self.calls.get((file, path.of))
            for target in call.targets if call is not None and depth < _FURTHEST else ():
                yield from self._filled_by(file, target, depth + 1)
            return
        variable = self._variable(file, path)
        if variable is not None:
            yield from self._filled_by_variable(variable)

    def _filled_by_variable(self, variable: _Variable) -> Iterator[_Table]:
        """The tables that a call fills: of a registering method its own, of a function those that it stores into."""
        where, name, rest = variable
        if len(rest) == 1 and _matches(_REGISTERS, rest[0]):
            yield where, name
        elif not rest and where != NO_FILE and name in self.summaries[where].functions:
            filled = self.summaries[where].functions[name].fills
            yield from ((where, each) for each in filled)
            if not filled and _REGISTERS.search(name):
                yield where, name

    def _variable(self, file: int, path: AccessPath) -> _Variable | None:
        """The variable at the top of a file that an access path starts at, behind all imports, and what is left."""
        rest: tuple[str | int, ...] = path.path
        if path.start is Start.LOCAL:
            return self._behind_imports(file, path.of, rest, 0)
        if path.start is not Start.NAME:
            return None
        return self._imported(file, path.of, rest, 0)

    def _imported(self, file: int, origin: str, rest: tuple[str | int, ...], depth: int) -> _Variable | None:
        found = self.modules.resolve(file, origin)
        if found is None:
            owner, _, last = origin.rpartition(".")
            return (NO_FILE, origin, rest) if rest or not _REGISTERS.search(last) else (NO_FILE, owner, (last,))
        where, names = found
        parts = (*names, *rest)
        if not parts or not isinstance(parts[0], str):
            return None
        return self._behind_imports(where, parts[0], parts[1:], depth)

    def _behind_imports(self, file: int, name: str, rest: tuple[str | int, ...], depth: int) -> _Variable | None:
        if depth > _FURTHEST:
            return None
        summary = self.summaries[file]
        paths = summary.names.get(name, ())
        if len(paths) == 1 and paths[0].start is Start.NAME:
            return self._imported(file, paths[0].of, (*paths[0].path, *rest), depth + 1)
        if not paths and name not in summary.tables:
            below = self.modules.inside(file, name)
            if below is not None and rest and isinstance(rest[0], str):
                return self._behind_imports(below[0], rest[0], rest[1:], depth + 1)
            for star in summary.stars:
                source = self.modules.resolve(file, star)
                if source is not None and not source[1] and name in self.summaries[source[0]].names:
                    return self._behind_imports(source[0], name, rest, depth + 1)
        return file, name, rest

    def table(self, file: int, name: str) -> ChoiceThing | None:
        """The table that a variable at the top of a file is."""
        return ChoiceThing(file, name) if (file, name) in self._tables else None

    def of_library(self, origin: str) -> ChoiceThing | None:
        """The table of a library that a dotted origin leads into."""
        name, rest = origin, list[str]()
        while name:
            if (NO_FILE, name) in self._tables:
                return ChoiceThing(NO_FILE, name, tuple(rest))
            name, _, last = name.rpartition(".")
            rest.insert(0, last)
        return None

    def modules_like(self, file: int, pattern: str) -> Iterator[Thing]:
        """The modules whose names fit a pattern, as one choice where they are several."""
        if not pattern:
            yield ModuleThing(file)
            return
        found = self.modules.matching(file, pattern)
        if len(found) == 1:
            yield ModuleThing(found[0])
        elif found:
            yield ChoiceThing(file, pattern)

    def run_by(self, choice: ChoiceThing) -> tuple[Thing, ...]:
        """What a call of a choice calls: the things themselves, or the entries of the table that a method reads."""
        if self._is_table(choice) and len(choice.path) == 1 and _matches(_BUILDS, choice.path[0]):
            return self._entries((choice.file, choice.name))
        return self.entries(choice)

    def builds(self, choice: ChoiceThing) -> bool:
        """Whether a call of a choice is one of a table's method that makes an object by arguments of its own."""
        return self._is_table(choice) and len(choice.path) == 1

    def entries(self, choice: ChoiceThing) -> tuple[Thing, ...]:
        """The classes, functions, objects and modules that a choice may be; nothing for a table itself."""
        if choice not in self._known:
            if choice in self._busy or len(choice.path) > _LONGEST:
                return ()
            self._busy.add(choice)
            try:
                self._known[choice] = self._found(choice)
            finally:
                self._busy.discard(choice)
        return self._known[choice]

    def forget(self) -> None:
        """Answer anew, once more arguments are known."""
        self._known.clear()

    def _found(self, choice: ChoiceThing) -> tuple[Thing, ...]:
        things, rest = self._start(choice)
        for part in rest:
            found: dict[Thing, None] = {}
            for thing in things:
                found |= dict.fromkeys(self._after(thing, part))
            things = tuple(found)[:MOST_ENTRIES]
        found = {}
        for thing in things:  # a choice among functions, each of which may return a choice of its own
            found |= dict.fromkeys(self.entries(thing) if isinstance(thing, ChoiceThing) else (thing,))
        return tuple(found)[:MOST_ENTRIES]

    def _after(self, thing: Thing, part: str | int) -> tuple[Thing, ...]:
        return (thing.then(part),) if isinstance(thing, ChoiceThing) else self.step(thing, part)

    def _start(self, choice: ChoiceThing) -> tuple[tuple[Thing, ...], tuple[str | int, ...]]:
        """The things that a choice is made among, and what is then done with the chosen one."""
        path = choice.path
        if choice.owner is not None:
            return self._attributes(choice.owner, choice.name), path
        if SOME in choice.name:
            found = self.modules.matching(choice.file, choice.name)
            return tuple(ModuleThing(each) for each in found[:MOST_ENTRIES]), path
        steps = _steps_to_entry(path)
        if steps is None:
            return (), ()
        things = self._defined(choice.file) if choice.name == BY_NAME else self._entries((choice.file, choice.name))
        return things, path[steps:]

    def _is_table(self, choice: ChoiceThing) -> bool:
        return choice.owner is None and (choice.file, choice.name) in self._tables

    def _entries(self, table: _Table) -> tuple[Thing, ...]:
        self.read.add(table)
        found: dict[Thing, None] = {}
        for entry in self._tables.get(table, ())[:MOST_ENTRIES]:
            things = self.follow(entry[0], (entry[1],)) if isinstance(entry, tuple) else (entry,)
            found |= dict.fromkeys(things)
        return tuple(found)[:MOST_ENTRIES]

    def _attributes(self, owner: ClassThing | ObjectThing | ModuleThing, pattern: str) -> tuple[Thing, ...]:
        """The attributes whose names fit a pattern."""
        if isinstance(owner, ModuleThing):
            return self._defined(owner.file, pattern)
        found: dict[Thing, None] = {}
        for name in self.classes.names_like(owner, pattern)[:MOST_ENTRIES]:
            found |= dict.fromkeys(self.step(owner, name))
        return tuple(found)[:MOST_ENTRIES]

    def _defined(self, file: int, pattern: str = SOME) -> tuple[Thing, ...]:
        """The classes and functions that are attributes of a module, its own and those that it imports."""
        summary = self.summaries[file]
        found: dict[Thing, None] = {}
        for name, paths in summary.names.items():
            if len(found) > MOST_ENTRIES:
                break
            if name.startswith("_") or not fits(name, pattern):
                continue
            things = self.follow(file, paths)
            found |= dict.fromkeys(each for each in things if isinstance(each, ClassThing | FunctionThing))
        return tuple(found)[:MOST_ENTRIES]


def _steps_to_entry(path: tuple[str | int, ...]) -> int | None:
    """How many steps of a path lead from a table to one of its entries; None where they do not."""
    if path and isinstance(path[0], int):
        return 1
    if len(path) > 1 and isinstance(path[1], int):
        return 2  # an attribute of the registry that holds its entries
    if len(path) > 1 and path[1] == CALL:
        if _matches(_LOOKS_UP, path[0]):
            return 2
        if _matches(_BUILDS, path[0]):
            return 1  # the entry is called as well
    return None


def _matches(pattern: re.Pattern[str], part: str | int) -> bool:
    return isinstance(part, str) and pattern.search(part) is not None
