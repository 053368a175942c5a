"""What a file says of itself to the others: tree-free, and true for as long as the file is unchanged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from trainlint.analysis.callgraph.skeleton import Handing, Skeleton
from trainlint.analysis.frequency.code_units import CodeUnits
from trainlint.analysis.frequency.lookups import Lookups
from trainlint.analysis.programs.loop_facts import FactsByFunction
from trainlint.analysis.types.access_paths import AccessPath
from trainlint.analysis.types.item_facts import ItemFacts
from trainlint.analysis.types.unpinnable import Unpinnable
from trainlint.analysis.types.values import Value


@dataclass(frozen=True, slots=True)
class FunctionSummary:
    """What callers need to know of a function."""

    parameters: tuple[str, ...]
    bound: bool
    """Its first parameter is the object that it is called on."""
    returned: Value
    of_class: bool = False
    """That object is the class itself."""
    declared: Mapping[str, tuple[AccessPath, ...]] = field(default_factory=dict)
    """Parameter, or "return" → the classes that its annotation names."""
    told_by_callers: tuple[str, ...] = ()
    """Its parameters of which callers tell something that no annotation says."""
    decorators: tuple[AccessPath, ...] = ()
    """What it is decorated with."""
    fills: tuple[str, ...] = ()
    """Containers at the top of its file into which it, or a function inside it, puts what it is given."""
    arguments: Mapping[str, Value] = field(default_factory=dict)
    """For methods from whose result a framework fills their class's constructor: what that is given, by parameters."""
    items: ItemFacts | None = None
    """What it shows of the items or batches that it makes; None where it makes none, or its class hides some of it."""


@dataclass(frozen=True, slots=True)
class ClassSummary:
    """A class at the top of a file."""

    bases: tuple[AccessPath, ...]
    methods: Mapping[str, str]
    """Method → the key of its function."""
    attributes: Mapping[str, Value]
    """What its methods assign to `self.<name>`, and its body to `<name>`."""
    put: Mapping[str, Value] = field(default_factory=dict)
    """What it registers under names that the program puts together, by their patterns."""
    declared: Mapping[str, tuple[AccessPath, ...]] = field(default_factory=dict)
    """Attribute → the classes that its annotation in the body names."""
    decorators: tuple[AccessPath, ...] = ()
    """What it is decorated with."""


class OutgoingCall(NamedTuple):
    """A call with what it is given, and what it may run in other files."""

    number: int
    """Its number in the skeleton."""
    targets: tuple[AccessPath, ...]
    """What is called, as far as other files may know it."""
    method: str
    """The method's name, where nothing is known of the object that it is called on; else ""."""
    arguments: tuple[Value, ...]
    keywords: tuple[tuple[str, Value], ...]
    otherwise: tuple[AccessPath, ...] = ()
    """What may be called where `targets` lead to nothing."""
    runs: tuple[AccessPath, ...] = ()
    """What it is given and runs: a function for each item, what a loader's workers call."""
    how: Handing = Handing.CALLED
    """In which way it runs that."""


@dataclass(frozen=True, slots=True)
class Summary:
    """All of it."""

    skeleton: Skeleton
    names: Mapping[str, tuple[AccessPath, ...]]
    """What the file binds at its top: imports, functions, classes, and variables that point to such."""
    tables: Mapping[str, Value]
    """Containers that it binds at its top and that hold functions or classes."""
    entries: Mapping[str, tuple[AccessPath, ...]]
    """What its top puts into such containers."""
    stars: tuple[str, ...]
    """Modules whose every name it imports."""
    functions: Mapping[str, FunctionSummary]
    classes: Mapping[str, ClassSummary]
    calls: tuple[OutgoingCall, ...]
    facts: FactsByFunction
    """What it uses, by function."""
    unpinnable: Mapping[str, tuple[Unpinnable, ...]]
    """Function → what it makes that cannot be pinned."""
    lookups: Lookups
    """What it looks up by names."""
    code: CodeUnits
    """Its functions and classes with the names that each uses."""
    ignored: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """Line of a call whose statement has an ignore comment → the words of the comment, none for all rules."""
    tests_old_scaler: bool = False
    """Whether it tests if an object is of the old scaler's class."""
    takes: frozenset[str] = frozenset()
    """The dotted names that it takes from other files, or from libraries that are not known."""
    sets_default_device: bool = False
    """Whether it may make tensors on a device by default, or enters one by `with`."""
    assigned_names: frozenset[tuple[str, str]] = frozenset()
    """Modules and classes of libraries with the names that it assigns in them."""
    loaders: Mapping[str, tuple[tuple[AccessPath, ...], tuple[AccessPath, ...]]] = field(default_factory=dict)
    """Call that builds a loader → where its dataset and its collate function come from."""
