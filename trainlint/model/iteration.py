"""What loops bind: elements of containers, batches of loaders, names and parameters of modules."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.model.blocks import Block
from trainlint.model.names import last_name
from trainlint.model.sources import is_batch_source
from trainlint.model.values import NUMBER, STRING, UNKNOWN, Kind, Origin, Value

if TYPE_CHECKING:
    from trainlint.model.kinds import Kinds


def iterated(kinds: Kinds, source: ast.expr, path: tuple[int, ...], block: Block) -> Value:
    """What a loop over `source` binds at a place of its target."""
    outer = block.parent or block
    if isinstance(source, ast.Call):
        name = last_name(source.func)
        if name == "range" or (name == "count" and not source.args):
            return NUMBER
        if name == "enumerate" and path and source.args:
            return NUMBER if path[0] == 0 else iterated(kinds, source.args[0], path[1:], block)
        if name == "zip" and path and 0 <= path[0] < len(source.args):
            return iterated(kinds, source.args[path[0]], path[1:], block)
        if (
            name in ("tqdm", "list", "reversed", "sorted", "islice", "track", "log_every", "cycle", "iter")
            and source.args
        ):
            return iterated(kinds, source.args[0], path, block)
        if name == "items" and isinstance(source.func, ast.Attribute):
            held = kinds.of(source.func.value, outer)
            return STRING if path == (0,) else kinds.element(held) if path else UNKNOWN
        if name in ("named_parameters", "named_buffers", "named_modules", "named_children"):
            inner = (
                Value(Kind.TENSOR, kinds.device, True, Origin.PARAMETER)
                if name in ("named_parameters", "named_buffers")
                else Value(Kind.MODULE)
            )
            return STRING if path == (0,) else inner
    value = single(kinds, source, outer)
    if value.kind is Kind.LOADER or is_batch_source(source, outer):
        loader = value if value.kind is Kind.LOADER else Value(Kind.LOADER, confidence=0.95)
        return kinds.batch(loader)
    return kinds.element(value)


def single(kinds: Kinds, node: ast.expr, block: Block) -> Value:
    """The value of an iterable, looking through iter(), tqdm() and enumerate()."""
    if isinstance(node, ast.Call) and last_name(node.func) in ("iter", "tqdm", "enumerate", "cycle") and node.args:
        return single(kinds, node.args[0], block)
    return kinds.of(node, block)
