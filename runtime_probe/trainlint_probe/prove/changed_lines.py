"""Which lines differ between two versions of the files that a run has imported, and whether they ran."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path

from trainlint_probe.prove.versions import Version

Executed = Mapping[str, tuple[int, ...]]
"""The lines that ran, by the paths below the root."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """Neighbouring lines that differ: the numbers of the statements that begin there, in both versions."""

    before: frozenset[int]
    after: frozenset[int]
    at_import: bool
    """Whether some of them run when the file is imported: that is not watched."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """How one file differs."""

    moved: Mapping[int, int]
    """The number of each line that is still there → its number after the change. A line that was rewritten in place
    counts as there."""
    hunks: tuple[Hunk, ...]
    """Where statements differ; not where only comments or blank lines do."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How two versions of the imported files differ."""

    files: Mapping[str, FileChange] = field(default_factory=dict)
    """Those that differ, by their paths below the root."""
    by_before: bool = False
    """Whether the user's files are those before the change, as where fixes are applied in memory alone."""

    def number(self, path: str, line: int, *, before: bool) -> int | None:
        """The number, in the user's file, of a line that has this one before or after the change; None where the
        user's file has no such line.
        """
        if path not in self.files or before == self.by_before:
            return line
        moved = self.files[path].moved
        return moved.get(line) if before else {new: old for old, new in moved.items()}.get(line)

    @property
    def hunks(self) -> int:
        """In how many places the code differs."""
        return sum(len(change.hunks) for change in self.files.values())

    def not_run(self, before: Executed, after: Executed) -> tuple[str, ...]:
        """The places that neither run came by, by their first lines: "train.py:12"."""
        return tuple(
            f"{path}:{min(self._first(hunk))}"
            for path, change in sorted(self.files.items())
            for hunk in change.hunks
            if not hunk.at_import
            and not hunk.before & set(before.get(path, ()))
            and not hunk.after & set(after.get(path, ()))
        )

    def _first(self, hunk: Hunk) -> frozenset[int]:
        """The lines of a hunk in the user's file, or where it has none there, in the other."""
        return (hunk.before or hunk.after) if self.by_before else (hunk.after or hunk.before)


def difference(before: Version, after: Version, paths: Iterable[str]) -> Difference:
    """Compare files, named by their paths below the roots."""
    files = {}
    for path in sorted(set(paths)):
        old, new = before.text(Path(path)) or b"", after.text(Path(path)) or b""
        if old != new:
            files[path] = _compared(old, new)
    return Difference(files, by_before=bool(after.edits))


def _compared(old: bytes, new: bytes) -> FileChange:
    lines = [text.decode("utf-8", errors="replace").splitlines() for text in (old, new)]
    inner, outer = zip(_statements(old), _statements(new), strict=True)
    moved: dict[int, int] = {}
    hunks = []
    for kind, start, end, other, last in SequenceMatcher(a=lines[0], b=lines[1], autojunk=False).get_opcodes():
        if kind == "equal" or end - start == last - other:
            moved |= {start + step + 1: other + step + 1 for step in range(end - start)}
        if kind != "equal":
            places = set(range(start + 1, end + 1)), set(range(other + 1, last + 1))
            hunk = Hunk(
                frozenset(inner[0] & places[0]),
                frozenset(inner[1] & places[1]),
                at_import=bool(outer[0] & places[0] or outer[1] & places[1]),
            )
            if hunk.before or hunk.after or hunk.at_import:
                hunks.append(hunk)
    return FileChange(moved, tuple(hunks))


_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.If, ast.For, ast.While)


def _statements(text: bytes) -> tuple[set[int], set[int]]:
    """The lines of statements in functions, branches and loops, and those of others, which an import runs."""
    inner: set[int] = set()
    outer: set[int] = set()

    def look(body: Iterable[ast.stmt], *, is_inner: bool) -> None:
        for node in body:
            documents = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            if not documents:  # each line of an expression, as it may be the one that differs
                parts = {part.lineno for part in ast.walk(node) if isinstance(part, ast.expr)}
                (inner if is_inner else outer).update({node.lineno} if hasattr(node, "body") else parts | {node.lineno})
            for name in ("body", "orelse", "finalbody"):
                look(getattr(node, name, ()), is_inner=is_inner or isinstance(node, _INNER))
            for handler in getattr(node, "handlers", ()):
                look(handler.body, is_inner=is_inner)

    try:
        look(ast.parse(text).body, is_inner=False)
    except (SyntaxError, ValueError):
        outer.update(range(1, text.count(b"\n") + 2))  # nothing is known of it
    return inner, outer
