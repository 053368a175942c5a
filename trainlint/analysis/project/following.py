"""Follows access paths through the summaries of a project."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from trainlint.analysis.callgraph.modules import Modules
from trainlint.analysis.callgraph.skeleton import Handing
from trainlint.analysis.project.attributes import attribute_of, items_of_object
from trainlint.analysis.project.call_outcomes import called, results
from trainlint.analysis.project.carrying import is_tensor_attribute, item, moved_on_the_way
from trainlint.analysis.project.choices import Choices
from trainlint.analysis.project.handing_on import Parameter, PassedValue, Reaching, spread
from trainlint.analysis.project.hierarchy import Hierarchy
from trainlint.analysis.project.summary import OutgoingCall, Summary
from trainlint.analysis.project.things import (
    CALL,
    MOST_THINGS,
    NO_FILE,
    ChoiceThing,
    ClassThing,
    FunctionThing,
    LoaderThing,
    ModuleThing,
    ObjectThing,
    Thing,
    ValueThing,
    few_of,
    first_things,
    too_many,
)
from trainlint.analysis.tables.frameworks.trainers import MAKE_OBJECTS
from trainlint.analysis.types.access_paths import ANY, BY_NAME, PARTIAL, SOME, AccessPath, Start
from trainlint.analysis.types.values import Kind, Value

_DEEPEST = 14
_LONGEST = 200
"""How many access paths one question may follow in all: callers that call each other have no end of them."""
_MOST_PARAMETERS = 40
"""Of parameters that are handed on from function to function, as many are looked at where the answer is cut short."""
_TOO_FAR = frozenset({"too far"})
"""Stands for what was not followed, for one of these reasons, among the access paths that cut an answer short."""
MOST_CALLERS = 24
"""What a parameter holds is not asked of functions with more callers than this: such helpers are given anything."""
MOST_KEPT = 100
"""As many callers are kept for questions that have an answer for each of them, such as which loaders are iterated."""


def _no_bases(file: int, name: str) -> tuple[list[ClassThing], bool]:
    return [], True


def _no_step(thing: Thing, part: str | int) -> tuple[Thing, ...]:
    return ()


def _no_things(file: int, access_paths: Sequence[AccessPath]) -> tuple[Thing, ...]:
    return ()


class _Partial(NamedTuple):
    """An answer that was cut short: it holds where it would be cut short by the same access paths again."""

    things: tuple[Thing, ...]
    cut: frozenset[object]
    """Access paths under way that it ran into."""
    depth: int
    """How many access paths were under way."""
    asked_arguments: bool


@dataclass(slots=True)
class Follower:
    """Answers for one project. `arguments` grows while calls are resolved; `forget` lets answers follow."""

    summaries: Sequence[Summary]
    modules: Modules
    configured: Sequence[str] = ()
    """The dotted names by which configurations ask for objects of classes."""
    arguments: dict[tuple[int, str, str], list[PassedValue]] = field(default_factory=dict)
    """File, function and parameter → what calls pass."""
    asked_arguments: bool = False
    """Set where an answer depends on arguments: whoever wants to know clears it before the question."""
    _numbers: dict[tuple[int, AccessPath], int] = field(default_factory=dict)
    """Access paths of files are numbered: to hash one takes longer than all else that is looked up for it."""
    _things: dict[int, tuple[Thing, ...]] = field(default_factory=dict)
    _open: set[int] = field(default_factory=set)
    """Access paths whose answers depend on arguments."""
    _busy: dict[object, None] = field(default_factory=dict)
    _cut: set[object] = field(default_factory=set)
    """Access paths under way that the current answer ran into."""
    _partial: dict[int, _Partial] = field(default_factory=dict)
    """Answers of the question under way that were cut short."""
    _reaching: dict[Parameter, Reaching] = field(default_factory=dict)
    _steps: int = 0
    _calls: dict[tuple[int, str], OutgoingCall] = field(default_factory=dict)
    classes: Hierarchy = field(init=False)
    choices: Choices = field(init=False)

    def __post_init__(self) -> None:
        """Index the calls by their keys, and the classes by their bases, which no argument changes."""
        for file, summary in enumerate(self.summaries):
            for call in summary.calls:
                self._calls[file, summary.skeleton.calls[call.number].key] = call
        self.classes = Hierarchy(self.summaries, self._bases_of)
        self.choices = Choices(
            self.summaries, self.modules, self.classes, self._calls, self._step, self.follow, self.configured
        )
        self.choices.index()
        self.classes.index()

    def release(self) -> None:
        """Break the reference cycle with the hierarchy, so that this memory is free at once.

        The garbage collector hardly ever runs while files are judged: over 30,000 files 600 MB were kept by this cycle.
        """
        self.classes = Hierarchy((), _no_bases)
        self.choices = Choices((), self.modules, self.classes, {}, _no_step, _no_things)

    def forget(self) -> None:
        """Answer anew what depends on arguments that have become known."""
        for key in self._open:
            self._things.pop(key, None)
        self._open.clear()
        self._reaching.clear()
        self.choices.forget()

    def follow(self, file: int, access_paths: Sequence[AccessPath]) -> tuple[Thing, ...]:
        """What access paths of a file lead to; nothing where that is too much to tell anything."""
        if not access_paths:
            return ()
        if len(access_paths) == 1:
            things = self._follow(file, access_paths[0])
            return () if len(things) > MOST_THINGS and too_many(things) else things
        found: dict[Thing, None] = {}
        for access_path in access_paths:
            things = self._follow(file, access_path)
            if things:
                found |= dict.fromkeys(things)
        return () if too_many(found) else tuple(found)

    def _follow(self, file: int, access_path: AccessPath) -> tuple[Thing, ...]:
        """Follow one access path, once, and not at all where it runs in a circle or too far.

        What a circle cut short depends on where the circle was entered, so it is not kept for others.
        """
        if access_path.file >= 0:
            file, access_path = access_path.file, access_path.of_file(-1)
        key = self._numbers.setdefault((file, access_path), len(self._numbers))
        known = self._things.get(key)
        if known is None and not access_path.path:
            known = self._at_once(file, access_path)
            if known is not None:
                self._things[key] = known
        if known is not None:
            self.asked_arguments |= key in self._open
            return known
        if not self._busy:
            self._steps = 0
            self._partial.clear()
        elif key in self._busy:
            self._cut.add(key)
            return ()
        partial = self._partial.get(key)
        if partial is not None and len(self._busy) >= partial.depth and partial.cut <= self._busy.keys() | _TOO_FAR:
            self._cut |= partial.cut
            self.asked_arguments |= partial.asked_arguments
            return partial.things
        self._steps += 1
        if len(self._busy) >= _DEEPEST or self._steps > _LONGEST:
            self._cut |= _TOO_FAR
            return ()
        return self._follow_anew(key, file, access_path)

    def _follow_anew(self, key: int, file: int, access_path: AccessPath) -> tuple[Thing, ...]:
        """Follow an access path that is not under way, and keep the answer unless a circle cut it short."""
        outer, self._cut = self._cut, set()
        asked, self.asked_arguments = self.asked_arguments, access_path.start is Start.PARAMETER
        self._busy[key] = None
        try:
            if access_path.path:
                start = self.follow(file, (access_path.before(),))
                things = dict.fromkeys(each for thing in start for each in self._part(thing, access_path.path[-1]))
            else:
                things = dict.fromkeys(self._start(file, access_path))
        finally:
            del self._busy[key]
            self._cut.discard(key)
            cut = frozenset(self._cut)
            self._cut |= outer
            depends = self.asked_arguments
            self.asked_arguments |= asked
        found = tuple(few_of(things))
        if cut:
            self._partial[key] = _Partial(found, cut, len(self._busy), depends)
        else:
            self._things[key] = found
            if depends:
                self._open.add(key)
        return found

    def _at_once(self, file: int, access_path: AccessPath) -> tuple[Thing, ...] | None:
        """What half of all access paths lead to: a class or function of the file, or nothing in the project."""
        start, of = access_path.start, access_path.of
        if start is Start.NAME:
            if self.modules.resolve(file, of) is not None:
                return None
            table = self.choices.of_library(of)
            return (table,) if table is not None else ()
        if start is Start.LOCAL:
            if of in self.summaries[file].classes:
                return (ClassThing(file, of),)
            return (FunctionThing(file, of),) if of in self.summaries[file].functions else None
        return (ObjectThing(file, of, own=True),) if start is Start.INSTANCE else None

    def _start(self, file: int, access_path: AccessPath) -> Iterator[Thing]:
        match access_path.start:
            case Start.PARAMETER:
                yield from self._parameter(file, access_path)
            case Start.CALL:
                yield from self._result(file, access_path.of)
            case Start.NAME:
                yield from self.named(file, access_path.of)
            case Start.LOCAL:
                table = self.choices.table(file, access_path.of)
                if table is not None:
                    yield table
                yield from self._in_stars(file, access_path.of)
            case Start.MODULES:
                yield from self.choices.modules_like(file, access_path.of)
            case Start.SUPER:
                for base in self.classes.bases(file, access_path.of):
                    yield ObjectThing(base.file, base.name)

    def _result(self, file: int, key: str) -> Iterator[Thing]:
        """What a call gives."""
        call = self._calls.get((file, key))
        if call is None:
            return
        if call.how is Handing.WORKER:
            yield LoaderThing(file, key)
        things = self.follow(file, call.targets)
        for thing in things:
            yield from called(self, thing, file, call)
        for path in call.targets if not things else ():
            yield from self._made_by_class(file, path)

    def _made_by_class(self, file: int, path: AccessPath) -> Iterator[ObjectThing]:
        """The object that a class method of a library makes, as `Net.from_pretrained(name)` does."""
        owner, method = path.before(), path.path[-1] if path.path else ""
        if path.start is Start.NAME and not path.path:
            of, _, method = path.of.rpartition(".")
            owner = AccessPath(Start.NAME, of)
        if method not in MAKE_OBJECTS:
            return
        if owner.start is Start.SUPER and not owner.path:
            yield ObjectThing(file, owner.of)
        for thing in self.follow(file, (owner,)):
            if isinstance(thing, ClassThing):
                yield ObjectThing(thing.file, thing.name)

    def named(self, file: int, origin: str) -> Iterator[Thing]:
        """What the dotted origin of an import leads to."""
        found = self.modules.resolve(file, origin)
        if found is None:
            return
        things: tuple[Thing, ...] = (ModuleThing(found[0]),)
        for part in found[1]:
            things = tuple(each for thing in things for each in self._part(thing, part))
        yield from things

    def _parameter(self, file: int, access_path: AccessPath) -> Iterator[Thing]:
        """What callers give, also where these only hand on what they were given: all such parameters at once."""
        asked = (file, access_path)
        if asked not in self._reaching:
            outer, self._cut = self._cut, set()
            found = self._reaching_around(asked)
            if not self._cut:
                self._reaching |= found
            self._cut |= outer
            reaching = found[asked]
        else:
            reaching = self._reaching[asked]
        yield from reaching.things
        if not any(isinstance(thing, ObjectThing) for thing in reaching.things):
            yield from reaching.declared

    def _reaching_around(self, asked: Parameter) -> dict[Parameter, Reaching]:
        """What reaches a parameter and all those that are handed on to it.

        Where what is handed on leads back into the question, the answer cannot be kept, so fewer are looked at.
        """
        found: dict[Parameter, Reaching] = {asked: Reaching()}
        sources: list[tuple[Reaching, list[Reaching]]] = []
        waiting = deque(found.items())
        while waiting:
            parameter, reaching = waiting.popleft()
            known = self._reaching.get(parameter)
            if known is not None:
                reaching.things, reaching.declared = known.things, known.declared
                continue
            file, access_path = parameter
            given: list[Reaching] = []
            things: dict[Thing, None] = {}
            passed = self.arguments.get((file, access_path.of, access_path.name), ())
            for each in passed if len(passed) <= MOST_CALLERS else ():
                for thing in self.value(each.file, each.rest):
                    things[thing] = None
                for key in each.handed_on:
                    source = found.get(key)
                    if source is None and (not self._cut or len(found) < _MOST_PARAMETERS):
                        source = found[key] = Reaching()
                        waiting.append((key, source))
                    if source is not None:
                        given.append(source)
            sources.append((reaching, given))
            declared = self.summaries[file].functions[access_path.of].declared.get(access_path.name, ())
            reaching.things = few_of(things)
            reaching.declared = tuple(self._declared(file, declared))
        spread(found.values(), sources)
        return found

    def or_declared(self, things: Iterable[Thing], file: int, classes: tuple[AccessPath, ...]) -> Iterator[Thing]:
        """Things, and where no object is among them, objects of the classes that an annotation names.

        Such an object may as well be of a class that derives from the one that is named.
        """
        known = list(things)
        yield from known
        if not any(isinstance(thing, ObjectThing) for thing in known):
            yield from self._declared(file, classes)

    def _declared(self, file: int, classes: tuple[AccessPath, ...]) -> Iterator[ObjectThing]:
        """Objects of the classes that an annotation names."""
        for thing in self.follow(file, classes):
            if isinstance(thing, ClassThing):
                yield ObjectThing(thing.file, thing.name, own=True)

    def value(self, file: int, value: Value) -> Iterator[Thing]:
        """A value and what its access paths lead to.

        A value that holds no others is one thing wherever it arises, so that what many functions say of it counts once.
        """
        things = self.follow(file, value.access_paths) if value.access_paths else ()
        if things:
            yield from self._possibly_moved(things, value)
        if value.kind is not Kind.UNKNOWN:
            holds = value.element is not None or value.items
            yield ValueThing(file, value) if holds else ValueThing(NO_FILE, value.with_access_paths())

    @staticmethod
    def _possibly_moved(things: tuple[Thing, ...], value: Value) -> Iterator[Thing]:
        """Things as a value holds them that may have moved them to the device."""
        for thing in things:
            if isinstance(thing, ValueThing):
                yield ValueThing(thing.file, moved_on_the_way(thing.value, value))
            else:
                yield thing

    def _part(self, thing: Thing, part: str | int) -> Iterator[Thing]:
        """An attribute or element of a thing."""
        if isinstance(thing, ChoiceThing):
            yield thing.then(part)
        elif isinstance(part, int):
            yield from self._item(thing, part)
        elif isinstance(thing, ModuleThing) and part == BY_NAME:
            yield ChoiceThing(thing.file, BY_NAME)
        elif isinstance(thing, ModuleThing) and SOME in part:
            yield ChoiceThing(thing.file, part, owner=thing)
        elif isinstance(thing, ModuleThing):
            yield from self._in_module(thing.file, part)
        elif isinstance(thing, ClassThing | ObjectThing):
            yield from attribute_of(self, thing, part)
        elif isinstance(thing, ValueThing):
            if is_tensor_attribute(thing.value, part):
                yield thing
        elif isinstance(thing, FunctionThing) and part.startswith(PARTIAL):
            yield replace(thing, given=thing.given + int(part.removeprefix(PARTIAL)))

    def _item(self, thing: Thing, place: int) -> Iterator[Thing]:
        """An element of a thing."""
        if isinstance(thing, ValueThing):
            yield from self.value(thing.file, item(thing.value, place))
        elif isinstance(thing, ObjectThing) and place == ANY:
            yield from items_of_object(self, thing)

    def _in_module(self, file: int, name: str) -> Iterator[Thing]:
        key = ("module", file, name)
        if key in self._busy:
            self._cut.add(key)
            return
        self._busy[key] = None
        try:
            summary = self.summaries[file]
            table = self.choices.table(file, name)
            if table is not None:
                yield table
            access_paths = summary.names.get(name)
            if access_paths is not None:
                yield from self.follow(file, access_paths)
                return
            if name in summary.tables:
                yield ValueThing(file, summary.tables[name])
                return
            below = self.modules.inside(file, name)
            if below is not None and not below[1]:
                yield ModuleThing(below[0])
                return
            yield from self._in_stars(file, name)
        finally:
            del self._busy[key]
            self._cut.discard(key)

    def _in_stars(self, file: int, name: str) -> Iterator[Thing]:
        """A name that a file took from another with all others."""
        for star in self.summaries[file].stars:
            source = self.modules.resolve(file, star)
            if source is not None and not source[1]:
                yield from self._in_module(source[0], name)

    def _step(self, thing: Thing, part: str | int) -> tuple[Thing, ...]:
        """One step of a choice: what a call of a thing returns, or one of its parts."""
        return results(self, thing) if part == CALL else first_things(self._part(thing, part))

    def _bases_of(self, file: int, name: str) -> tuple[list[ClassThing], bool]:
        """The direct bases of a class that stand in the project, and whether another question would find the same."""
        outer, self._cut = self._cut, set()
        found = [
            thing
            for thing in self.follow(file, self.summaries[file].classes[name].bases)
            if isinstance(thing, ClassThing)
        ]
        whole = not self._cut
        self._cut |= outer
        return found, whole
