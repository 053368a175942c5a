"""What the rest of a project says of one file. Tree-free, and keyed by names that survive small edits of the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.analysis.tables.fact_kinds import Use


@dataclass(frozen=True, slots=True)
class FileStatus:
    """What a file is to its project, by where it lies and what all of its files say."""

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

    ignored_at: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Calls in other files with an ignore comment, as "path:line" → the words of the comment, none for all rules."""
    uses: frozenset[Use] | None = None
    """What this file uses, those that import it and what all these import; None where the file is alone."""
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
    old_scaler_tested: bool = False
    """Whether a file that this one works together with tests if an object is of the class torch.cuda.amp.GradScaler."""
    taken_names: frozenset[str] = frozenset()
    """Names at its top that other files may take from it."""
    default_device_set: bool = False
    """Whether a file that this one works together with makes tensors on a device by default, or enters one."""
    edited: bool = False
    """Whether the file has changed since all this was found out, as after a fix: then its own facts are looked up anew
    wherever that is possible."""


ALONE = ImportedFacts()
