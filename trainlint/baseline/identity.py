"""How a finding is known again in another state of the code: the one recipe for baselines, SARIF and GitLab.

A finding keeps its identity where lines come or go around it, where it is indented otherwise, and where its file is
renamed. It gets another one where its own line changes.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainlint.training_settings.files import is_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from trainlint.finding import Finding
    from trainlint.source import SourceFile

_LONGEST_LINE = 160
"""Characters of a line that are kept as they are. Of a longer one the rest is kept as a hash."""


@dataclass(frozen=True, slots=True, order=True)
class Identity:
    """What a finding is known by, besides its file."""

    code: str
    function: str
    """The qualified name of the function or class around it, as in `Trainer.step`; empty at the top of a file."""
    line: str
    """The text of its first line, with one blank for each run of blanks, and without indentation."""


class Identities:
    """The identities of the findings of one report. Each file is parsed once."""

    def __init__(self, sources: Callable[[str], SourceFile | None]) -> None:
        self._sources = sources
        self._functions: dict[tuple[str, int | None], _Functions] = {}
        self._seen: Counter[tuple[str, Identity]] = Counter()

    def of(self, finding: Finding) -> Identity:
        """The identity of a finding. Where its file is no longer at hand, its message stands for the line."""
        source = self._sources(finding.path)
        if source is not None and finding.cell is not None:
            source = source.cell(finding.cell)
        if source is None:
            return Identity(finding.code, "", _shortened(finding.message))
        place = (finding.path, finding.cell)
        if place not in self._functions:
            self._functions[place] = _Functions(source)
        number = finding.span.start_line
        return Identity(finding.code, self._functions[place].around(number), normalised(source.line(number)))

    def fingerprint(self, path: str, identity: Identity) -> str:
        """A hash of the identity and of how many equal ones of the same file were asked for before.

        Two files may have the same fingerprint; `in_file` tells them apart. Findings are asked for in their order.
        """
        self._seen[path, identity] += 1
        return _hash(identity.code, identity.function, identity.line, str(self._seen[path, identity]))

    @staticmethod
    def in_file(path: str, fingerprint: str) -> str:
        """The same for services that compare findings of all files by the fingerprint alone."""
        return _hash(path, fingerprint)


def normalised(line: str) -> str:
    """A line as identities hold it."""
    return _shortened(" ".join(line.split()))


def _shortened(text: str) -> str:
    if len(text) <= _LONGEST_LINE:
        return text
    return f"{text[:_LONGEST_LINE]}... {_hash(text)[:12]}"


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


class _Functions:
    """Which function stands around each line of a file."""

    def __init__(self, source: SourceFile) -> None:
        # Where another name begins to hold, and that name, in the order of lines.
        self._starts, self._names = [0], [""]
        for first, name in _changes(_bodies(source)):
            self._starts.append(first)
            self._names.append(name)

    def around(self, line: int) -> str:
        """The qualified name of the innermost function or class with that line."""
        return self._names[bisect_right(self._starts, line) - 1]


def _bodies(source: SourceFile) -> list[tuple[int, int, str]]:
    """First line, last line and qualified name of each function and class, outer ones first; none of other files."""
    if is_settings(source.path):
        return []
    import ast
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # odd escapes in the user's strings are the user's compiler's matter
            tree = ast.parse(source.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []  # a failure of the run says so
    found: list[tuple[int, int, str]] = []
    waiting: list[tuple[ast.AST, str]] = [(tree, "")]
    while waiting:
        node, around = waiting.pop()
        for child in ast.iter_child_nodes(node):
            name = around
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name = f"{around}.{child.name}" if around else child.name
                found.append((child.lineno, child.end_lineno or child.lineno, name))
            waiting.append((child, name))
    return sorted(found, key=lambda body: (body[0], -body[1]))


def _changes(bodies: Iterable[tuple[int, int, str]]) -> Sequence[tuple[int, str]]:
    """Each line at which the innermost name changes, with the name that holds from there."""
    changes: dict[int, str] = {}
    around: list[tuple[int, str]] = []
    for first, last, name in bodies:
        while around and around[-1][0] < first:
            end, _ = around.pop()
            changes[end + 1] = around[-1][1] if around else ""
        changes[first] = name
        around.append((last, name))
    while around:
        end, _ = around.pop()
        changes[end + 1] = around[-1][1] if around else ""
    return sorted(changes.items())
