"""The findings of a run that have to do with what changed since a revision of git."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.cli.console import UsageError
from trainlint.finding import Compared, RelatedPlace
from trainlint.history.changes import Changes, LinePlace, NewSubmodule
from trainlint.history.git import GitFailed
from trainlint.project import repository_around

if TYPE_CHECKING:
    from trainlint.cli.new_code.judged import JudgedFiles
    from trainlint.finding import Finding, Report

_Lines = dict[str, "frozenset[LinePlace] | None"]


class Revision:
    """What changed since the merge base with a revision, in each repository that files of a run lie in."""

    def __init__(self, name: str, paths: Iterable[Path]) -> None:
        """Ask git. Raises UsageError where it does not know, as where a file is in no repository."""
        self.name = name
        self._roots: dict[Path, str] = {}
        self._changes: dict[str, Changes | NewSubmodule] = {}
        for directory in dict.fromkeys(path.parent for path in paths):
            root = repository_around(str(directory))
            if root is None:
                raise UsageError(
                    f"--diff-base {name} needs git, and {directory} is in no git repository; leave it out, or "
                    "use a baseline (`trainlint baseline`)"
                )
            self._roots[directory] = root
        try:
            for root in sorted(set(self._roots.values())):  # a submodule after the repository around it
                self._changes[root] = self._changes_in(root)
        except GitFailed as error:
            raise UsageError(str(error)) from error

    def _changes_in(self, root: str) -> Changes | NewSubmodule:
        around = repository_around(os.path.dirname(root))
        outer = self._changes.get(around) if around else None
        found = outer.of_submodule(root) if isinstance(outer, Changes) else outer
        return found or Changes(root, self.name)

    def of_the_change(self, report: Report, files: JudgedFiles) -> Report:
        """The report with those findings alone that stand on changed lines, or that a changed line brought about."""
        lines = self._lines(report.findings, files)
        kept = []
        for finding in report.findings:
            touched = [place for place in _places(finding) if _is_changed(files.path(place.path), _at(place), lines)]
            if _stands_on_changed_line(finding, files, lines):
                kept.append(finding)
            elif touched:
                known = [(place.path, _at(place)) for place in touched]
                rest = [place for place in finding.related if (place.path, _at(place)) not in known]
                kept.append(replace(finding, related=(*touched, *rest)))
        compared = report.compared or Compared()
        outside = len(report.findings) - len(kept)
        return replace(report, findings=tuple(kept), compared=replace(compared, base=self.name, outside=outside))

    def _lines(self, findings: Sequence[Finding], files: JudgedFiles) -> _Lines:
        """The changed lines of each file that a finding speaks of."""
        contents = {files.path(shown): data for shown, data in files.contents.items()}
        by_root: defaultdict[str, set[str]] = defaultdict(set)
        for finding in findings:
            for shown in (finding.path, *(place.path for place in _places(finding))):
                path = files.path(shown)
                root = self._roots.get(Path(path).parent) or repository_around(str(Path(path).parent))
                if root is not None and root in self._changes:
                    by_root[root].add(path)
        lines: _Lines = {}
        try:
            for root, paths in by_root.items():
                lines |= self._changes[root].of(sorted(paths), contents)
        except GitFailed as error:
            raise UsageError(str(error)) from error
        return lines


def _stands_on_changed_line(finding: Finding, files: JudgedFiles, lines: _Lines) -> bool:
    path, span = files.path(finding.path), finding.span
    numbers = range(span.start_line, span.end_line + 1)
    return any(_is_changed(path, LinePlace(number, finding.cell), lines) for number in numbers)


def _is_changed(path: str, line: LinePlace, lines: _Lines) -> bool:
    """Whether a line is not as it was. Of a file in another repository nothing is known, so nothing has changed."""
    if path not in lines:
        return False
    changed = lines[path]
    return changed is None or line in changed


def _places(finding: Finding) -> Iterator[RelatedPlace]:
    """The places that a finding's being there depends on: its related places, and the steps of its chain.

    A step begins with "line 88: " or "cell 3:2: ", or in another file with "train.py:88: " or "run.ipynb:cell 3:2: ".
    """
    yield from finding.related
    for step in finding.chain:
        head, _, words = step.partition(": ")
        left, _, line = head.removeprefix("line ").rpartition(":")
        path, _, last = left.rpartition(":")
        cell = last.removeprefix("cell ") if last.startswith("cell ") else ""
        if line.isdecimal():
            file = path if cell.isdecimal() else left
            yield RelatedPlace(file or finding.path, int(line), 1, words, cell=int(cell) if cell.isdecimal() else None)


def _at(place: RelatedPlace) -> LinePlace:
    return LinePlace(place.line, place.cell)
