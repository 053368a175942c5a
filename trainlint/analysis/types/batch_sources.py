"""What counts as a source of batches: data loaders and what people wrap around them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.analysis.syntax.blocks import Block, How
from trainlint.analysis.syntax.names import branches, last_name, nodes_in, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.tables import iterables, loaders
from trainlint.patterns import lazy

LOADER_NAME = lazy(
    r"loader|(^|_)dl($|_)|prefetcher|data_?iter|(train|val|valid|test|eval)_?(iter|set|ds|gen|batches)?($|"
    r"_)iter|iterator|batches|"
    r"(^|_)(train|val|valid|test|eval)(_data|_iter|_set|set|_batches)$",
    re.IGNORECASE,
)
_UNWRAPPED_ATTRIBUTES = frozenset({"dataset", "sampler", "batch_sampler"})
_ITERABLE_ARGUMENTS = ("iterable", "sequence", "loader", "dataloader")
_NEXT = frozenset({"next", "__next__", "get_next"})
_FETCHER = lazy(r"prefetch|fetcher|loader|iter|(^|_)data($|_)", re.IGNORECASE)
_DRAWS = lazy(r"^_?(get|next|fetch|sample|load|draw)_?(next_|train_|training_|val_|eval_|micro_?|mini_?)*batch(es)?$")


def is_batch_source(node: ast.expr, block: Block) -> bool:
    """Whether iterating this expression yields batches: a loader, by construction or by name, also when wrapped."""
    return _is_source(node, block, set())


def _is_source(node: ast.expr, block: Block, seen: set[ast.expr]) -> bool:
    """The same; `seen` are expressions that this question has come by, each of which is looked at once."""
    if node in seen:
        return False
    seen.add(node)
    if isinstance(node, ast.Call):
        return _call_is_source(node, block, seen)
    if isinstance(node, (ast.Starred, ast.Subscript, ast.NamedExpr)):
        return _is_source(node.value, block, seen)
    if isinstance(node, ast.IfExp):
        return all(_is_source(side, block, seen) for side in branches(node))
    if isinstance(node, ast.Attribute):
        return node.attr not in _UNWRAPPED_ATTRIBUTES and bool(LOADER_NAME.search(node.attr))
    return isinstance(node, ast.Name) and _name_is_source(node, block, seen)


def _name_is_source(node: ast.Name, block: Block, seen: set[ast.expr]) -> bool:
    """Whether a name is a source of batches, by what is assigned to it or by itself."""
    for binding in reaching(node.id, block, position(node)):
        if binding.how is How.ASSIGN and isinstance(binding.value, ast.Call):
            if _call_gives(binding.value, binding.path, binding.block, seen):
                return True
        elif binding.how is How.ASSIGN and binding.value is not None and not binding.path:
            if isinstance(binding.value, ast.IfExp) and _is_source(binding.value, binding.block, seen):
                return True
            if isinstance(binding.value, (ast.List, ast.Dict, ast.ListComp, ast.Constant)):
                return False
    return bool(LOADER_NAME.search(node.id))


def _call_is_source(call: ast.Call, block: Block, seen: set[ast.expr]) -> bool:
    name = last_name(call.func)
    if loaders.is_loader_class(name):
        return True
    if is_wrapper(call):
        return any(_is_source(item, block, seen) for item in _iterables(call))
    if LOADER_NAME.search(name) and name not in ("len", "next"):
        return True
    if iterables.may_pass_items_through(name) and call.args and _is_source(call.args[0], block, seen):
        return True
    return _function_gives(call, (), block, seen)


def is_wrapper(call: ast.Call) -> bool:
    """Whether a call hands on, one by one, what it is given, as `enumerate`, `tqdm` and `islice` do."""
    name = last_name(call.func)
    return iterables.passes_items_through(name) or loaders.wraps_loader(name)


def _iterables(call: ast.Call) -> list[ast.expr]:
    row = iterables.function_named(last_name(call.func))
    given = call.args[row.at if row is not None else 0 :]
    return [*given, *(keyword.value for keyword in call.keywords if keyword.arg in _ITERABLE_ARGUMENTS)]


def iterated_by(call: ast.Call) -> ast.expr | None:
    """What a wrapper iterates, where it has one such argument."""
    return next(iter(_iterables(call)), None) if is_wrapper(call) else None


def _call_gives(call: ast.Call, path: tuple[int, ...], block: Block, seen: set[ast.expr]) -> bool:
    """Whether a call, or what unpacking takes from its result, is a source of batches."""
    if not path and _is_source(call, block, seen):
        return True
    if loaders.hands_back_in_order(last_name(call.func)):
        place = path[0] if path else 0
        whole = path or len(call.args) == 1
        return bool(whole) and 0 <= place < len(call.args) and _is_source(call.args[place], block, seen)
    return bool(path) and _function_gives(call, path, block, seen)


def _function_gives(call: ast.Call, path: tuple[int, ...], block: Block, seen: set[ast.expr]) -> bool:
    """Whether a function that the call's scope defines returns a source of batches, or yields from one."""
    if not isinstance(call.func, ast.Name):
        return False
    for binding in reaching(call.func.id, block, position(call.func)):
        function = binding.node
        if binding.how is not How.FUNCTION or not isinstance(function, ast.FunctionDef):
            continue
        given = dict(zip((item.arg for item in function.args.args), call.args, strict=False))
        for source in _given_out(function, path):
            argument = given.get(source.id) if isinstance(source, ast.Name) else None
            if argument is not None and _is_source(argument, block, seen):
                return True
            if _is_source(source, binding.block, seen):
                return True
    return False


def _given_out(function: ast.FunctionDef, path: tuple[int, ...]) -> Iterator[ast.expr]:
    """What a function returns, or the loops of a generator iterate to yield."""
    for part in nodes_in(function):
        if isinstance(part, ast.YieldFrom):
            yield part.value
        elif isinstance(part, ast.For) and any(isinstance(inner, ast.Yield) for inner in nodes_in(part)):
            yield part.iter
        elif isinstance(part, ast.Return) and part.value is not None:
            if not path:
                yield part.value
            elif isinstance(part.value, ast.Tuple) and 0 <= path[0] < len(part.value.elts):
                yield part.value.elts[path[0]]


def draws_batch(call: ast.Call, block: Block) -> bool:
    """Whether a call takes the next batch: `next(it)`, `prefetcher.next()`, `get_batch("train")`."""
    name = last_name(call.func)
    if name == "next" and isinstance(call.func, ast.Name):
        return bool(call.args)
    if name in _NEXT and isinstance(call.func, ast.Attribute):
        held = call.func.value
        return bool(_FETCHER.search(last_name(held))) or is_batch_source(held, block)
    return bool(_DRAWS.search(name))
