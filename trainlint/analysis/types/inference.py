"""What the values of one file are, by the code that makes them: from an expression back through plain assignments.

Only what stands in the file is followed, and no call is executed: the abstract run (`trainlint.interpreter`) does that.
Where nothing tells, a name is weak evidence.
"""

from __future__ import annotations

import ast
import builtins

from trainlint.analysis.syntax.blocks import Binding, Block, Class, Function, How
from trainlint.analysis.syntax.local_calls import LocalCalls
from trainlint.analysis.syntax.names import argument, constant, last_name, position
from trainlint.analysis.syntax.outline import Outline
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.tables import iterables, tensor_attributes
from trainlint.analysis.tables.host_reads import READS, TO_NO_TENSOR, Gives
from trainlint.analysis.tables.module_methods import RETURN_SELF
from trainlint.analysis.types.batch_sources import draws_batch, is_batch_source, iterated_by
from trainlint.analysis.types.values import (
    NONE,
    NUMBER,
    STRING,
    TENSOR,
    UNKNOWN,
    Kind,
    Origin,
    Value,
    computed,
    merged,
)
from trainlint.analysis.types.vocabulary import (
    ANNOTATIONS,
    BUILTINS,
    COMPUTING_METHOD,
    CRITERION_NAME,
    DETACHING,
    TENSOR_NUMBERS,
    by_name,
    constructed,
    named_constant,
)

_DECLARING = (How.IMPORT, How.FUNCTION, How.CLASS)
_DEEPEST = 12
"""How many expressions back a value is followed."""
_MOST_BINDINGS = 20
"""What is assigned more often says nothing of one value."""
_CONTAINERS = (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_READ = {Gives.NUMBER: NUMBER, Gives.NUMBERS: Value(Kind.CONTAINER), Gives.ARRAY: Value(Kind.ARRAY)}
_BATCH = Value(Kind.TENSOR, Origin.BATCH)
_OF_ANYTHING = {"device": Value(Kind.DEVICE), "dtype": Value(Kind.DTYPE), "shape": Value(Kind.SHAPE)}
_INNER_ANNOTATION = frozenset({"Optional", "Annotated", "Final"})
_HOLDING_ANNOTATION = frozenset("List list Tuple tuple Dict dict Sequence Iterable Mapping".split())


class Kinds:
    """Answers for one file, worked out when asked for."""

    def __init__(self, outline: Outline, graph: LocalCalls) -> None:
        self.outline = outline
        self.graph = graph
        self._known: dict[ast.expr, Value] = {}
        self._busy: set[object] = set()
        self._cut = 0
        """How often a circle or the depth has ended an answer."""
        self._meanwhile: dict[ast.expr, Value] = {}
        """Answers that such an end took part in: they hold for the question that is being answered."""

    def of(self, node: ast.expr, block: Block) -> Value:
        """The value of an expression that stands in a block; UNKNOWN where it runs in a circle or too far."""
        known = self._known.get(node) or self._meanwhile.get(node)
        if known is not None:
            return known
        if node in self._busy or len(self._busy) > _DEEPEST:
            self._cut += 1
            return UNKNOWN
        before = self._cut
        self._busy.add(node)
        try:
            found = self._of(node, block)
        finally:
            self._busy.discard(node)
        if not self._busy:
            self._meanwhile.clear()
        is_whole = self._cut == before or not self._busy
        (self._known if is_whole else self._meanwhile)[node] = found
        return found

    def _of(self, node: ast.expr, block: Block) -> Value:
        match node:
            case ast.Constant(value=value):
                return _constant(value)
            case ast.JoinedStr():
                return STRING
            case ast.Name():
                return self._name(node, block)
            case ast.Attribute():
                return self._attribute(node, block)
            case ast.Call():
                return self._call(node, block)
            case ast.Subscript():
                return self._subscript(node, block)
            case ast.BinOp():
                return computed([self.of(node.left, block), self.of(node.right, block)])
            case ast.Compare():
                return self._comparison(node, block)
        return self._of_operator(node, block)

    def _of_operator(self, node: ast.expr, block: Block) -> Value:
        match node:
            case ast.UnaryOp():
                return NUMBER if isinstance(node.op, ast.Not) else self.of(node.operand, block)
            case ast.IfExp(body=body, orelse=otherwise):
                return merged([self.of(body, block), self.of(otherwise, block)])
            case ast.BoolOp(values=values):
                return merged(self.of(value, block) for value in values)
            case ast.NamedExpr(value=value) | ast.Await(value=value):
                return self.of(value, block)
        return Value(Kind.CONTAINER) if isinstance(node, _CONTAINERS) else UNKNOWN

    def _name(self, node: ast.Name, block: Block) -> Value:
        bindings = reaching(node.id, block, position(node))
        found = self._merged(bindings)
        if found.kind is not Kind.UNKNOWN or any(item.how in _DECLARING for item in bindings):
            return found
        return UNKNOWN if not bindings and hasattr(builtins, node.id) else by_name(node.id) or UNKNOWN

    def _merged(self, bindings: list[Binding]) -> Value:
        return merged(map(self.binding, bindings)) if len(bindings) <= _MOST_BINDINGS else UNKNOWN

    def binding(self, binding: Binding) -> Value:
        """What one binding gives its name."""
        if binding in self._busy:
            self._cut += 1
            return UNKNOWN
        self._busy.add(binding)
        try:
            return self._binding(binding)
        finally:
            self._busy.discard(binding)

    def _binding(self, binding: Binding) -> Value:
        value, block = binding.value, binding.block
        if binding.how is How.PARAMETER:
            return self._parameter(binding)
        if value is None:
            return UNKNOWN
        if binding.how is How.FOR:
            return self._iterated(value, binding.path, block.parent or block)
        if binding.how is How.AUGMENT:
            added = self.of(value, block)
            return added if added.is_tensor else UNKNOWN
        if binding.how is not How.ASSIGN:
            return UNKNOWN
        path = binding.path
        while path and isinstance(value, ast.Tuple | ast.List) and 0 <= path[0] < len(value.elts):
            value, path = value.elts[path[0]], path[1:]
        if not path:
            found = self.of(value, block)
            written = annotation_value(binding.node.annotation) if isinstance(binding.node, ast.AnnAssign) else None
            return written if found.kind is Kind.UNKNOWN and written is not None else found
        return _part(self.of(value, block))

    def _parameter(self, binding: Binding) -> Value:
        arg, function = binding.node, self.outline.function_of.get(binding.block.node)
        assert isinstance(arg, ast.arg)
        annotated = annotation_value(arg.annotation)
        if annotated is not None:
            return annotated
        if function is not None and function.owner is not None and arg is function.parameters[0]:
            return Value(Kind.MODULE) if self.is_module_class(function.owner) else UNKNOWN
        default = binding.value
        return self.of(default, function.outside) if default is not None and function is not None else UNKNOWN

    def _iterated(self, source: ast.expr, path: tuple[int, ...], block: Block) -> Value:
        """What a loop binds at a place of its target."""
        name = last_name(source.func) if isinstance(source, ast.Call) else ""
        if iterables.counts_rounds(name) or iterables.yields_numbers(name):
            return NUMBER
        if iterables.numbers_items(name) and path[:1] == (0,):
            return NUMBER
        if name in ("parameters", "named_parameters"):
            return STRING if path == (0,) else TENSOR
        if name in ("named_modules", "named_children"):
            return STRING if path == (0,) else Value(Kind.MODULE)
        if is_batch_source(source, block):
            return _BATCH
        inside = iterated_by(source) if isinstance(source, ast.Call) else None
        return _part(self.of(inside if inside is not None else source, block))

    def _attribute(self, node: ast.Attribute, block: Block) -> Value:
        origin = self.outline.imported(node, block)
        if origin is not None:
            return named_constant(origin) or UNKNOWN
        if node.attr in _OF_ANYTHING:
            return _OF_ANYTHING[node.attr]
        owner = self.outline.self_class(node.value, block) if isinstance(node.value, ast.Name) else None
        if owner is not None:
            found = self._merged(owner.attributes.get(node.attr, []))
            return found if found.kind is not Kind.UNKNOWN else by_name(node.attr) or UNKNOWN
        base = self.of(node.value, block)
        if base.is_tensor and (node.attr in ("grad", "values") or node.attr in tensor_attributes.VIEWS):
            return base
        if node.attr in tensor_attributes.NUMBERS:
            return NUMBER
        return by_name(node.attr) or UNKNOWN

    def _subscript(self, node: ast.Subscript, block: Block) -> Value:
        base, key = self.of(node.value, block), constant(node.slice)
        if base.kind is Kind.SHAPE and isinstance(node.slice, ast.Slice):
            return base
        if base.kind is Kind.UNKNOWN and isinstance(key, str):
            return by_name(key) or UNKNOWN
        return _part(base)

    def _comparison(self, node: ast.Compare, block: Block) -> Value:
        if any(isinstance(operator, ast.Is | ast.IsNot | ast.In | ast.NotIn) for operator in node.ops):
            return NUMBER
        found = computed(self.of(side, block) for side in (node.left, *node.comparators))
        if found.is_tensor:
            return found._replace(dropped_graph=True)
        return NUMBER if found.kind is Kind.NUMBER else UNKNOWN

    def _call(self, call: ast.Call, block: Block) -> Value:
        name, origin = last_name(call.func), self.outline.imported(call.func, block)
        if origin is not None:
            return constructed(origin, name) or UNKNOWN
        if draws_batch(call, block):
            return _BATCH
        if isinstance(call.func, ast.Name):
            cls = self.graph.class_named(call.func, block)
            if cls is not None:
                return Value(Kind.MODULE) if self.is_module_class(cls) else UNKNOWN
            if block.scope.owner(name) is None and name in BUILTINS:
                return BUILTINS[name]
        edge = self.graph.callee.get(call)
        if edge is not None and not edge.passed and not edge.function.is_generator:
            found = self._returned(edge.function)
            if found.kind is not Kind.UNKNOWN:
                return found
        if isinstance(call.func, ast.Attribute):
            return self._method(call, call.func, block)
        return self._run(call, self.of(call.func, block), block)

    def _returned(self, function: Function) -> Value:
        """What a function of the file returns."""
        returns = [(place.node.value, place.block) for place in function.returns if isinstance(place.node, ast.Return)]
        return merged(self.of(value, block) for value, block in returns[:_MOST_BINDINGS] if value is not None)

    def _method(self, call: ast.Call, func: ast.Attribute, block: Block) -> Value:
        """The result of a method."""
        base, name = self.of(func.value, block), func.attr
        if name in TO_NO_TENSOR:
            return _READ[READS[name].gives]
        if name in ("size", "stride"):
            return NUMBER if call.args else Value(Kind.SHAPE)
        if base.is_tensor:
            return self._of_tensor(call, base, name, block)
        if base.kind is Kind.MODULE and name in RETURN_SELF:
            return base
        if base.kind is Kind.MODULE and COMPUTING_METHOD.search(name):
            return self._run(call, base, block)
        if base.kind in (Kind.ARRAY, Kind.STRING, Kind.NUMBER):
            return base
        return self._run(call, self.of(func, block), block)

    def _of_tensor(self, call: ast.Call, base: Value, name: str, block: Block) -> Value:
        if name in TENSOR_NUMBERS or (name == "dim" and not call.args):
            return NUMBER
        if name == "type" and not call.args:
            return STRING
        if name in ("backward", "items", "keys", "values"):
            return UNKNOWN
        others = [value for item in call.args if (value := self.of(item, block)).is_tensor]
        found = computed([base, *others])
        return found._replace(dropped_graph=True) if name in DETACHING else found

    def _run(self, call: ast.Call, module: Value, block: Block) -> Value:
        """What a call of a module gives: a loss where its name says so."""
        loss = module.loss_function or bool(CRITERION_NAME.search(last_name(call.func)))
        if module.kind is not Kind.MODULE and not (loss and call.args):
            return UNKNOWN
        if last_name(call.func)[:1].isupper() and not isinstance(call.func, ast.Call):
            return Value(Kind.MODULE, proved=False)  # a class that was handed over
        return Value(Kind.TENSOR, Origin.LOSS if loss else Origin.OUTPUT, module.proved)

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

    def goes_to_device(self, call: ast.Call, block: Block) -> bool:
        """Whether `.to(...)`, `.type(...)` or a factory is told a device other than the CPU."""
        given = argument(call, "device")
        if given is None and last_name(call.func) in ("to", "type") and call.args:
            given = call.args[0]
        return given is not None and self._is_device(given, block)

    def _is_device(self, node: ast.expr, block: Block) -> bool:
        named = node.args[0] if isinstance(node, ast.Call) and last_name(node.func) == "device" and node.args else node
        literal = constant(named)
        if literal is not None:
            return not str(literal).startswith(("cpu", "meta"))
        for binding in reaching(node.id, block, position(node)) if isinstance(node, ast.Name) else ():
            if binding.how is How.ASSIGN and isinstance(binding.value, ast.Constant | ast.Call) and not binding.path:
                if binding.value is not node and _is_cpu(binding.value):
                    return False
        return self.of(node, block).kind in (Kind.DEVICE, Kind.TENSOR, Kind.STRING, Kind.NUMBER)


def _constant(value: object) -> Value:
    return NONE if value is None else STRING if isinstance(value, str | bytes) else NUMBER


def _is_cpu(node: ast.expr) -> bool:
    """Whether an expression is the CPU as a device, or its name."""
    named = node.args[0] if isinstance(node, ast.Call) and last_name(node.func) == "device" and node.args else node
    return str(constant(named)).startswith("cpu")


def _part(value: Value) -> Value:
    """What indexing, unpacking or iterating a value gives."""
    if value.kind in (Kind.TENSOR, Kind.ARRAY, Kind.STRING, Kind.MODULE):
        return value
    if value.kind is Kind.LOADER:
        return _BATCH
    return NUMBER if value.kind is Kind.SHAPE else UNKNOWN


def annotation_value(node: ast.expr | None) -> Value | None:
    """The kind that an annotation names; None where it names none that rules know."""
    match node:
        case ast.Constant(value=str(text)):
            return ANNOTATIONS.get(text.rpartition(".")[2].rstrip("]"))
        case ast.BinOp(left=left, right=right):
            return annotation_value(left) or annotation_value(right)
        case ast.Subscript(slice=inner) if last_name(node) in _INNER_ANNOTATION:
            return annotation_value(inner.elts[0] if isinstance(inner, ast.Tuple) and inner.elts else inner)
        case ast.Subscript() if last_name(node) in _HOLDING_ANNOTATION:
            return Value(Kind.CONTAINER)
        case ast.expr():
            return ANNOTATIONS.get(last_name(node))
    return None
