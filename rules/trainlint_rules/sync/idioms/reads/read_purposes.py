"""What a read of a device value on the host is for, where one rule knows more of it than the general ones do.

One wait is one finding: a general rule on reads stays silent where a read has a purpose of its own.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from enum import Enum, auto

from trainlint.analysis.effects.forward import computes
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.syntax.blocks import Block, BlockKind, Function, Place
from trainlint.analysis.syntax.calls_inside import calls_of
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import last_name, nodes_in
from trainlint.analysis.syntax.uses import enclosing_nodes
from trainlint.analysis.tables.collectives import BRINGING_TOGETHER
from trainlint.analysis.tables.host_reads import TOLIST
from trainlint.analysis.types.values import PLAIN_KINDS, Kind, Value
from trainlint.patterns import lazy
from trainlint_rules.sync.idioms.agreements import is_agreement
from trainlint_rules.sync.idioms.logging_collectives import is_logging_collective

_SHAPE = lazy(r"(^|_)shapes?($|_)", re.IGNORECASE)
_TEXT = ("decode", "batch_decode", "convert_ids_to_tokens", "generate")
_DECODING = ("batch_decode", "convert_ids_to_tokens", "decode")
_TOKENIZER = lazy(r"tokeni[sz]er|process(or|ing)", re.IGNORECASE)
_TOKENS = lazy(r"(^|_)(tokens|(token|input|prompt|completion|response|output|generated|query)_ids)$")
_GENERATES = lazy(r"(^|_)generat(e|ion)($|_)", re.IGNORECASE)
_EVALUATES = lazy(r"^_*((eval|evaluate|evaluation|test|validation)(_|$)|validate(_(one_)?epoch|_step)?$)")


class Purpose(Enum):
    """Why the host reads a device value."""

    FORWARD_ON_HOST = auto()
    """A piece of the forward pass, or of the loss, is computed on the host."""
    LOGGED_COLLECTIVE = auto()
    """The result of a collective that is made only to be shown."""
    SHAPE = auto()
    """The shape of what another rank will send: the host must know it to make room."""
    TEXT = auto()
    """Tokens become text, or the prompts of another engine: both live on the host, and making them takes far longer."""
    AGREEMENT = auto()
    """What all ranks do next, agreed on by a collective: the host must know it."""
    EVALUATION = auto()
    """The function evaluates: what it reads it reads once an evaluation, as often as somebody asks for one."""
    DRIVER = auto()
    """The class drives workers in other processes: the tensors that they send it lie on the host."""


@once
def purpose(file: SemanticModel, read: ast.AST, block: Block, statement: ast.stmt) -> Purpose | None:
    """The purpose of a read, an expression in a statement; None where nothing special is known."""
    place = Place(read, block, statement)
    for part in nodes_in(read):
        if (
            isinstance(part, ast.Call)
            and last_name(part.func) in BRINGING_TOGETHER
            and is_logging_collective(file, part, place)
        ):
            return Purpose.LOGGED_COLLECTIVE
    if makes_text(file, block) or _ends_generation(file, read, block, statement):
        return Purpose.TEXT
    return _purpose_of_any(file, read, block, statement)


def _purpose_of_any(file: SemanticModel, read: ast.AST, block: Block, statement: ast.stmt) -> Purpose | None:
    """What a read and a copy may be for alike."""
    if is_agreement(file, read, block, statement):
        return Purpose.AGREEMENT
    function = file.graph.enclosing(block)
    if function is None:
        return None
    if _EVALUATES.search(function.name):
        return Purpose.EVALUATION
    return Purpose.DRIVER if _drives_workers(file, function) else None


@once
def copy_purpose(file: SemanticModel, copy: ast.AST, block: Block, statement: ast.stmt) -> Purpose | None:
    """The same for a copy of a whole tensor to the host."""
    if isinstance(copy, ast.Call) and isinstance(copy.func, ast.Attribute):
        if _SHAPE.search(last_name(copy.func.value)):
            return Purpose.SHAPE
        if copy.func.attr == TOLIST.name and _TOKENS.search(last_name(copy.func.value)):
            return Purpose.TEXT
    if _handles_text(file, block):
        return Purpose.TEXT
    found = _purpose_of_any(file, copy, block, statement)
    if found is None and computes(file, block) and not _makes_plain_values(file, block):
        return Purpose.FORWARD_ON_HOST
    return found


def _makes_plain_values(file: SemanticModel, block: Block) -> bool:
    """Whether the function around returns numbers and text in lists, and no tensor: no piece of a forward pass."""
    function = file.graph.enclosing(block)
    kinds = set(_leaves(file.kinds.returned(function))) if function is not None else set()
    return bool(kinds) and kinds <= PLAIN_KINDS


def _leaves(value: Value) -> Iterator[Kind]:
    """The kinds of what stands in nested containers, as far as they are known."""
    if value.kind is not Kind.CONTAINER:
        yield value.kind
    for part in value.items or ((value.element,) if value.element is not None else ()):
        yield from _leaves(part)


def _handles_text(file: SemanticModel, block: Block) -> bool:
    """Whether the function around, closures included, makes text of tokens or generates some."""
    function = file.graph.enclosing(block)
    return function is not None and any(calls_of(file, name, function.body) for name in _TEXT)


def makes_text(file: SemanticModel, block: Block) -> bool:
    """Whether the loop around a block makes text of tokens in each round, sample by sample, and trains nothing."""
    loop = next((outer for outer in block.outwards() if outer.kind in (BlockKind.LOOP, BlockKind.FUNCTION)), None)
    if loop is None or loop.kind is not BlockKind.LOOP:
        return False
    if calls_of(file, "backward", loop):
        return False
    return any(
        not file.conditions.around(place.block, loop)
        and isinstance(place.node, ast.Call)
        and isinstance(place.node.func, ast.Attribute)
        and bool(_TOKENIZER.search(last_name(place.node.func.value)))
        for name in _DECODING
        for place in calls_of(file, name, loop)
    )


def _ends_generation(file: SemanticModel, read: ast.AST, block: Block, statement: ast.stmt) -> bool:
    """Whether a read asks if all samples are complete, to stop generating."""
    if not isinstance(statement, ast.If) or statement.test not in (read, *enclosing_nodes(file, read, statement)):
        return False
    function = file.graph.enclosing(block)
    named = function is not None and _GENERATES.search(function.name) is not None
    return named and any(isinstance(part, ast.Break | ast.Return) for part in statement.body)


def _drives_workers(file: SemanticModel, function: Function) -> bool:
    """Whether the class of a method waits for remote workers, as Ray's drivers do."""
    return function.owner is not None and any(
        file.graph.outline.origin(place.node.func) == "ray.get"
        and (home := file.graph.enclosing(place.block)) is not None
        and home.owner is function.owner
        for place in file.outline.calls.get("get", ())
        if isinstance(place.node, ast.Call)
    )
