"""Scores over a whole vocabulary that stand in memory for the sake of a loss alone."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

from trainlint.analysis.conditions.branches import exclude_each_other
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.syntax.blocks import Block, Function, How, Place
from trainlint.analysis.syntax.names import constant, last_name, names_in, nodes_in, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.syntax.uses import loads
from trainlint.patterns import lazy
from trainlint_rules.attention.idioms.softened import loss_given

_RESHAPING = frozenset({"view", "reshape"})
_KEEPING = frozenset(
    {"contiguous", "transpose", "permute", "flatten", "squeeze", "float", "to", "type", "float32", "type_as"}
)
_UPCASTING = lazy(r"^float(32)?$")
_VOCABULARY = lazy(r"(^|_)(n_?)?vocab", re.IGNORECASE)
_LARGE = 32_000
"""Classes from which on a literal number is one of words, not of pictures."""
_PROJECTION = lazy(r"(^|_)(lm_?head|unembed(ding)?|embed_out|generator|decoder|cls|predictions|logits_proj)$")
_SURELY_PROJECTION = lazy(r"(^|_)(lm_?head|unembed(ding)?|embed_out)$")
_MODEL = lazy(r"(^|_)(model|net|network|gpt|transformer|engine|module|student|policy)$")
_SELECTED = lazy(r"mask|ind(ex|ices)|position|select|(^|_)idx", re.IGNORECASE)
"""What rows are chosen by before the projection, so that there are few of them."""
_ASKED = frozenset({"shape", "dtype", "device", "size", "dim", "ndim", "numel", "new_zeros", "new_tensor"})
_DEEPEST = 8


@dataclass(frozen=True, slots=True, eq=False)
class BigLogits:
    """The scores that a loss is given."""

    made: ast.Call
    """The projection onto the vocabulary, or the call of the model that holds it."""
    by_model: bool
    """Whether a whole model makes them."""
    upcast: bool
    """Whether they are copied to float32 on their way."""

    @property
    def cast(self) -> str:
        """What is to be said about that copy, as a part of a sentence; empty where there is none."""
        return ", copied to float32," if self.upcast else ""


@dataclass(slots=True)
class _PathFromLoss:
    """What is met on the way back from the loss."""

    over_vocabulary: bool = False
    upcast: bool = False
    names: dict[str, set[ast.AST]] = field(default_factory=dict)
    """Names of the scores, each with the statements that bind it."""


def big_logits(file: SemanticModel, loss: Place) -> BigLogits | None:
    """The scores over a vocabulary that a loss is given, where the function makes them and nothing else reads them."""
    given, function = loss_given(loss), file.graph.enclosing(loss.block)
    if given is None or function is None:
        return None
    way = _PathFromLoss()
    made = _source(given, loss.block, way, _DEEPEST)
    if made is None:
        return None
    name = last_name(made.func)
    if any(_SELECTED.search(word) for item in made.args for word in names_in(item)) and not _MODEL.search(name):
        return None
    by_model = bool(_MODEL.search(name))
    if not by_model and not _PROJECTION.search(name):
        return None
    if not way.over_vocabulary and not _SURELY_PROJECTION.search(name):
        return None
    if any(_is_read_otherwise(file, function, loss, name, way) for name in way.names):
        return None
    return BigLogits(made, by_model, way.upcast)


def _source(node: ast.expr, block: Block, way: _PathFromLoss, depth: int) -> ast.Call | None:
    """The call that made a value, behind what reshapes, slices, moves or casts it."""
    if depth == 0:
        return None
    match node:
        case ast.Name():
            return _bound(node, block, way, depth)
        case ast.Subscript(value=value):
            return _source(value, block, way, depth - 1)
        case ast.Attribute(attr="logits", value=value):
            return _source(value, block, way, depth - 1)
        case ast.Call(func=ast.Attribute(attr=attribute, value=value)) if attribute in _RESHAPING:
            way.over_vocabulary = way.over_vocabulary or any(_counts_words(item) for item in node.args)
            return _source(value, block, way, depth - 1)
        case ast.Call(func=ast.Attribute(attr=attribute, value=value)) if attribute in _KEEPING:
            cast = attribute == "to" and any(_UPCASTING.search(last_name(item)) for item in node.args)
            way.upcast = way.upcast or cast or bool(_UPCASTING.search(attribute))
            return _source(value, block, way, depth - 1)
        case ast.Call():
            return node
    return None


def _bound(name: ast.Name, block: Block, way: _PathFromLoss, depth: int) -> ast.Call | None:
    """The one call that made a name's value, in each of the ways that lead here."""
    found = reaching(name.id, block, position(name))
    sources: list[ast.Call | None] = []
    for binding in found:
        if binding.how is not How.ASSIGN or binding.value is None:
            return None
        way.names.setdefault(name.id, set()).add(binding.node)
        sources.append(_source(binding.value, binding.block, way, depth - 1))
    made = [source for source in sources if source is not None]
    return made[-1] if made and len({last_name(source.func) for source in made}) == 1 == len(sources) else None


def _counts_words(node: ast.expr) -> bool:
    number = constant(node)
    return (isinstance(number, int) and number >= _LARGE) or bool(_VOCABULARY.search(last_name(node)))


def _is_read_otherwise(file: SemanticModel, function: Function, loss: Place, name: str, way: _PathFromLoss) -> bool:
    """Whether anything but the loss may read the scores after it was taken or beside it."""
    flow = {node for bound in way.names.values() for statement in bound for node in nodes_in(statement)}
    flow.update(nodes_in(loss.node))
    asked = {part.value for part in nodes_in(function.node) if isinstance(part, ast.Attribute) and part.attr in _ASKED}
    for load, statement in loads(function.node, name):
        if load in flow or load in asked:
            continue
        block = file.outline.block_of.get(statement)
        if block is None or not exclude_each_other(block, loss.block):
            return True
    return False
