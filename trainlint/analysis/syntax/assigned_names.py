"""Which names of libraries a file assigns anew, as `dist.all_reduce = logged` does: from then on they mean its code.

A fix that writes another name of the library in place of such a name would leave that code out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Block, How, Place
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import constant, last_name
from trainlint.analysis.tables.frameworks.packages import brings_torch
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

ANY = "*"
"""Stands for each name of a module, or for a name of a module that is not known."""
_ASKED = frozenset({"hasattr", "getattr", "isinstance", "issubclass", "print"})
"""Functions that are given a module and a text, and assign nothing."""
_PATCHES = frozenset({"patch", "setattr", "multiple", "delattr"})
"""Functions that take the dotted name of what they replace, as those of `unittest.mock` and pytest."""
_FORWARDS = frozenset({"forward", "__call__"})
"""Methods that an object of any kind may be given, so that it no longer runs those of its class."""
_MOST_BINDINGS = 8
"""So many assignments of a name are looked at: modules have few."""
_OWN = frozenset({"self", "cls"})
_DOTTED = lazy(r"[A-Za-z_]\w*(?:\.\w+)+")


@once
def assigned_names(file: SemanticModel) -> frozenset[tuple[str, str]]:
    """Module or class, and name in it, of all that the file assigns outside its own objects; `ANY` for either."""
    return frozenset((*_stored(file), *_by_calls(file)))


def assigned_in_libraries(file: SemanticModel) -> frozenset[tuple[str, str]]:
    """Those of packages that bring PyTorch along, and `forward`: they matter to other files as well."""
    return frozenset(
        (module, name)
        for module, name in assigned_names(file)
        if name in _FORWARDS or brings_torch(module.partition(".")[0])
    )


def assigned_in_project(file: SemanticModel) -> frozenset[tuple[str, str]]:
    """The same of all files of its project."""
    return assigned_names(file) | file.outside.assigned_names


def _stored(file: SemanticModel) -> Iterator[tuple[str, str]]:
    """By assignments to attributes, and to entries of `vars(module)` and `sys.modules`."""
    for name, places in file.outline.stores.items():
        for place in places:
            for target in _targets(place.node):
                if isinstance(target, ast.Attribute) and target.attr == name and not _is_own(target.value, name):
                    yield from ((module, name) for module in _modules(file, target.value, name, place))
                elif isinstance(target, ast.Subscript) and constant(target.slice) == name:
                    yield from _entry(file, target.value, name, place)


def _is_own(owner: ast.expr, name: str) -> bool:
    return isinstance(owner, ast.Name) and owner.id in _OWN and name not in _FORWARDS


def _targets(statement: ast.AST) -> Iterator[ast.expr]:
    match statement:
        case ast.Assign(targets=targets):
            found: list[ast.expr] = list(targets)
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target) | ast.For(target=target):
            found = [target]
        case ast.With(items=items):
            found = [item.optional_vars for item in items if item.optional_vars is not None]
        case _:
            return
    for target in found:
        yield from target.elts if isinstance(target, ast.Tuple | ast.List) else (target,)


def _entry(file: SemanticModel, table: ast.expr, name: str, place: Place) -> Iterator[tuple[str, str]]:
    if isinstance(table, ast.Call) and last_name(table.func) == "vars" and table.args:
        yield from ((module, name) for module in _modules(file, table.args[0], name, place))
    elif isinstance(table, ast.Attribute) and table.attr == "__dict__":
        yield from ((module, name) for module in _modules(file, table.value, name, place))
    elif isinstance(table, ast.Call) and last_name(table.func) == "globals":
        yield ANY, name
    elif file.outline.origin(table) == "sys.modules":
        yield name, ANY


def _by_calls(file: SemanticModel) -> Iterator[tuple[str, str]]:
    """By functions that are given a module and a name, as `setattr`, or the dotted name, as `mock.patch`."""
    for place in file.outline.all_calls():
        call = place.node
        assert isinstance(call, ast.Call)
        if not call.args:
            continue
        function = last_name(call.func)
        if type(call.args[0]) is ast.Constant:
            name = call.args[0].value
            if function in _PATCHES and isinstance(name, str) and _DOTTED.fullmatch(name):
                yield _split(name)
        elif len(call.args) > 1 and function not in _ASKED:
            yield from _handed_over(file, call, place)


def _handed_over(file: SemanticModel, call: ast.Call, place: Place) -> Iterator[tuple[str, str]]:
    """The module and name that a function is given as its first two arguments."""
    module, name = call.args[0], constant(call.args[1])
    if not isinstance(module, ast.Name | ast.Attribute):
        return
    if not isinstance(name, str):
        if last_name(call.func) != "setattr":
            return
        name = ANY
    for found in _modules(file, module, name, place):
        if found != ANY or name in _FORWARDS:
            yield found, name


def _split(name: str) -> tuple[str, str]:
    """Module and name of a dotted name, from the library on where it is reached through a module of the project."""
    words = name.split(".")
    start = words.index("torch") if "torch" in words else 0
    return ".".join(words[start:-1]), words[-1]


def _modules(file: SemanticModel, node: ast.expr, name: str, place: Place) -> Iterator[str]:
    """The dotted names that an object may have which gets an attribute; ANY for one that a caller or a loop hands in.

    None for the file's own objects, and for what it makes; but ANY where a `forward` is assigned.
    """
    if name in _FORWARDS:
        yield ANY
    if (origin := file.outline.origin(node)) is not None:
        yield origin
        return
    if isinstance(node, ast.Attribute) or (isinstance(node, ast.Name) and node.id in _OWN):
        return
    if isinstance(node, ast.Name):
        owner = place.block.scope.owner(node.id)
        for binding in owner.bindings[node.id][:_MOST_BINDINGS] if owner is not None else ():
            if binding.how in (How.PARAMETER, How.FOR):
                yield ANY
            elif binding.how is How.ASSIGN and binding.value is not None:
                yield from _named(file, binding.value, binding.block)
    else:
        yield from _named(file, node, place.block)


def _named(file: SemanticModel, value: ast.expr, block: Block) -> Iterator[str]:
    """The module that an expression names: `torch.distributed`, `sys.modules["torch.distributed"]`."""
    if (origin := file.outline.imported(value, block)) is not None:
        yield origin
    elif isinstance(value, ast.Subscript) and file.outline.origin(value.value) == "sys.modules":
        yield str(constant(value.slice))
    elif isinstance(value, ast.Call) and last_name(value.func) in ("import_module", "__import__") and value.args:
        yield str(constant(value.args[0]))
