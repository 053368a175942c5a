"""What every fix keeps, whatever its rule: each effect of the code that it replaces, and what the project put into a
library in place of the library's own.

A fix that would not keep it is not offered.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from trainlint.analysis.effects.removable_calls import QUESTIONS
from trainlint.analysis.syntax.assigned_names import ANY, assigned_in_project
from trainlint.analysis.syntax.names import end_position, last_name, position
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel
    from trainlint.finding import Edit
    from trainlint.source import SourceFile

_WORD = lazy(r"[A-Za-z_]\w*")
_WITHOUT_EFFECT = frozenset(
    "len int float bool str tuple list dict set range min max sum abs round isinstance getattr hasattr type zip "
    "enumerate sorted reversed map filter any all repr id super".split()
)
"""Functions that only look at what they are given; what stands in their arguments counts by itself."""


def keeps_code(
    file: SemanticModel, edits: Collection[Edit], rewritten: Collection[ast.AST], dropped: Collection[str]
) -> bool:
    """Whether edits keep all effects, in their order, and replace no name that the project assigns anew.

    `rewritten` are the nodes that the rule is about, whose own calls may go, and `dropped` the names of functions
    whose calls may go as well.
    """
    replaced = [edit for edit in edits if edit.stop > edit.start]
    inside = [node for edit in replaced for node in _nodes_within(file, edit.start, edit.stop)]
    if not _keeps_effects(file.source, inside, " ".join(edit.text for edit in sorted(edits)), rewritten, dropped):
        return False
    assigned = assigned_in_project(file)
    return not assigned or not _names_assigned(file, edits, assigned)


def _keeps_effects(
    source: SourceFile, inside: list[ast.AST], new: str, rewritten: Collection[ast.AST], dropped: Collection[str]
) -> bool:
    """Whether the new text has each effect of the nodes that it stands for, in their order."""
    effects = sorted(
        (source.offset(*where), pattern)
        for node in inside
        if not (isinstance(node, ast.Call) and (node in rewritten or last_name(node.func) in dropped))
        if (found := _effect(node)) is not None
        for where, pattern in [found]
    )
    at = 0
    for _, pattern in effects:
        match = re.compile(pattern).search(new, at)
        if match is None:
            return False
        at = match.end()
    return True


def _effect(node: ast.AST) -> tuple[tuple[int, int], str] | None:
    """Where the effect of a node stands by itself, without its parts, and a pattern for it; None where it has none."""
    match node:
        case ast.NamedExpr(target=target):
            return position(target), rf"\b{target.id}\s*:="
        case ast.Await():
            return position(node), r"\bawait\b"
        case ast.Yield() | ast.YieldFrom():
            return position(node), r"\byield\b"
        case ast.Call(func=func):
            name = last_name(func)
            if name in QUESTIONS or (isinstance(func, ast.Name) and name in _WITHOUT_EFFECT):
                return None
            return end_position(func), rf"\b{name}\s*\(" if name else r"\("
    return None


def _names_assigned(file: SemanticModel, edits: Collection[Edit], assigned: frozenset[tuple[str, str]]) -> bool:
    """Whether edits replace, or write, a name that the project assigns anew."""
    names = {name for _, name in assigned}
    modules = {module for module, name in assigned if name == ANY}
    old: set[str] = set()
    for edit in edits:
        for node in (*_nodes_within(file, edit.start, edit.stop), *_functions_around(file, edit.start)):
            origin = file.outline.origin(node)
            words = origin.split(".") if origin is not None else [getattr(node, "attr", "")]
            old.update(words)
            if origin is not None and any(origin.startswith(f"{module}.") for module in modules):
                return True
    new = {word for edit in edits for word in _WORD.findall(edit.text)}
    libraries = {name for module, name in assigned if module != ANY}
    return not names.isdisjoint(old) or not libraries.isdisjoint(new - old)


def _nodes_within(file: SemanticModel, start: int, stop: int) -> list[ast.AST]:
    """The nodes that lie wholly in a piece of the text, outer ones first."""
    first, last = file.source.position(start)[0], file.source.position(stop)[0]
    found: list[ast.AST] = []
    for node in _nodes_on_lines(file.tree, first, last):
        if isinstance(node, ast.expr):
            begin, end = (file.source.offset(*where) for where in (position(node), end_position(node)))
            if start <= begin and end <= stop:
                found.append(node)
    return found


def _functions_around(file: SemanticModel, offset: int) -> Iterator[ast.AST]:
    """What is called in the calls around a place in the text."""
    line = file.source.position(offset)[0]
    for node in _nodes_on_lines(file.tree, line, line):
        if isinstance(node, ast.Call):
            if file.source.offset(*position(node)) <= offset <= file.source.offset(*end_position(node)):
                yield node.func


def _nodes_on_lines(node: ast.AST, first: int, last: int) -> Iterator[ast.AST]:
    """The nodes that touch some lines."""
    for child in ast.iter_child_nodes(node):
        begin, end = getattr(child, "lineno", None), getattr(child, "end_lineno", None)
        decorators = getattr(child, "decorator_list", ())
        if begin is None or end is None:
            yield from _nodes_on_lines(child, first, last)
        elif end >= first and min([begin, *(item.lineno for item in decorators)]) <= last:
            yield child
            yield from _nodes_on_lines(child, first, last)
