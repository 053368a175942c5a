"""Kinds by local data flow: from an expression back to what made its value.

Flow inside a function is followed in order; attributes of `self`, parameters and return values through
the calls that stay in the file. Where nothing tells, a name is weak evidence and lowers the confidence.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from trainlint.model.blocks import Binding, Block, Class, Function, How
from trainlint.model.calls import call_value, device_of
from trainlint.model.gradients import Gradients
from trainlint.model.graph import CallGraph
from trainlint.model.iteration import iterated
from trainlint.model.lookup import reaching
from trainlint.model.names import last_name, position
from trainlint.model.outline import Outline
from trainlint.model.parameters import parameter_value
from trainlint.model.sources import is_batch_source
from trainlint.model.values import (
    NONE,
    NUMBER,
    STRING,
    UNKNOWN,
    Home,
    Kind,
    Origin,
    Value,
    combine,
    constant_value,
    merge,
)
from trainlint.model.vocabulary import DTYPES, TENSOR_NUMBER_ATTRIBUTES, by_name

_DEEPEST = 30
"""How many steps back a value is followed."""
_DEEPEST_BASE = 6
_FARTHEST = 5
"""How many functions away, by calls up or down, a value is followed."""
_LONGEST = 600
"""How many steps one question may take in all."""


@dataclass(slots=True, eq=False)
class Kinds:
    """Answers for one file, worked out when asked for."""

    outline: Outline
    graph: CallGraph
    gradients: Gradients
    device: Home
    """Where tensors of this file live unless something says otherwise: HOST in a file that names no device."""
    _known: dict[object, Value] = field(default_factory=dict)
    """Answers that hold wherever they are asked for."""
    _asked: dict[ast.AST, Value] = field(default_factory=dict)
    """Answers to questions from outside, which may have been cut short where values feed on themselves."""
    _busy: dict[object, None] = field(default_factory=dict)
    _cut: set[object] = field(default_factory=set)
    """Questions under way that the current answer ran into."""
    _steps: int = 0
    _levels: int = 0
    """How many functions away the current answer comes from."""

    def of(self, node: ast.expr, block: Block) -> Value:
        """The value of an expression that stands in a block."""
        if self._busy:
            return self._follow(node, lambda: self._of(node, block))
        if node not in self._asked:
            self._steps = 0
            self._asked[node] = self._follow(node, lambda: self._of(node, block))
            self._cut.clear()
        return self._asked[node]

    def _follow(self, key: object, answer: Callable[[], Value]) -> Value:
        """Answer a question once, and not at all where it runs in a circle or too far.

        An answer that a circle cut short depends on where the circle was entered, so it is not kept for others.
        """
        known = self._known.get(key)
        if known is not None:
            return known
        self._steps += 1
        if key in self._busy or len(self._busy) >= _DEEPEST or self._steps > _LONGEST:
            self._cut.add(key)
            return UNKNOWN
        outer, self._cut = self._cut, set()
        self._busy[key] = None
        try:
            value = answer()
        finally:
            del self._busy[key]
            self._cut.discard(key)
            whole = not self._cut
            self._cut |= outer
        if whole:
            self._known[key] = value
        return value

    def _of(self, node: ast.expr, block: Block) -> Value:
        match node:
            case ast.Constant(value=value):
                return constant_value(value)
            case ast.Name():
                return self._name(node, block)
            case ast.Attribute():
                return self._attribute(node, block)
            case ast.Call():
                return call_value(self, node, block)
            case ast.Subscript():
                return self._subscript(node, block)
            case ast.BinOp():
                if isinstance(node.op, ast.Mod) and isinstance(node.left, ast.JoinedStr | ast.Constant):
                    return STRING if constant_value(getattr(node.left, "value", "")).kind is Kind.STRING else NUMBER
                return combine([self.of(node.left, block), self.of(node.right, block)])
            case ast.UnaryOp():
                return NUMBER if isinstance(node.op, ast.Not) else self.of(node.operand, block)
            case ast.Compare():
                return self._comparison(node, block)
            case ast.BoolOp():
                return merge(self.of(value, block) for value in node.values)
            case ast.IfExp():
                return merge([self.of(node.body, block), self.of(node.orelse, block)])
            case ast.List() | ast.Tuple() | ast.Set():
                return Value(
                    Kind.CONTAINER, element=merge(self.of(item, block) for item in node.elts) if node.elts else None
                )
            case ast.Dict():
                return Value(
                    Kind.CONTAINER, element=merge(self.of(item, block) for item in node.values) if node.values else None
                )
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                return Value(Kind.CONTAINER, element=self.of(node.elt, self._innermost(node, block)))
            case ast.DictComp():
                return Value(Kind.CONTAINER, element=self.of(node.value, self._innermost(node, block)))
            case ast.JoinedStr():
                return STRING
            case ast.Starred() | ast.NamedExpr() | ast.Await():
                return self.of(node.value, block)
            case _:
                return UNKNOWN

    def _innermost(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, block: Block) -> Block:
        return self.outline.loop_blocks.get(node.generators[-1], block)

    def _comparison(self, node: ast.Compare, block: Block) -> Value:
        if any(isinstance(operator, ast.Is | ast.IsNot | ast.In | ast.NotIn) for operator in node.ops):
            return NUMBER
        found = combine(self.of(side, block) for side in (node.left, *node.comparators))
        return (
            replace(found, attached=False) if found.is_tensor else NUMBER if found.kind is not Kind.UNKNOWN else UNKNOWN
        )

    # names

    def _name(self, node: ast.Name, block: Block) -> Value:
        bindings = reaching(node.id, block, position(node))
        if not bindings:
            return UNKNOWN if hasattr(builtins, node.id) else by_name(node.id, self.device) or UNKNOWN
        values = [self.binding(item) for item in bindings]
        # An accumulator's starting value says nothing of what is added to it.
        flowing = [
            value
            for value, item in zip(values, bindings, strict=True)
            if value is not UNKNOWN or item.how is not How.AUGMENT
        ]
        found = merge(flowing)
        if found.kind is Kind.UNKNOWN and not any(
            item.how in (How.IMPORT, How.FUNCTION, How.CLASS) for item in bindings
        ):
            return by_name(node.id, self.device) or found
        return found

    def binding(self, binding: Binding) -> Value:
        """What one binding gives its name."""
        return self._follow(binding, lambda: self._binding(binding))

    def _binding(self, binding: Binding) -> Value:
        match binding.how:
            case How.ASSIGN if binding.value is not None:
                return self._unpacked(binding.value, binding.path, binding.block)
            case How.AUGMENT if binding.value is not None:
                added = self.of(binding.value, binding.block)
                return added if added.is_tensor else UNKNOWN
            case How.FOR if binding.value is not None:
                return iterated(self, binding.value, binding.path, binding.block)
            case How.WITH if binding.value is not None:
                outer = binding.block.parent or binding.block
                return Value(Kind.LOADER) if is_batch_source(binding.value, outer) else UNKNOWN
            case How.PARAMETER:
                return self._further(binding, lambda: parameter_value(self, binding))
            case _:
                return UNKNOWN

    def _further(self, key: object, answer: Callable[[], Value]) -> Value:
        """Answer from another function, a caller or a callee, but not without end: the ways double with each level."""
        if self._levels >= _FARTHEST:
            self._cut.add(key)
            return UNKNOWN
        self._levels += 1
        try:
            return answer()
        finally:
            self._levels -= 1

    def _unpacked(self, value: ast.expr, path: tuple[int, ...], block: Block) -> Value:
        while path and isinstance(value, ast.Tuple | ast.List) and -1 < path[0] < len(value.elts):
            if any(isinstance(item, ast.Starred) for item in value.elts):
                break
            value, path = value.elts[path[0]], path[1:]
        found = self.of(value, block)
        if (
            path
            and isinstance(value, ast.Call)
            and last_name(value.func) in ("prepare", "setup_dataloaders", "setup", "initialize")
        ):
            return self._prepared(value, path, block)
        return self.element(found) if path else found

    def _prepared(self, call: ast.Call, path: tuple[int, ...], block: Block) -> Value:
        """What a framework's `prepare` hands back: its arguments, with loaders that move their batches."""
        if last_name(call.func) == "initialize":
            return (
                [Value(Kind.MODULE), Value(Kind.OPTIMIZER), Value(Kind.LOADER), Value(Kind.SCHEDULER)][min(path[0], 3)]
                if path[0] >= 0
                else UNKNOWN
            )
        if 0 <= path[0] < len(call.args):
            return replace(self.of(call.args[path[0]], block), prepared=True)
        return UNKNOWN

    def element(self, value: Value) -> Value:
        """What indexing or iterating a value gives."""
        if value.kind is Kind.CONTAINER:
            return value.element or UNKNOWN
        if value.kind in (Kind.TENSOR, Kind.ARRAY, Kind.STRING):
            return value
        if value.kind is Kind.SHAPE:
            return NUMBER
        if value.kind is Kind.LOADER:
            return self.batch(value)
        return value if value.kind is Kind.MODULE else UNKNOWN

    def batch(self, loader: Value) -> Value:
        """An element of what a loader yields."""
        home = Home.DEVICE if loader.prepared and self.device is Home.DEVICE else Home.HOST
        return Value(Kind.TENSOR, home, False, Origin.BATCH, 0.95 * (loader.confidence or 1.0))

    # attributes, subscripts, functions

    def _attribute(self, node: ast.Attribute, block: Block) -> Value:
        origin = self.imported(node, block)
        if origin is not None:
            if origin.startswith("torch.") and origin.rpartition(".")[2] in DTYPES:
                return Value(Kind.DTYPE)
            return UNKNOWN
        if isinstance(node.value, ast.Name):
            owner = self.graph.self_class(node.value, block)
            if owner is not None:
                return self.self_attribute(owner, node.attr)
        base = self.of(node.value, block)
        if node.attr == "device":
            return Value(Kind.DEVICE)
        if node.attr == "dtype":
            return Value(Kind.DTYPE)
        if base.is_tensor:
            return self._tensor_attribute(base, node.attr)
        if base.kind is Kind.MODULE:
            if node.attr in ("weight", "bias", "logit_scale"):
                return Value(Kind.TENSOR, self.device, True, Origin.PARAMETER)
            return (
                Value(Kind.MODULE, confidence=0.8)
                if node.attr in ("module", "model")
                else by_name(node.attr, self.device) or UNKNOWN
            )
        return by_name(node.attr, self.device) or UNKNOWN

    def _tensor_attribute(self, base: Value, name: str) -> Value:
        if name in ("shape", "names"):
            return Value(Kind.SHAPE)
        if name in TENSOR_NUMBER_ATTRIBUTES or name.startswith("is_"):
            return NUMBER
        if name in ("data", "grad"):
            return replace(base, attached=False)
        return base

    def self_attribute(self, owner: Class, name: str, depth: int = 0) -> Value:
        """What `self.<name>` holds, by all assignments in the class and its bases in the file."""
        return self._follow((owner, name), lambda: self._self_attribute(owner, name, depth))

    def _self_attribute(self, owner: Class, name: str, depth: int) -> Value:
        bindings = [item for item in owner.attributes.get(name, []) if item.how is not How.AUGMENT]
        if bindings:
            found = merge(self.binding(item) for item in bindings)
            if found.kind is not Kind.UNKNOWN:
                return found
        elif depth < _DEEPEST_BASE:
            for base in owner.node.bases:
                parent = self.outline.classes.get(last_name(base))
                if parent is not None and parent is not owner and name in parent.attributes:
                    return self.self_attribute(parent, name, depth + 1)
        return by_name(name, self.device) or UNKNOWN

    def _subscript(self, node: ast.Subscript, block: Block) -> Value:
        if isinstance(node.value, ast.Dict | ast.Tuple | ast.List) is False:
            base = self.of(node.value, block)
            if base.kind is Kind.UNKNOWN and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
                return by_name(node.slice.value, self.device) or UNKNOWN
            return self.element(base)
        return self.element(self.of(node.value, block))

    def returned(self, function: Function) -> Value:
        """What a function of the file returns."""
        return self._follow(function, lambda: self._further(function, lambda: self._returned(function)))

    def _returned(self, function: Function) -> Value:
        values = [
            self.of(place.node.value, place.block)
            for place in function.returns
            if isinstance(place.node, ast.Return) and place.node.value is not None
        ]
        return merge(values) if values else NONE

    def imported(self, node: ast.expr, block: Block) -> str | None:
        """The dotted origin of a chain that starts at an imported name, such as "torch.nn.functional.mse_loss"."""
        return self.outline.imported(node, block)

    def is_module_class(self, cls: Class, depth: int = 0) -> bool:
        """Whether a class of the file is an nn.Module, by its bases."""
        for base in cls.node.bases:
            name = last_name(base)
            parent = self.outline.classes.get(name)
            if parent is not None and parent is not cls and depth < 6:
                if self.is_module_class(parent, depth + 1):
                    return True
            elif name.endswith(("Module", "Model", "PreTrainedModel")) or name in ("Sequential", "ModuleList"):
                return True
        return False

    def device_argument(self, call: ast.Call, block: Block) -> Home | None:
        """Where `.to(...)` or a factory puts its result; None if no argument says so."""
        return device_of(self, call, block)
