"""What a run finds out about loaders: what they are given, and what becomes of their batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from trainlint.interpreter.machine.events import Link
from trainlint.interpreter.values.kinds import Items, Loader, Stream, Tensor
from trainlint.interpreter.values.loading import Making
from trainlint.interpreter.values.value import Environment, Value


class Options(NamedTuple):
    """What a call gives a loader; None for what is not known, or is not the same each time."""

    workers: int | None
    pins: bool | None
    keeps_workers: bool | None


class ExecutedLoader(NamedTuple):
    """What becomes of the loaders that one call makes. None for what the run has not seen."""

    options: Options
    begun: Link | None = None
    """A loop that goes through one, or a call of `iter`."""
    again: Link | None = None
    """The same, where a loop repeats it while the loader stays the same."""
    trains: Link | None = None
    """The loop that takes its batches in training steps."""
    copied: bool = False
    """Whether batches are copied to the device, by code in sight or by who takes the loader over."""
    in_step: bool = False
    """Whether a step of another training loop goes through one."""
    changed: bool = False
    """Whether code changes its dataset, which workers that are kept would not see."""
    items_lie_ready: bool = False
    """Whether its dataset's code only takes items out of what it holds."""
    on_device: bool = False
    """Whether its dataset or collate function makes them on the device, or holds them there."""


class Pass(NamedTuple):
    """Something that goes through a loader from its start."""

    making: Making
    link: Link


class Loaders:
    """The loaders of a run, by the calls that make them."""

    def __init__(self) -> None:
        self.uses: dict[int, ExecutedLoader] = {}
        self.makings: dict[int, Making] = {}

    def __iter__(self) -> Iterator[tuple[Making, ExecutedLoader]]:
        """Each call that makes loaders, with what becomes of them."""
        return zip(self.makings.values(), self.uses.values(), strict=True)

    def made(self, making: Making, made: ExecutedLoader) -> None:
        """A loader is made."""
        known, options = self.uses.get(making.identity), made.options
        if known is None:
            self.makings[making.identity] = making
            self.uses[making.identity] = made
        elif known.options != options:
            pairs = zip(known.options, options, strict=True)
            both = Options(*(one if one == other else None for one, other in pairs))  # type: ignore[arg-type]  # alike
            self.uses[making.identity] = known._replace(options=both)

    def passed(self, one: Pass, loops: Iterable[int], *, in_step: bool) -> None:
        """Something in some loops goes through a loader from its start."""
        use = self.uses[one.making.identity]
        again = use.again
        if again is None and not one.making.loops.issuperset(loops):
            again = one.link
        self.uses[one.making.identity] = use._replace(
            begun=use.begun or one.link, again=again, in_step=use.in_step or in_step
        )

    def changed(self, makings: Iterable[Making]) -> None:
        """Code reaches into the dataset."""
        for making in makings:
            self.uses[making.identity] = self.uses[making.identity]._replace(changed=True)

    def trains(self, makings: Iterable[Making], link: Link) -> None:
        """Training steps take batches."""
        for making in makings:
            use = self.uses[making.identity]
            self.uses[making.identity] = use._replace(trains=use.trains or link)

    def taken_over(self, makings: Iterable[Making], link: Link, *, trains: bool) -> None:
        """A framework goes through them in each epoch, perhaps to train, and copies their batches."""
        for making in makings:
            use = self.uses[making.identity]
            trained = use.trains or (link if trains else None)
            begun, again = use.begun or link, use.again or link
            self.uses[making.identity] = use._replace(begun=begun, again=again, trains=trained, copied=True)

    def copied(self, makings: Iterable[Making]) -> None:
        """Batches are copied to the device."""
        for making in makings:
            self.uses[making.identity] = self.uses[making.identity]._replace(copied=True)


def makings_of(value: Value) -> tuple[Making, ...]:
    """The calls that made the loaders whose batches an iterator gives, perhaps numbered or zipped."""
    if not isinstance(value, Stream):
        return ()
    item = value.item
    parts = item.parts if isinstance(item, Items) and not isinstance(value, Loader) else (item,)
    return tuple(making for part in parts if isinstance(part, Tensor) for making in part.makings)


def of_given_loaders(result: Value, given: Environment) -> Value:
    """What a function gives for the loaders that it is given, where it is known only what it gave for others."""
    makings = tuple(making for value in given.values() for making in makings_of(value))
    return _of(result, makings) if makings else result


def _of(value: Value, makings: tuple[Making, ...]) -> Value:
    match value:
        case Tensor() if value.makings:
            return value.of_loaders(makings)
        case Stream():
            return type(value)(_of(value.item, makings), value.maybe_none)
        case Items():
            return Items(tuple(_of(part, makings) for part in value.parts), value.fixed, value.maybe_none)
    return value
