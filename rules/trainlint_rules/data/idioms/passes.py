"""Where a file goes through a loader from its start, and whether it does so again and again."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from trainlint.analysis.conditions.branches import never_ends
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, Function, Place
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import constant, last_name, nodes_in
from trainlint.analysis.tables import iterables, loaders
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.analysis.types.loaders import Loader
from trainlint.contract.guard import guard
from trainlint.finding import Heat, LoopKind

SEVERAL_PROCESSES = frozenset({FactKind.DDP, FactKind.FSDP, FactKind.DISTRIBUTED})
_MAYBE_SEVERAL = frozenset({FactKind.FRAMEWORK})
"""Accelerate and its like start as many processes as the user says."""
_TAKES_NO_PASS = frozenset(
    "len next print isinstance hasattr getattr setattr type id append info debug log state_dict load_state_dict "
    "min max format str".split()
)
_AGAIN = frozenset({Heat.EPOCH, Heat.RARE, Heat.STEP, Heat.INNER, Heat.EVAL_STEP})
_ONLY_ONCE = frozenset({Heat.ONCE, Heat.UNKNOWN})


class PassStart(Enum):
    """What begins a pass."""

    LOOP = auto()
    """A `for` over the loader, or a `yield from` it."""
    ITERATOR = auto()
    """`iter(loader)`, as an exhausted iterator is replaced."""
    HANDED = auto()
    """A call into another file that is given the loader."""


_Begun = tuple[PassStart, ast.AST, Block, frozenset[Loader]]
"""What begins a pass, its node, the block around it, and the loaders that it goes through."""


@dataclass(frozen=True, slots=True, eq=False)
class Pass:
    """One place that begins a pass through a loader."""

    start: PassStart
    node: ast.AST
    block: Block
    """The block in which it stands, outside of the loop over the loader."""
    again: bool
    """Whether it happens again and again while the loader stays the same: each epoch, each evaluation."""
    around: Block | None
    """The loop in the same function that repeats it, where that is what does."""


def passes(file: SemanticModel, loader: Loader) -> list[Pass]:
    """The places of a file that go through a loader. None where the loader is only used in other files."""
    begun = _starts(file).get(loader, ())
    return [Pass(start, node, block, *_repeated(file, block, loader)) for start, node, block in begun]


@once
def _starts(file: SemanticModel) -> dict[Loader, list[tuple[PassStart, ast.AST, Block]]]:
    found: dict[Loader, list[tuple[PassStart, ast.AST, Block]]] = {}
    for start, node, block, behind in _all_starts(file):
        for loader in behind:
            found.setdefault(loader, []).append((start, node, block))
    return found


def _all_starts(file: SemanticModel) -> Iterator[_Begun]:
    yield from _loops(file)
    yield from _iterators(file)
    yield from _calls_given_loaders(file)


def _loops(file: SemanticModel) -> Iterator[_Begun]:
    """Each `for` over loaders, and each `yield from` them."""
    behind = file.batches.loaders_behind
    for place in file.outline.loops:
        if isinstance(place.node, ast.For | ast.AsyncFor):
            yield PassStart.LOOP, place.node, place.block, behind(place.node.iter, place.block)
    for function in file.outline.functions:
        if function.is_generator:
            for node, block in _yields(file, function):
                yield PassStart.LOOP, node, block, behind(node.value, block)


def _iterators(file: SemanticModel) -> Iterator[_Begun]:
    for place in file.outline.calls.get("iter", []):
        if isinstance(place.node, ast.Call) and place.node.args and not _in_loop_head(file, place):
            behind = file.batches.loaders_behind(place.node.args[0], place.block)
            yield PassStart.ITERATOR, place.node, place.block, behind


def _calls_given_loaders(file: SemanticModel) -> Iterator[_Begun]:
    """Each call into other files, with the loaders that it is given."""
    for place in file.outline.all_calls():
        call = place.node
        assert isinstance(call, ast.Call)
        name = last_name(call.func)
        if call in file.graph.callee or name in _TAKES_NO_PASS or call in file.loaders.built:
            continue
        if iterables.only_iterates(name) or loaders.prepares(name) or _is_iterated(file, place):
            continue
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        plain = [item for item in given if isinstance(item, ast.Name | ast.Attribute)]
        handed = frozenset(loader for item in plain for loader in file.batches.loaders_behind(item, place.block))
        yield PassStart.HANDED, call, place.block, handed


def _yields(file: SemanticModel, function: Function) -> Iterator[tuple[ast.YieldFrom, Block]]:
    for statement in nodes_in(function.node):
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.YieldFrom):
            block = file.outline.block_of.get(statement)
            if block is not None and file.outline.enclosing(block) is function:
                yield statement.value, block


def _in_loop_head(file: SemanticModel, place: Place) -> bool:
    """Whether a call stands in the head of a `for`, which is then the place that begins the pass."""
    return isinstance(place.statement, ast.For | ast.AsyncFor)


def _is_iterated(file: SemanticModel, place: Place) -> bool:
    """Whether what a call gives back is iterated, so that the loop over it begins the pass, or is a constructor."""
    return isinstance(place.statement, ast.For | ast.AsyncFor) or last_name(place.node)[:1].isupper()


def _repeated(file: SemanticModel, block: Block, loader: Loader) -> tuple[bool, Block | None]:
    """Whether the code of a block runs again and again while a loader stays the same, and the loop that says so."""
    generator = (function := file.outline.enclosing(block)) is not None and function.is_generator
    for loop in block.loops():
        if not loader.block.within(loop) and _goes_round(file, loop, generator):
            return True, loop
    built, heat = file.heats.of(loader.block).heat, file.heats.of(block).heat
    if file.outline.enclosing(loader.block) is function:
        return False, None
    return built in _ONLY_ONCE and heat in _AGAIN, None


def _goes_round(file: SemanticModel, loop: Block, generator: bool) -> bool:
    """Whether a loop is one over epochs or steps, or one without an end in a generator of batches."""
    node = loop.node
    counted = node.iter if isinstance(node, ast.For) and iterables.counts_rounds(last_name(node.iter)) else None
    if isinstance(counted, ast.Call) and len(counted.args) == 1 and constant(counted.args[0]) == 1:
        return False
    return file.heats.kind(loop) in (LoopKind.EPOCH, LoopKind.STEP) or (generator and never_ends(node))


def used_around_passes(site: Site) -> set[FactKind]:
    """What is used around the loader, and around the loops over it."""
    return {use.kind for use in site.file.used_around}


@guard
def one_process(site: Site) -> bool:
    """Nothing shows that several processes train."""
    return not used_around_passes(site) & (SEVERAL_PROCESSES | _MAYBE_SEVERAL)
