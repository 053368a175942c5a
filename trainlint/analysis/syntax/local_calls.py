"""Who calls whom inside a file."""

from __future__ import annotations

import ast
from typing import NamedTuple

from trainlint.analysis.syntax.blocks import Binding, Block, BlockKind, Class, Function, How, Place
from trainlint.analysis.syntax.names import last_name, position
from trainlint.analysis.syntax.outline import Outline
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.tables.common_names import PLAIN_METHODS
from trainlint.analysis.tables.host_reads import ITEM
from trainlint.analysis.tables.module_methods import RETURN_SELF

COMMON_METHODS = frozenset((ITEM.name,)) | frozenset(
    "forward step update to backward train eval zero_grad state_dict load_state_dict append add get set "
    "reset run save load "
    "write read close log print start stop next size copy items keys values join format sample mean sum compute".split()
)
"""Method names that too many classes share for a call on an unknown object to mean the file's own method."""
_MOST_BINDINGS = 100
"""What is assigned more often than that is generated code, and no instance of one class."""
_NO_CLASS = frozenset((None,))


class Edge(NamedTuple):
    """One call site of a function of the file."""

    place: Place
    function: Function
    confidence: float
    passed: bool = False
    """The function is handed over at this place, not called there."""


class LocalCalls:
    """Calls between functions of one file, both ways."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self.callers: dict[Function, list[Edge]] = {}
        self.callee: dict[ast.AST, Edge] = {}
        """Call node → the function of the file that it runs."""
        self.handed: dict[ast.AST, list[Function]] = {}
        """Call node → functions of the file that it is given as arguments."""
        self.entered: dict[ast.AST, list[Function]] = {}
        """Call node in the head of a `with` → the methods of the file that entering and leaving run."""
        self._bound: dict[tuple[Binding, int], Class | None] = {}

    def runs(self, place: Place) -> list[Function]:
        """The functions of the file that a call runs: its callee, and the closure that `optimizer.step` is given."""
        edge = self.callee.get(place.node)
        found = [edge.function] if edge is not None else []
        if isinstance(place.node, ast.Call) and last_name(place.node.func) == "step":
            found += self.handed.get(place.node, [])
        return found

    def enclosing(self, block: Block) -> Function | None:
        """The innermost function around a block."""
        return self.outline.enclosing(block)

    def owner(self, block: Block) -> Class | None:
        """The class whose method the innermost function around a block is."""
        function = self.enclosing(block)
        return function.owner if function is not None else None

    def instance_class(self, node: ast.expr, block: Block, depth: int = 0) -> Class | None:
        """The class of the file of which an expression is an instance, where a plain assignment tells."""
        if depth > 6:
            return None
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and node.func.attr in RETURN_SELF:
                return self.instance_class(node.func.value, block, depth + 1)
            if isinstance(node.func, ast.Name):
                return self.class_named(node.func, block)
            return None
        if isinstance(node, ast.Name):
            owner = self.self_class(node, block)
            if owner is not None:
                return owner
        bindings = self.outline.bindings(node, block)
        if not bindings or len(bindings) > _MOST_BINDINGS:
            return None
        found = {
            self._bound_class(binding, depth + 1)
            for binding in bindings
            if binding.how is How.ASSIGN and binding.value is not None and not binding.path
        } - _NO_CLASS
        return found.pop() if len(found) == 1 else None

    def _bound_class(self, binding: Binding, depth: int) -> Class | None:
        """The class of what is assigned: asked once for each depth, since `x = x.to(d)` may lead round and round."""
        key = (binding, depth)
        if key not in self._bound:
            assert binding.value is not None
            self._bound[key] = self.instance_class(binding.value, binding.block, depth)
        return self._bound[key]

    def self_class(self, node: ast.Name, block: Block) -> Class | None:
        """The class whose method calls its own object by this name, as in `self`."""
        return self.outline.self_class(node, block)

    def class_named(self, node: ast.Name, block: Block) -> Class | None:
        """The class of the file that a name means, as `cls` does in a class method."""
        owner = self.self_class(node, block)
        if owner is not None:
            scope = block.scope.owner(node.id)
            function = self.outline.function_of[scope.node] if scope is not None else None
            return owner if function is not None and function.is_decorated("classmethod") else None
        cls = self.outline.classes.get(node.id)
        if cls is None:
            return None
        found = reaching(node.id, block, position(node))
        return cls if len(found) == 1 and found[0].how is How.CLASS else None

    def method(self, cls: Class, name: str, depth: int = 0) -> Function | None:
        """A method of a class or of its bases in the file."""
        if name in cls.methods:
            return cls.methods[name]
        if depth < 8:
            for base in cls.node.bases:
                parent = self.outline.classes.get(last_name(base))
                if parent is not None and parent is not cls:
                    found = self.method(parent, name, depth + 1)
                    if found is not None:
                        return found
        return None


def call_graph(outline: Outline) -> LocalCalls:
    """Resolve the calls of a file that stay in it."""
    graph = LocalCalls(outline)
    by_method = _methods_by_name(outline)
    names = {function.name for function in outline.functions} | set(outline.classes)
    entered = entered_calls(outline)
    for place in outline.all_calls():
        call = place.node
        assert isinstance(call, ast.Call)
        edge = _resolve(graph, place, call, by_method)
        if edge is not None:
            graph.callers.setdefault(edge.function, []).append(edge)
            graph.callee[call] = edge
        if call in entered and isinstance(call.func, ast.Name):
            made = graph.class_named(call.func, place.block)
            graph.entered[call] = _entering_methods(graph, made) if made is not None else []
        given = call.args if not call.keywords else [*call.args, *[keyword.value for keyword in call.keywords]]
        for handed in given:
            if type(handed) is ast.Name:
                if handed.id in names:
                    _hand_over(graph, place, handed)
            elif type(handed) is ast.Attribute and handed.attr in names:
                _hand_over(graph, place, handed)
    return graph


def _methods_by_name(outline: Outline) -> dict[str, list[Function]]:
    """The methods of all classes that a file may mean by a name."""
    found: dict[str, list[Function]] = {function.name: [] for function in outline.functions if function.owner}
    for cls in outline.classes.values():
        for name, method in cls.methods.items():
            found.setdefault(name, []).append(method)
    return found


def _entering_methods(graph: LocalCalls, cls: Class) -> list[Function]:
    methods = [graph.method(cls, name) for name in ("__enter__", "__exit__")]
    return [method for method in methods if method is not None]


def _hand_over(graph: LocalCalls, place: Place, named: ast.Name | ast.Attribute) -> None:
    """Record that a call is given a function of the file, where a name means one."""
    function = _named_function(graph, named, place.block)
    if function is not None:
        graph.callers.setdefault(function, []).append(Edge(place, function, 0.6, passed=True))
        graph.handed.setdefault(place.node, []).append(function)


def entered_calls(outline: Outline) -> set[ast.AST]:
    """The calls whose results a `with` enters."""
    heads = (block.node for block in outline.blocks if block.kind is BlockKind.WITH)
    return {
        item.context_expr
        for node in heads
        if isinstance(node, (ast.With, ast.AsyncWith))
        for item in node.items
        if isinstance(item.context_expr, ast.Call)
    }


def _named_function(graph: LocalCalls, node: ast.Name | ast.Attribute, block: Block) -> Function | None:
    if isinstance(node, ast.Name):
        found = [item for item in reaching(node.id, block, position(node)) if item.how is How.FUNCTION]
        return graph.outline.function_of.get(found[0].node) if found else None
    if isinstance(node.value, ast.Name):
        owner = graph.self_class(node.value, block)
        return graph.method(owner, node.attr) if owner is not None else None
    return None


def _resolve(graph: LocalCalls, place: Place, call: ast.Call, by_method: dict[str, list[Function]]) -> Edge | None:
    """The function of the file that a call runs. `by_method` has the methods of all classes by their names."""
    func, block = call.func, place.block
    if isinstance(func, ast.Name):
        bindings = reaching(func.id, block, position(func))
        if not bindings or (len(bindings) == 1 and bindings[0].how is How.IMPORT):
            return None  # built in, or of another file
        function = _named_function(graph, func, block)
        if function is not None:
            return Edge(place, function, 1.0)
        if graph.class_named(func, block) is not None:
            return None
    instance = graph.instance_class(func, block)
    if instance is not None:
        forward = graph.method(instance, "forward") or graph.method(instance, "__call__")
        return Edge(place, forward, 1.0) if forward is not None else None
    if not isinstance(func, ast.Attribute) or func.attr not in by_method:
        return None
    return _resolve_method(graph, place, func, by_method[func.attr])


def _resolve_method(graph: LocalCalls, place: Place, func: ast.Attribute, candidates: list[Function]) -> Edge | None:
    """The method that a call runs: of the object's class, or else the only one of a name that few classes have."""
    owner = graph.instance_class(func.value, place.block)
    if owner is not None:
        found = graph.method(owner, func.attr)
        return Edge(place, found, 1.0) if found is not None else None
    plain = func.attr in COMMON_METHODS or func.attr in PLAIN_METHODS
    if len(candidates) == 1 and not plain and not _is_module_attribute(graph.outline, func):
        return Edge(place, candidates[0], 0.8)
    return None


def _is_module_attribute(outline: Outline, func: ast.Attribute) -> bool:
    root: ast.expr = func
    while isinstance(root, ast.Attribute):
        root = root.value
    return isinstance(root, ast.Name) and root.id in outline.imports
