"""Kinds by local data flow: from an expression back to what made its value.

Flow inside a function is followed in order; attributes of `self`, parameters and return values through
the calls that stay in the file. Where nothing tells, a name is weak evidence and lowers the confidence.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from trainlint.model.blocks import Binding, Block, BlockKind, Class, Function, How
from trainlint.model.calls import call_value, device_of
from trainlint.model.gradients import Gradients
from trainlint.model.graph import CallGraph
from trainlint.model.iteration import iterated
from trainlint.model.keys import Keys
from trainlint.model.lookup import reaching
from trainlint.model.names import argument, constant, dotted, imported_names, last_name, position
from trainlint.model.outline import Outline
from trainlint.model.outside import Outside
from trainlint.model.parameters import annotation_value, parameter_value
from trainlint.model.pointers import ANY, Pointer, Start, along
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
    shallow,
)
from trainlint.model.vocabulary import DTYPES, TENSOR_NUMBER_ATTRIBUTES, by_name

_PLAIN_TENSORS = frozenset({Origin.PARAMETER, Origin.FACTORY, Origin.LOSS})
"""Tensors that are surely no objects which hold tensors, as batches and outputs may be."""
_VIEWS = frozenset({"T", "mT", "H", "mH", "real", "imag"})
_DEEPEST = 30
"""How many steps back a value is followed."""
_DEEPEST_BASE = 6
_FARTHEST = 5
"""How many functions away, by calls up or down, a value is followed."""
_MOST_ITEMS = 12
"""Longer tuples are tables, not several results."""
_TOO_FAR = "too far"
_LONGEST = 600
"""How many steps one question may take in all."""


@dataclass(slots=True, eq=False)
class Kinds:
    """Answers for one file, worked out when asked for."""

    outline: Outline
    graph: CallGraph
    gradients: Gradients
    keys: Keys
    outside: Outside
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
                return self._written_out(node.elts, block)
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

    def _written_out(self, items: list[ast.expr], block: Block) -> Value:
        values = [shallow(self.of(item, block), 1) for item in items]
        in_order = not any(isinstance(item, ast.Starred) for item in items) and len(items) <= _MOST_ITEMS
        element = replace(merge(values), items=()) if values else None
        return Value(Kind.CONTAINER, element=element, items=tuple(values) if in_order else ())

    def _innermost(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, block: Block) -> Block:
        return self.outline.loop_blocks.get(node.generators[-1], block)

    def _comparison(self, node: ast.Compare, block: Block) -> Value:
        if any(isinstance(operator, ast.Is | ast.IsNot | ast.In | ast.NotIn) for operator in node.ops):
            return NUMBER
        sides = [self.of(side, block) for side in (node.left, *node.comparators)]
        if any(side.kind in (Kind.STRING, Kind.NONE, Kind.DTYPE, Kind.DEVICE, Kind.SHAPE) for side in sides):
            return NUMBER  # compared with what no tensor is compared with, whatever the other side looks like
        found = combine(sides)
        return (
            replace(found, attached=False) if found.is_tensor else NUMBER if found.kind is not Kind.UNKNOWN else UNKNOWN
        )

    # names

    def _name(self, node: ast.Name, block: Block) -> Value:
        bindings = reaching(node.id, block, position(node))
        if not bindings:
            if self.outline.may_be_starred(node.id, block):
                return self._named(node.id, UNKNOWN.pointing(Pointer(Start.LOCAL, node.id)))
            return UNKNOWN if hasattr(builtins, node.id) else by_name(node.id, self.device) or UNKNOWN
        values = [self.binding(item) for item in bindings]
        # An accumulator's starting value says nothing of what is added to it.
        flowing = [
            value
            for value, item in zip(values, bindings, strict=True)
            if value is not UNKNOWN or item.how is not How.AUGMENT
        ]
        found = merge(flowing)
        if found.kind is Kind.CONTAINER and found.element is None and not found.items:
            found = replace(found, element=self._filled(node.id, block))
        if found.kind is Kind.UNKNOWN and not any(
            item.how in (How.IMPORT, How.FUNCTION, How.CLASS) for item in bindings
        ):
            return self._named(node.id, found)
        return found

    def _filled(self, name: str, block: Block) -> Value | None:
        """What is put, one after the other, into a container that starts empty."""
        scope = block.scope.owner(name)
        put: list[Value] = []
        for place in self.outline.fillings.get(name, ())[:_MOST_ITEMS]:
            node = place.node
            if place.block.scope.owner(name) is not scope or not isinstance(node, ast.expr):
                continue
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and dotted(node.func.value) == name:
                given = self.of(node.args[0], place.block)
                put.append(self.element(given) if node.func.attr in ("update", "extend") else given)
            else:
                put.append(self.of(node, place.block))
        known = [value for value in put if value.kind is not Kind.UNKNOWN] or [value for value in put if value.pointers]
        return replace(merge(known), items=()) if known else None

    def _named(self, name: str, found: Value) -> Value:
        """What only a name says of a value, which keeps pointing to where it comes from."""
        guess = by_name(name, self.device)
        return guess.pointing(*found.pointers) if guess is not None else found

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
            case How.IMPORT if isinstance(binding.node, ast.Import | ast.ImportFrom):
                origin = dict(imported_names(binding.node)).get(binding.name)
                return UNKNOWN.pointing(Pointer(Start.NAME, origin)) if origin else UNKNOWN
            case How.FUNCTION | How.CLASS if binding.block.kind is BlockKind.MODULE:
                return UNKNOWN.pointing(Pointer(Start.LOCAL, binding.name))
            case How.FUNCTION if binding.node in self.outline.function_of:
                return UNKNOWN.pointing(
                    Pointer(Start.LOCAL, self.keys.function(self.outline.function_of[binding.node]))
                )
            case _:
                return UNKNOWN

    def _further(self, key: object, answer: Callable[[], Value]) -> Value:
        """Answer from another function, a caller or a callee, but not without end: the ways double with each level."""
        if self._levels >= _FARTHEST:
            self._cut.add((_TOO_FAR, key))  # not the key itself: answering the question would take that back
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
        for place in path:
            found = self.item(found, place)
        return found

    def _prepared(self, call: ast.Call, path: tuple[int, ...], block: Block) -> Value:
        """What a framework's `prepare` hands back: its arguments, with loaders that move their batches."""
        if last_name(call.func) == "initialize":
            if path[0] < 0:
                return UNKNOWN
            model = argument(call, "model", 1)
            pointers = self.of(model, block).pointers if model is not None else ()
            engine = Value(Kind.MODULE, pointers=pointers)
            return [engine, Value(Kind.OPTIMIZER), Value(Kind.LOADER), Value(Kind.SCHEDULER)][min(path[0], 3)]
        if 0 <= path[0] < len(call.args):
            return replace(self.of(call.args[path[0]], block), prepared=True)
        return UNKNOWN

    def item(self, value: Value, place: int) -> Value:
        """What unpacking a value gives at one place; -1 for a place that is not known."""
        if 0 <= place < len(value.items):
            return value.items[place]
        found = self.element(value)
        return replace(found, pointers=along(value.pointers, place)) if value.pointers else found

    def element(self, value: Value) -> Value:
        """What indexing or iterating a value gives."""
        found = self._element(value)
        if value.pointers and not found.pointers:
            return replace(found, pointers=along(value.pointers, ANY))
        return found

    def _element(self, value: Value) -> Value:
        if value.kind is Kind.CONTAINER:
            return value.element or UNKNOWN
        if value.kind in (Kind.TENSOR, Kind.ARRAY, Kind.STRING):
            return replace(value, items=()) if value.items else value
        if value.kind is Kind.SHAPE:
            return NUMBER
        if value.kind is Kind.LOADER:
            return self.batch(value)
        if value.kind is Kind.MODULE:
            return value.element or value
        return UNKNOWN

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
            return UNKNOWN.pointing(Pointer(Start.NAME, origin))
        if isinstance(node.value, ast.Name):
            owner = self.graph.self_class(node.value, block)
            if owner is not None:
                return self.self_attribute(owner, node.attr)
        base = self.of(node.value, block)
        found = self._attribute_of(base, node)
        if base.pointers and not found.pointers:
            return replace(found, pointers=along(base.pointers, node.attr))
        return found

    def _attribute_of(self, base: Value, node: ast.Attribute) -> Value:
        if node.attr == "device":
            return Value(Kind.DEVICE)
        if node.attr == "dtype":
            return Value(Kind.DTYPE)
        if base.is_tensor:
            return self._tensor_attribute(base, node.attr)
        if node.attr == "grad" and base.kind is Kind.UNKNOWN:
            return Value(Kind.TENSOR, self.device, False, Origin.PARAMETER, 0.8)
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
        if name == "name":
            return Value(Kind.STRING)
        if name in TENSOR_NUMBER_ATTRIBUTES or name.startswith("is_"):
            return NUMBER
        if name in ("data", "grad"):
            return replace(base, attached=False)
        if base.origin in _PLAIN_TENSORS and name not in _VIEWS:
            return UNKNOWN
        return base

    def self_attribute(self, owner: Class, name: str, depth: int = 0) -> Value:
        """What `self.<name>` holds, by all assignments in the class and its bases in the file."""
        return self._follow((owner, name), lambda: self._self_attribute(owner, name, depth))

    def _self_attribute(self, owner: Class, name: str, depth: int) -> Value:
        bindings = [item for item in owner.attributes.get(name, []) if item.how is not How.AUGMENT]
        if bindings:
            for item in bindings:
                annotated = annotation_value(item.node.annotation) if isinstance(item.node, ast.AnnAssign) else None
                if annotated is not None and annotated.kind in (Kind.NUMBER, Kind.STRING):
                    return annotated
            found = merge(self.binding(item) for item in bindings)
            return found if found.kind is not Kind.UNKNOWN else self._named(name, found)
        if depth < _DEEPEST_BASE:
            for base in owner.node.bases:
                parent = self.outline.classes.get(last_name(base))
                if parent is not None and parent is not owner and name in parent.attributes:
                    return self.self_attribute(parent, name, depth + 1)
        registered = self._registered(owner, name)
        if registered is not None:
            return registered
        told = self.outside.attributes.get((owner.name, name), UNKNOWN)
        if told.kind is not Kind.UNKNOWN:
            return told
        return self._named(name, UNKNOWN.pointing(Pointer(Start.INSTANCE, owner.name, path=(name,))))

    def _registered(self, owner: Class, name: str) -> Value | None:
        """A buffer or parameter that the class registers under a name: it moves with the module."""
        for register in ("register_buffer", "register_parameter"):
            for place in self.outline.calls.get(register, ()):
                call = place.node
                function = self.graph.enclosing(place.block)
                if isinstance(call, ast.Call) and function is not None and function.owner is owner and call.args:
                    if constant(call.args[0]) == name:
                        attached = register == "register_parameter"
                        return Value(Kind.TENSOR, self.device, attached, Origin.PARAMETER)
        return None

    def _subscript(self, node: ast.Subscript, block: Block) -> Value:
        if not isinstance(node.value, ast.Dict | ast.Tuple | ast.List):
            base = self.of(node.value, block)
            if base.kind is Kind.UNKNOWN and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
                return by_name(node.slice.value, self.device) or UNKNOWN
            place = constant(node.slice)
            return self.item(base, place) if isinstance(place, int) and base.items else self.element(base)
        return self.element(self.of(node.value, block))

    def returned(self, function: Function) -> Value:
        """What a function of the file returns."""
        return self._follow(function, lambda: self._further(function, lambda: self._returned(function)))

    def outcome(self, function: Function) -> Value:
        """What a caller in another file gets from a function: nothing that is known, where it yields."""
        if function.is_generator:
            return UNKNOWN
        if not self._busy:
            self._steps = 0
            self._cut.clear()
        return self.returned(function)

    def _returned(self, function: Function) -> Value:
        values = [
            self.of(place.node.value, place.block)
            for place in function.returns
            if isinstance(place.node, ast.Return) and place.node.value is not None
        ]
        return shallow(merge(values)) if values else NONE

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
