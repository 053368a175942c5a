"""The rewrite of TRN801: from `torch.cuda.amp` to `torch.amp`, in uses and imports alike.

A dotted use, such as `torch.cuda.amp.autocast()`, is rewritten by itself. Where an import brings the name in, its
statement and all that it means in the file are rewritten together.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from trainlint.analysis.conditions.alternatives import depends_on_version, has_alternative, is_tried, origins
from trainlint.analysis.programs.old_names.old_amp import MAY_BE_COMPARED, OLD_MODULES, available, new_names, old_name
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.names import argument, imported_names, last_name, root_name
from trainlint.analysis.syntax.roles import Role, import_of, role
from trainlint.analysis.syntax.uses import call_of
from trainlint.analysis.tables.precision import AUTOCAST, GRAD_SCALER
from trainlint.finding import Edit, Fix, Safety
from trainlint.fixing.imported_uses import uses_of
from trainlint.fixing.rewrite import (
    Unfixable,
    add_keyword,
    ensure_import,
    expression,
    move_module,
    move_names,
    replace_expression,
)

if TYPE_CHECKING:
    import libcst as cst

_TESTED = "another file tests for the old class, which a scaler of torch.amp is not"
_POSITIONS = ("enabled", "dtype", "cache_enabled")
"""The positional arguments of the old autocast; the new one has the device and the type before `enabled`."""
_DEFAULT_TYPES = {"cuda": "float16", "cpu": "bfloat16"}


def rewritten(file: SemanticModel, place: Place) -> Fix:
    """The fix for one use.

    Raises Unfixable where the use, or another one that must change with it, cannot be told or rewritten.
    """
    statement = import_of(place)
    if statement is None:
        raise Unfixable("the name has more than one meaning")
    assert isinstance(place.node, ast.expr)
    meaning = dict(imported_names(statement))[root_name(place.node)]
    if meaning == "torch":
        edits = list(_use(file, place, dotted=True))
        found = old_name(_origin(place))
        if found is not None and found[1] == GRAD_SCALER.name:
            if file.outside.old_scaler_tested:
                raise Unfixable(_TESTED)
            edits += _type_tests(file, found, statement)
    elif meaning in OLD_MODULES or old_name(meaning) is not None:
        edits = list(_import_and_uses(file, statement))
    else:
        raise Unfixable("torch itself is not imported by name")
    return Fix("Use torch.amp", tuple(sorted(set(edits))), Safety.SAFE)


def _import_and_uses(file: SemanticModel, statement: ast.Import | ast.ImportFrom) -> Iterator[Edit]:
    """The import moved to torch.amp, with every use of what it binds."""
    if is_tried(file, statement) or file.source.path.endswith("__init__.py"):
        raise Unfixable("others may depend on what the import gives")
    moved = _moved_names(file, statement)
    exported = {node.value for node in ast.walk(_exports(file.tree)) if isinstance(node, ast.Constant)}
    if not exported.isdisjoint(moved):
        raise Unfixable("the name is exported")
    for place, node in uses_of(file, statement, moved):
        (origin,) = origins(node, place.block)
        found = old_name(origin)
        if found is None or found[1] not in available(file):
            raise Unfixable("a use of the module is not known")
        yield from _use(file, place, dotted=False)
        if found[1] == GRAD_SCALER.name:
            if file.outside.old_scaler_tested:
                raise Unfixable(_TESTED)
            yield from _type_tests(file, found, statement)
    if isinstance(statement, ast.Import):
        for name in moved.values():
            yield from move_module(file.source, statement, name, "torch.amp")
    else:
        is_module = statement.module in ("torch.cuda", "torch.cpu")
        yield from move_names(file.source, statement, list(moved.values()), "torch" if is_module else "torch.amp")


def _moved_names(file: SemanticModel, statement: ast.Import | ast.ImportFrom) -> dict[str, str]:
    """The names that an import binds to what moves, each with what the import calls it."""
    moved: dict[str, str] = {}
    for alias, (local, meaning) in zip(_aliases(statement), imported_names(statement), strict=True):
        found = old_name(meaning)
        if meaning in OLD_MODULES or (found is not None and found[1] in available(file)):
            moved[local] = alias.name
    return moved


def _aliases(statement: ast.Import | ast.ImportFrom) -> list[ast.alias]:
    return [alias for alias in statement.names if alias.name != "*"]


def _exports(tree: ast.Module) -> ast.AST:
    """The value of `__all__`, or an empty tree."""
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and "__all__" in map(last_name, statement.targets):
            return statement.value
    return ast.Module([], [])


def _type_tests(file: SemanticModel, scaler: tuple[str, str], statement: ast.stmt) -> Iterator[Edit]:
    """The tests for an old class that an import of torch alone names: the new class does not pass them.

    `statement` is the import that is being moved, with which its own tests change anyhow.
    """
    for place in file.outline.references:
        if old_name(_origin(place)) == scaler and role(file, place) in MAY_BE_COMPARED:
            other = import_of(place)
            if other is statement and not _imports_torch(other, place):
                continue
            if other is None or not _imports_torch(other, place):
                raise Unfixable("a test for the old class cannot change with it")
            yield from _use(file, place, dotted=True)


def _imports_torch(statement: ast.Import | ast.ImportFrom, place: Place) -> bool:
    """Whether a reference is written from torch itself on."""
    assert isinstance(place.node, ast.expr)
    return dict(imported_names(statement))[root_name(place.node)] == "torch"


def _origin(place: Place) -> str | None:
    assert isinstance(place.node, ast.expr)
    found = origins(place.node, place.block)
    return found.pop() if len(found) == 1 else None


def _use(file: SemanticModel, place: Place, *, dotted: bool) -> Iterator[Edit]:
    """The edits of one use; `dotted` where it is written from torch on, and its own name must change."""
    import libcst as cst

    found = old_name(_origin(place))
    assert found is not None
    assert isinstance(place.node, ast.expr)
    device, symbol = found
    other_way = has_alternative(file, place.node, place.block, new_names(symbol))
    if other_way or depends_on_version(place.block):
        raise Unfixable("a version decides whether this runs")
    quote = "'" if file.source.text.count("'") > file.source.text.count('"') else '"'
    name = f"{root_name(place.node)}.amp.{symbol}" if dotted else ast.unparse(place.node)
    match role(file, place):
        case Role.CALL:
            yield from _call(file, place, cst.parse_expression(name) if dotted else None, device, symbol, quote)
        case Role.DECORATOR if symbol.startswith("custom"):
            new = cst.parse_expression(f"{name}(device_type={quote}{device}{quote})")
            yield replace_expression(file.source, place.node, new)
        case Role.TYPE_TEST | Role.ANNOTATION:
            if dotted:
                yield replace_expression(file.source, place.node, cst.parse_expression(name))
        case _:
            raise Unfixable("who calls it with which arguments cannot be told")


def _call(
    file: SemanticModel, place: Place, function: cst.BaseExpression | None, device: str, symbol: str, quote: str
) -> Iterator[Edit]:
    import libcst as cst

    called = call_of(file, place.node)
    assert called is not None
    assert isinstance(called.node, ast.Call)
    if any("jit" in ast.unparse(item) for item in _decorators(file, called)):
        raise Unfixable("TorchScript compiles this function")
    if symbol.startswith("custom"):
        yield add_keyword(file.source, called.node, "device_type", f"{quote}{device}{quote}", proved_absent=True)
        if function is not None:
            yield replace_expression(file.source, called.node.func, function)
        return
    node = expression(file.source, called.node)
    assert isinstance(node, cst.Call)
    given = list(node.args)
    first = [cst.Arg(cst.SimpleString(f"{quote}{device}{quote}"))]
    if symbol == AUTOCAST.name:
        given = [_named(item, index) for index, item in enumerate(given)]
        if any(keyword.arg is None for keyword in called.node.keywords):
            raise Unfixable("unpacked arguments may give the type, or leave it to another autocast around")
        if argument(called.node, "dtype", 1) is None:
            # The new autocast takes the type of another one around it, the old one has its own.
            written, imports = ensure_import(file.source, file.tree, "torch", _DEFAULT_TYPES[device])
            yield from imports
            equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
            first.append(cst.Arg(cst.parse_expression(written), cst.Name("dtype"), equal=equal))
    arguments = _with_commas(first, given, node.whitespace_before_args)
    yield replace_expression(file.source, called.node, node.with_changes(func=function or node.func, args=arguments))


def _with_commas(
    first: list[cst.Arg], given: list[cst.Arg], opening: cst.BaseParenthesizableWhitespace
) -> list[cst.Arg]:
    """New arguments before those that are given: a line each where these begin on a line of their own."""
    import libcst as cst

    gap = opening if isinstance(opening, cst.ParenthesizedWhitespace) and given else cst.SimpleWhitespace(" ")
    comma = cst.Comma(whitespace_after=gap)
    with_comma = first if given else first[:-1]
    return [*(item.with_changes(comma=comma) for item in with_comma), *first[len(with_comma) :], *given]


def _named(given: cst.Arg, index: int) -> cst.Arg:
    """An argument of the old autocast, by its name."""
    import libcst as cst

    if given.star == "*":
        raise Unfixable("unpacked arguments cannot be named")
    if given.keyword is not None or given.star:
        return given
    equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    return given.with_changes(keyword=cst.Name(_POSITIONS[index]), equal=equal)


def _decorators(file: SemanticModel, call: Place) -> list[ast.expr]:
    function = file.graph.enclosing(call.block)
    return function.decorators if function is not None else []
