"""What every fix keeps, whatever its rule: each effect of the code that it replaces, and what the project put into a
library in place of the library's own.

A fix that would not keep it is not offered.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

from trainlint.analysis.effects.removable_calls import QUESTIONS
from trainlint.analysis.programs.proved_torch import may_be_starred_anew
from trainlint.analysis.syntax.assigned_names import ANY, assigned_in_project
from trainlint.analysis.syntax.blocks import Binding, Block, How, Position
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import children, constant, end_position, imported_names, last_name, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.syntax.uses import loads
from trainlint.analysis.tables.frameworks.packages import brings_torch
from trainlint.finding import Safety
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel
    from trainlint.finding import Edit, Fix
    from trainlint.source import SourceFile

_WORD = lazy(r"[A-Za-z_]\w*")
_WITHOUT_EFFECT = frozenset(
    "len int float bool str tuple list dict set range min max sum abs round isinstance getattr hasattr type zip "
    "enumerate sorted reversed map filter any all repr id super".split()
)
"""Functions that only look at what they are given; what stands in their arguments counts by itself."""


def safety_kept(
    file: SemanticModel, fix: Fix, rewritten: Collection[ast.AST], dropped: Collection[str]
) -> Safety | None:
    """The level of a fix; None where it loses an effect or its order, or replaces a name that the project assigns.

    None, too, where it changes an import of a name that other files import from this one.

    It is UNSAFE where a name of a library may mean something else at its place, and None where it surely does.
    `rewritten` are the nodes that the rule is about, whose own calls may go, and `dropped` the names of functions
    whose calls may go as well.
    """
    replaced = [edit for edit in fix.edits if edit.stop > edit.start]
    inside = [node for edit in replaced for node in _nodes_within(file, edit.start, edit.stop)]
    new = " ".join(edit.text for edit in sorted(fix.edits))
    if not _keeps_effects(file.source, inside, new, rewritten, dropped) or _unbinds(file, inside, new):
        return None
    named = [*inside, *(node for edit in fix.edits for node in _functions_around(file, edit.start))]
    if _names_assigned(file, named, new) or _imports_changed(file, fix.edits):
        return None
    meanings = _meanings(file, named)
    if meanings and not any(meanings):
        return None
    return fix.safety if all(meanings) else Safety.UNSAFE


def _unbinds(file: SemanticModel, inside: list[ast.AST], new: str) -> bool:
    """Whether code that stays reads a name that the replaced code bound, and the new one does not.

    A name that the replaced code read before it bound it, as in `x = Variable(x)`, is bound all the same.
    """
    stored = {node for node in inside if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    bound = {node.id for node in stored} - set(_WORD.findall(new))
    places = {position(node) for node in stored if node.id in bound}

    def is_bound_here(node: ast.Name, statement: ast.stmt) -> bool:
        bindings = reaching(node.id, file.outline.block_of[statement], position(node))
        return any(item.position in places or _target_position(item) in places for item in bindings)

    for name in bound:
        scope = _scope_of(file, name, min(places))
        read = [] if scope is None else list(loads(scope, name))
        if any(node in inside and not is_bound_here(node, statement) for node, statement in read):
            continue
        if any(node not in inside and is_bound_here(node, statement) for node, statement in read):
            return True
    return False


def _scope_of(file: SemanticModel, name: str, where: Position) -> ast.AST | None:
    """The function or module to which a name belongs that is bound at a place; None for a comprehension's own."""
    around = [node for node in _nodes_on_lines(file, where[0], where[0]) if isinstance(node, ast.stmt)]
    scope = file.outline.block_of[around[-1]].scope.owner(name) if around else None
    return None if scope is None else scope.node


def _target_position(binding: Binding) -> Position | None:
    """Where the target of a loop, or the first of an assignment, stands."""
    match binding.node:
        case ast.For(target=target) | ast.Assign(targets=[target, *_]) | ast.AnnAssign(target=target):
            return position(target)
    return None


def _imports_changed(file: SemanticModel, edits: Collection[Edit]) -> bool:
    """Whether edits change a part of an import whose names other files take from this one."""
    taken = file.outside.taken_names
    for place in file.outline.import_statements if taken else ():
        statement = place.node
        assert isinstance(statement, ast.Import | ast.ImportFrom)
        if taken.isdisjoint(alias.asname or alias.name for alias in statement.names):
            continue
        start, stop = (file.source.offset(*where) for where in (position(statement), end_position(statement)))
        if any(edit.start <= stop and start < edit.stop for edit in edits):
            return True
    return False


def _meanings(file: SemanticModel, nodes: Collection[ast.AST]) -> list[bool]:
    """For each name of a library that may have several meanings at its place, whether each is the library's."""
    blocks = _blocks_of_names(file)
    found = []
    for node in nodes:
        if isinstance(node, ast.Name) and node in blocks and brings_torch(file.outline.package(node) or ""):
            found += [_is_library(item) for item in reaching(node.id, blocks[node], position(node))]
            if may_be_starred_anew(file, node.id):
                found.append(False)
    return found


def _is_library(binding: Binding) -> bool:
    """Whether a binding imports something; a name that is None where an import failed is not used."""
    if binding.how is How.IMPORT and isinstance(binding.node, ast.Import | ast.ImportFrom):
        meaning = dict(imported_names(binding.node)).get(binding.name, "")
        return brings_torch(meaning.partition(".")[0])
    return binding.how is How.ASSIGN and constant(binding.value) is None


@once
def _blocks_of_names(file: SemanticModel) -> dict[ast.AST, Block]:
    """The names with which references begin, with the blocks that they stand in."""
    found: dict[ast.AST, Block] = {}
    for place in file.outline.references:
        root = place.node
        while isinstance(root, ast.Attribute):
            root = root.value
        found[root] = place.block
    return found


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


def _names_assigned(file: SemanticModel, named: Collection[ast.AST], new: str) -> bool:
    """Whether a fix replaces, or writes, a name that the project assigns anew."""
    assigned = assigned_in_project(file)
    names = {name for _, name in assigned}
    modules = tuple(f"{module}." for module, name in assigned if name == ANY)
    origins = [(node, file.outline.origin(node)) for node in named if assigned]
    if any(origin is not None and origin.startswith(modules) for _, origin in origins):
        return True
    old = {word for node, origin in origins for word in str(origin or getattr(node, "attr", "")).split(".")}
    libraries = {name for module, name in assigned if module != ANY}
    return not names.isdisjoint(old) or not libraries.isdisjoint(set(_WORD.findall(new)) - old)


def _nodes_within(file: SemanticModel, start: int, stop: int) -> list[ast.AST]:
    """The nodes that lie wholly in a piece of the text, outer ones first."""
    first, last = file.source.position(start)[0], file.source.position(stop)[0]
    found: list[ast.AST] = []
    for node in _nodes_on_lines(file, first, last):
        if isinstance(node, ast.expr):
            begin, end = (file.source.offset(*where) for where in (position(node), end_position(node)))
            if start <= begin and end <= stop:
                found.append(node)
    return found


def _functions_around(file: SemanticModel, offset: int) -> Iterator[ast.AST]:
    """What is called in the calls around a place in the text, with the names that it begins with."""
    line = file.source.position(offset)[0]
    for node in _nodes_on_lines(file, line, line):
        if isinstance(node, ast.Call):
            if file.source.offset(*position(node)) <= offset <= file.source.offset(*end_position(node)):
                function = node.func
                yield function
                while isinstance(function, ast.Attribute):
                    function = function.value
                yield function


@once
def _nodes_on_lines(file: SemanticModel, first: int, last: int) -> list[ast.AST]:
    """The nodes that touch some lines, each before its parts."""
    found: list[ast.AST] = []
    left: list[Any] = [file.tree]
    while left:
        for child in children(left.pop()):
            end = getattr(child, "end_lineno", None)
            if end is None:
                left.append(child)
            elif end >= first:
                decorators = getattr(child, "decorator_list", ())
                begin: Any = decorators[0] if decorators else child
                if begin.lineno <= last:
                    found.append(child)
                    left.append(child)
    return found
