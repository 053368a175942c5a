"""Calls of tokenizers that pad, and what excuses padding to one length."""

from __future__ import annotations

import ast
import re

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, Place
from trainlint.analysis.syntax.names import argument, constant, last_name, names_in
from trainlint.analysis.syntax.reaching import single_value
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.analysis.tables.signs import (
    COMPILES,
    FP8,
    GRAPH_CAPTURE,
    IMAGES_WITH_CAPTIONS,
    SEQUENCE_PARALLEL,
    STATIC_SHAPES,
    TPUS,
    XLA,
)
from trainlint.contract.guard import guard
from trainlint.contract.guards.names import shows
from trainlint.finding import Heat
from trainlint.patterns import lazy

TOKENIZES = ("tokenizer", "tokenize", "tok", ".encode_plus", ".batch_encode_plus", ".pad")
"""In the notation of `CallRule.on`."""
_IS_TOKENIZER = lazy(r"tokeni[sz]er|(^|\.)tok(\.|$)", re.IGNORECASE)
_TO_LONGEST = "max_length"
_SHORT = 64
"""Tokens up to which padding costs little."""
_HOT = frozenset({Heat.WORKER, Heat.STEP, Heat.INNER})
_DEEPEST = 2
_LONGEST_CHAIN = 12
"""Steps of `load_dataset(...).filter(...).map(...)` that are followed."""


def pads_to_fixed_length(site: Site) -> bool:
    """Whether a call is that of a tokenizer, and pads each row to the greatest length."""
    pads = constant(argument(site.call, "padding")) == _TO_LONGEST
    return pads and _IS_TOKENIZER.search(ast.unparse(site.call.func)) is not None


@guard
def is_short(site: Site) -> bool:
    """The length is at most 64 tokens, or that of the longest row."""
    given = argument(site.call, "max_length")
    if given is None:
        return False
    made = single_value(given, site.block) or given
    if isinstance(made, ast.Call):
        return True  # the longest of the rows themselves, most likely
    found = constant(made)
    return isinstance(found, int) and found <= _SHORT


@guard
def not_for_training(site: Site) -> bool:
    """It does not prepare training data, but a test or validation split."""
    return site.heat.heat not in _HOT and not _is_mapped(site.file, site.block, _DEEPEST)


@guard
def is_compiled(site: Site) -> bool:
    """The model is compiled, and may want one shape."""
    return any(use.kind is FactKind.COMPILE for use in site.file.uses)


WANTS_ONE_SHAPE = (
    is_compiled,
    shows("the code names TPU, HPU, Neuron or compiling, which need fixed shapes", XLA, TPUS, COMPILES),
    shows(
        "the code names CUDA graphs, FP8, static shapes or sequence parallelism, which need fixed shapes",
        GRAPH_CAPTURE,
        FP8,
        STATIC_SHAPES,
        SEQUENCE_PARALLEL,
    ),
    shows(
        "the file trains on images and captions, whose text encoder may need a fixed length",
        IMAGES_WITH_CAPTIONS,
    ),
)


def _is_mapped(file: SemanticModel, block: Block, depth: int) -> bool:
    """Whether a dataset's `map` runs the function around a block, by itself or through one that calls it."""
    function = file.outline.enclosing(block)
    if function is None or not depth:
        return False
    for edge in file.graph.callers.get(function, []):
        call = edge.place.node
        if edge.passed and isinstance(call, ast.Call):
            if last_name(call.func) == "map" and function.name in names_in(call):
                return True
        elif _is_mapped(file, edge.place.block, depth - 1):
            return True
    return any(
        isinstance(place.node, ast.Call) and function.node in place.node.args and not _evaluates(place)
        for place in file.outline.calls.get("map", [])
    )


def _evaluates(place: Place) -> bool:
    """Whether what a `map` goes through was loaded as a split for tests or validation."""
    node: ast.AST | None = place.node
    for _ in range(_LONGEST_CHAIN):
        if isinstance(node, ast.Call):
            if last_name(node.func) == "load_dataset":
                split = constant(argument(node, "split"))
                return isinstance(split, str) and split.startswith(("test", "valid", "dev"))
            node = node.func
        elif isinstance(node, ast.Attribute):
            node = node.value
        elif isinstance(node, ast.Name):
            node = single_value(node, place.block)
    return False
