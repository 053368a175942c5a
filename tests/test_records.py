"""What trainlint.records makes behaves as what the standard library's dataclasses make."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any, ClassVar, Generic, TypeVar

import pytest

from trainlint import records

Make = Callable[[Any], Any]
OPTIONS: list[dict[str, bool]] = [
    {},
    {"frozen": True},
    {"slots": True},
    {"frozen": True, "slots": True},
    {"frozen": True, "slots": True, "order": True},
    {"slots": True, "eq": False},
    {"frozen": True, "eq": False},
]


def point(module: Any, options: dict[str, bool]) -> Any:
    """A class with every sort of field that trainlint has."""

    @module.dataclass(**options)
    class Point:
        """A point."""

        origin: ClassVar[int] = 0
        x: int
        y: int = 2
        label: str = module.field(default="", compare=False, repr=False)
        marks: list[int] = module.field(default_factory=list)
        known: dict[str, int] = module.field(init=False, default_factory=dict)

        @property
        def total(self) -> int:
            """The sum."""
            return self.x + self.y

    return Point


def seen(question: Callable[[], object]) -> object:
    """What a question answers, or how it fails."""
    try:
        return question()
    except (TypeError, AttributeError) as error:
        return type(error)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("made_before", [0, 100], ids=["rarely made", "often made"])
def test_it_behaves_as_the_standard_librarys(options: dict[str, bool], made_before: int) -> None:
    def behaviour(module: Any) -> list[object]:
        cls = point(module, options)
        for number in range(made_before):
            cls(number)
        one, same, other = cls(1), cls(1, label="b"), cls(1, y=3, marks=[4])
        return [
            seen(lambda: repr(one)),
            seen(lambda: cls(x=1, y=2, marks=[]).marks),
            seen(lambda: one.marks is same.marks),
            seen(lambda: one == same),
            seen(lambda: one == other),
            seen(lambda: one != (1, 2)),
            seen(lambda: one < other),
            seen(lambda: one >= other),
            seen(lambda: type(hash(one))),
            seen(lambda: setattr(one, "x", 5)),
            seen(lambda: delattr(one, "y")),
            seen(cls),
            seen(lambda: cls(1, 2, "", [], {})),
            seen(lambda: cls(1, colour="red")),
            seen(lambda: cls(1, x=1)),
            seen(lambda: cls(y=1)),
            seen(lambda: hasattr(one, "__dict__")),
            seen(lambda: cls.origin),
            seen(lambda: cls.__match_args__),
            seen(lambda: (cls.__name__, cls.__qualname__, cls.__doc__, cls.__module__)),
            seen(lambda: module.replace(other, x=9).total),
            seen(lambda: [(field.name, field.compare, field.init) for field in dataclasses.fields(cls)]),
            seen(lambda: dataclasses.is_dataclass(one)),
            seen(lambda: dataclasses.asdict(other)),
        ]

    assert behaviour(records) == behaviour(dataclasses)


def test_what_is_frozen_says_so_as_the_standard_library_does() -> None:
    one = point(records, {"frozen": True, "slots": True})(1)
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'x'"):
        one.x = 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.new = 2


@records.dataclass(frozen=True, slots=True)
class Span:
    start: int
    stop: int = 0


@records.dataclass(slots=True)
class Counted:
    """Counts what it is made with."""

    items: tuple[int, ...]
    count: int = records.field(init=False)

    def __post_init__(self) -> None:
        self.count = len(self.items)


def test_it_can_be_hashed_copied_and_pickled() -> None:
    span = Span(1, 2)
    assert {span: "found"}[Span(1, 2)] == "found"
    assert pickle.loads(pickle.dumps(span)) == copy.copy(span) == copy.deepcopy(span) == span


def test_it_matches_by_position() -> None:
    match Span(1, 2):
        case Span(start, stop):
            assert (start, stop) == (1, 2)


def test_what_comes_after_init_is_called() -> None:
    assert Counted((1, 2)).count == 2


def test_equal_values_of_two_classes_are_not_equal() -> None:
    @records.dataclass(frozen=True, slots=True)
    class Other:
        start: int
        stop: int = 0

    span: object = Span(1, 2)
    assert span != Other(1, 2)


Item = TypeVar("Item")


@records.dataclass(frozen=True, slots=True)
class Box(Generic[Item]):
    content: Item


def test_a_class_may_be_generic() -> None:
    assert Box[int](1) == Box(1)
    assert Box.__parameters__ == (Item,)  # type: ignore[attr-defined]


def test_a_class_with_bases_is_left_to_the_standard_library() -> None:
    @records.dataclass(frozen=True)
    class Named(Exception):
        name: str
        tags: list[str] = records.field(default_factory=list)

    assert Named("a") == Named("a")
    assert Named("a").tags == []


def test_what_is_slow_to_import_is_not_imported() -> None:
    program = (
        "import sys\nfrom trainlint.records import dataclass, field\n\n"
        "@dataclass(frozen=True, slots=True)\nclass A:\n    a: int\n    b: list = field(default_factory=list)\n\n"
        "assert A(1) == A(1)\nprint({'dataclasses', 'inspect'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-S", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
