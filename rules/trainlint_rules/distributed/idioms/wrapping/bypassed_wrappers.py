"""Forwards of the module inside DistributedDataParallel, past its wrapper."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, Place
from trainlint.analysis.types.backward import held_by
from trainlint.contract.guard import guard
from trainlint_rules.distributed.idioms.data_parallel import ddp_call, inner_of_ddp


def forwards(file: SemanticModel, loop: Block) -> Iterator[tuple[Place, ast.expr]]:
    """The calls in a loop that may run a model, and what they run, be it as `model(...)` or `model.forward(...)`."""
    for place in file.outline.calls_by_loop.get(loop, ()):
        match place.node:
            case ast.Call(func=ast.Attribute(value=called, attr="forward") | called):
                if isinstance(called, ast.Name | ast.Attribute):
                    yield place, called


def bypassing(file: SemanticModel, loop: Block) -> Iterator[tuple[Site, ast.expr]]:
    """The forwards in a loop that run the inner module of a model in DDP, and that module."""
    for place, called in forwards(file, loop):
        if inner_of_ddp(file, called, place.block) is not None:
            yield Site(file, place), called


@guard
def calls_wrapper(site: Site) -> bool:
    """The step calls the wrapper, too."""
    loop = site.block.innermost_loop()
    around = forwards(site.file, loop) if loop is not None else ()
    return any(ddp_call(site.file, called, place.block) is not None for place, called in around)


@guard
def reaches_no_backward(site: Site) -> bool:
    """No backward goes through what the forward returns."""
    backwards, statement = site.file.backwards(site.block), site.statement
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    names = [name for target in targets for name in held_by(target)]
    return not any(backwards.goes_through(name) or backwards.starts_from(name) for name in names)
