"""Which findings a baseline knows, and which of its entries nothing stands behind any more.

This is arithmetic on data: files are neither read nor looked for here.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trainlint.baseline.identity import Identity
from trainlint.retired import successors

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """A finding: in a baseline, or of this run. Equal findings of a file are equal entries, and are counted."""

    path: str
    """Absolute while entries are compared; in a file, relative to the directory of that file."""
    identity: Identity
    id: str = field(default="", compare=False)
    """As reports show it; empty in an entry that was written without."""


@dataclass(frozen=True, slots=True)
class Matched:
    """The findings of a run beside the entries of a baseline."""

    entry_of: tuple[Entry | None, ...]
    """For each finding, in their order, the entry that knows it; None where it is new."""
    left: tuple[Entry, ...]
    """The entries that know no finding of this run, sorted."""


def match(found: Sequence[Entry], entries: Sequence[Entry], may_have_moved: Callable[[str], bool]) -> Matched:
    """Pair findings with entries, each at most once. A later pass gets only what the earlier ones have left.

    1. The same file, function and statement.
    2. The same file and statement in another function: a function was renamed, or a block was moved.
    3. Another file that had no such entry, with the same function and statement: a file was renamed, or a function was
       moved. `may_have_moved` says of the path of an entry whether its finding is gone from there: the file was judged,
       or exists no longer.
    4. The same file and line, for entries that were written without a statement.
    5. The same file and statement, for entries of a retired rule and findings of those that tell now what it told.

    Among equal findings the first ones are paired, so that as many are new as there are more of them than entries.
    """
    pairing = _Pairing(found, entries)
    pairing.by(lambda entry: entry)
    pairing.by(lambda entry: (entry.path, entry.identity.code, entry.identity.statement))
    known = frozenset(entries)
    pairing.by(
        lambda entry: entry.identity,
        finding_counts=lambda finding: finding not in known,
        entry_counts=lambda entry: may_have_moved(entry.path),
    )
    pairing.by(
        lambda entry: (entry.path, entry.identity.code, entry.identity.line),
        entry_counts=lambda entry: not entry.identity.statement,
    )
    for code in sorted({entry.identity.code for entry in entries}):
        if told_by := successors(code):
            _by_successors(pairing, code, told_by)
    return pairing.result()


def _by_successors(pairing: _Pairing, code: str, told_by: tuple[str, ...]) -> None:
    pairing.by(
        lambda entry: (entry.path, entry.identity.statement),
        finding_counts=lambda finding: finding.identity.code in told_by,
        entry_counts=lambda entry: entry.identity.code == code and bool(entry.identity.statement),
    )


class _Pairing:
    """What has been paired so far."""

    def __init__(self, found: Sequence[Entry], entries: Sequence[Entry]) -> None:
        self._found = found
        self._entries = sorted(entries)
        self._entry_of: list[Entry | None] = [None] * len(found)
        self._used = [False] * len(entries)

    def by(
        self,
        key: Callable[[Entry], Hashable],
        finding_counts: Callable[[Entry], bool] = lambda finding: True,
        entry_counts: Callable[[Entry], bool] = lambda entry: True,
    ) -> None:
        """Pair what is left and has the same key."""
        waiting: defaultdict[Hashable, list[int]] = defaultdict(list)
        for number in reversed(range(len(self._entries))):
            if not self._used[number] and entry_counts(self._entries[number]):
                waiting[key(self._entries[number])].append(number)
        for position, finding in enumerate(self._found):
            if self._entry_of[position] is None and finding_counts(finding) and (numbers := waiting.get(key(finding))):
                number = numbers.pop()
                self._used[number] = True
                self._entry_of[position] = self._entries[number]

    def result(self) -> Matched:
        """The pairs, and what is left."""
        left = (entry for entry, used in zip(self._entries, self._used, strict=True) if not used)
        return Matched(tuple(self._entry_of), tuple(left))
