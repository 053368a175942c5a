"""What the rest of a project says of one file. Tree-free, and keyed by names that survive small edits of the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.analysis.programs.loop_facts import LocatedFact
    from trainlint.analysis.programs.steps import LoopKind
    from trainlint.analysis.types.item_facts import ItemFacts
    from trainlint.analysis.types.unpinnable import Unpinnable
    from trainlint.analysis.types.values import Value


@dataclass(frozen=True, slots=True)
class FileStatus:
    """What a file is to its project, by where it lies and what all of its files say."""

    left_aside: bool = False
    """Whether no file imports it and nobody starts it, though programs lie beside or above it."""
    one_process: bool = False
    """Whether it belongs to programs that never start a process group."""
    run_by_nobody: bool = False
    """Whether nobody runs it, as its path and its imports say."""
    copied: bool = False
    """Whether it belongs to a copy of a library of others, beside the program that uses it."""
    nothing_pinned: bool = False
    """Whether no file of the project names pinned memory, so that no loader in sight pins any."""
    autocast_set: bool = False
    """Whether a file of the project may set the type of all autocasts of a program."""
    copies_without_waiting: bool = False
    """Whether a file of the project may copy to a device while the host goes on."""


@dataclass(frozen=True, slots=True)
class ImportedFacts:
    """Facts about a file's functions, calls and classes that come from other files. Without any, a file is alone."""

    gradients_off: Mapping[str, bool] = field(default_factory=dict)
    """Function that other files call → whether all of these calls have autograd off."""
    ignored_at: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Calls in other files with an ignore comment, as "path:line" → the words of the comment, none for all rules."""
    leaving: tuple[int, ...] = ()
    """Lines of the file with an ignore comment and a call that runs code of other files, where it may silence."""
    training: Mapping[str, LoopKind] = field(default_factory=dict)
    """Call that leaves the file → what it trains: a step, or a whole loop of them."""
    arguments: Mapping[tuple[str, str], Value] = field(default_factory=dict)
    """Function and parameter → what callers pass, those of this file included."""
    returned: Mapping[str, Value] = field(default_factory=dict)
    """Call that leaves the file → what it returns."""
    attributes: Mapping[tuple[str, str], Value] = field(default_factory=dict)
    """Class and attribute → what base classes in other files assign to it."""
    bases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Class → base classes known only through other files."""
    around: Mapping[tuple[str, bool], tuple[LocatedFact, ...]] = field(default_factory=dict)
    """Function that holds a training loop ("" for the top of the module), and whether what its callers call besides
    counts → what the project uses around that loop."""
    unpinnable: Mapping[str, tuple[Unpinnable, ...]] = field(default_factory=dict)
    """Call that builds a loader → what functions of other files put into its batches that cannot be pinned."""
    names_device: bool = False
    """Whether files that this one works together with name a device, so that tensors here may lie there, too."""
    never_updates: bool | None = None
    """Whether the file belongs to programs, none of which updates parameters; None where the file is alone."""
    reaches_torch: bool = False
    """Whether a file that this one imports, at any distance, speaks of PyTorch."""
    serves_torch: bool = False
    """Whether a file that imports this one speaks of PyTorch, or imports one that does. Tests do not count."""
    standing: FileStatus = FileStatus()
    """What the file is to its project."""
    unreferenced: tuple[str, ...] | None = None
    """Functions that nothing in the project refers to; None where nobody has looked."""
    unused: tuple[str, ...] = ()
    """Functions that nothing refers to, where the only programs are scripts whose tops train."""
    old_scaler_tested: bool = False
    """Whether a file that this one works together with tests if an object is of the class torch.cuda.amp.GradScaler."""
    taken_names: frozenset[str] = frozenset()
    """Names that it imports from libraries, and that other files may import from it."""
    starred_anew: frozenset[str] | None = None
    """Those that one of its star imports may bind to something else; None where nobody has looked."""
    default_device_set: bool = False
    """Whether a file that this one works together with makes tensors on a device by default, or enters one."""
    assigned_names: frozenset[tuple[str, str]] = frozenset()
    """Modules and classes of libraries with the names that files which this one works together with assign in them."""
    items: Mapping[str, tuple[ItemFacts | None, ItemFacts | None]] = field(default_factory=dict)
    """Call that builds a loader → what the code of its dataset and of its collate function shows, where that stands in
    the project; None where it does not."""
    edited: bool = False
    """Whether the file has changed since all this was found out, as after a fix: then its own facts are looked up anew
    wherever that is possible."""


ALONE = ImportedFacts()
