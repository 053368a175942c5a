"""Kinds by local data flow: from an expression back to what made its value.

Flow inside a function is followed in order; attributes of `self`, parameters and return values through
the calls that stay in the file. Where nothing tells, a name is weak evidence and lowers the confidence.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Binding, Block, BlockKind, Class, Function, How, Place, Position
from trainlint.analysis.syntax.local_calls import LocalCalls
from trainlint.analysis.syntax.names import argument, dotted, imported_names, last_name, position
from trainlint.analysis.syntax.outline import Outline
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.syntax.stable_keys import Keys
from trainlint.analysis.tables import loaders
from trainlint.analysis.types.access_paths import ANY, AccessPath, Start, extended_paths
from trainlint.analysis.types.attributes import assigned_to_self, attribute_value, is_summed, sum_before
from trainlint.analysis.types.batch_sources import is_batch_source
from trainlint.analysis.types.calls.call_results import call_value, is_left_open
from trainlint.analysis.types.evaluator import Evaluator
from trainlint.analysis.types.imported_facts import ImportedFacts
from trainlint.analysis.types.iteration import iterated, iterated_item
from trainlint.analysis.types.named_devices import device_of
from trainlint.analysis.types.parameters import annotation_value, parameter_value
from trainlint.analysis.types.reassigned import paths_through_calls
from trainlint.analysis.types.structures.displays import WRITTEN
from trainlint.analysis.types.structures.fillings import as_table, filled_with, may_be_table, put_into, starts_empty
from trainlint.analysis.types.structures.iterators import made_by_generator, yielded_by, yielded_by_object
from trainlint.analysis.types.structures.project_classes import fields_of, is_record
from trainlint.analysis.types.structures.structure import (
    calls_moving_in_place,
    is_moved_before,
    moved_to_home,
    stores_of_all_items,
    with_replaced_items,
)
from trainlint.analysis.types.structures.subscripts import subscript_value
from trainlint.analysis.types.values import (
    NONE,
    NUMBER,
    STRING,
    UNKNOWN,
    Home,
    Kind,
    Origin,
    Value,
    batch_of,
    constant_value,
    limited_depth,
    merge,
    somewhere,
)
from trainlint.analysis.types.vocabulary import by_name, named_constant

if TYPE_CHECKING:
    from trainlint.analysis.programs.grad_mode import Gradients

_HOLDING = frozenset({Kind.TENSOR, Kind.CONTAINER})
"""Kinds of what may hold tensors under keys: a batch counts as a tensor."""
_DECLARING = frozenset({How.IMPORT, How.FUNCTION, How.CLASS})


class Kinds:
    """Answers for one file, worked out when asked for."""

    def __init__(
        self,
        outline: Outline,
        graph: LocalCalls,
        gradients: Gradients,
        keys: Keys,
        outside: ImportedFacts,
        device: Home,
    ) -> None:
        self.outline = outline
        self.graph = graph
        self.gradients = gradients
        self.keys = keys
        self.outside = outside
        self.device = device
        """Where tensors of this file live unless something says otherwise: HOST in a file that names no device."""
        self._questions = Evaluator()
        self._known = self._questions.known
        """The known answers, which are looked up at every turn."""
        self._names: dict[Binding, Value] = {}
        """What the names are that a single binding reaches, as far as that is known: the same at all of their uses."""
        self._fields: dict[Class, dict[str, tuple[int, ast.AnnAssign]]] = {}
        self._origins: dict[ast.AST, dict[str, str]] = {}
        """Import → the dotted origin of each name that it binds."""

    def of(self, node: ast.expr, block: Block) -> Value:
        """The value of an expression that stands in a block."""
        if type(node) is ast.Constant:
            return constant_value(node.value)
        known = self._known.get(node)
        if known is not None:
            return known
        if type(node) is ast.Name:
            return self._name(node, block)
        if type(node) is ast.Attribute:
            return self._attribute(node, block)
        answer = _ANSWERS.get(type(node))
        return self._questions.follow(node, answer, self, node, block) if answer is not None else UNKNOWN

    # names

    def _name(self, node: ast.Name, block: Block) -> Value:
        bindings = reaching(node.id, block, position(node))
        found = self._of_bindings(node, block, bindings)
        is_final = not bindings or node in self._known
        if len(bindings) == 1:
            is_final = is_final or bindings[0].how in _DECLARING or bindings[0] in self._names
        if node.id in self._replacements and found.kind in _HOLDING:
            stores, since = self._replacements[node.id], self.bound_before(node, block)
            key = (node, "replaced")
            found = self._questions.follow(key, with_replaced_items, self, stores, node, block, found, since)
            is_final = is_final and key in self._known
        if node.id in self._moved_in_place and found.kind in _HOLDING:
            if is_moved_before(self._moved_in_place[node.id], node, block, self.bound_before(node, block)):
                found = moved_to_home(found, self.device)
        if is_final:
            self._known[node] = found
        return found

    def bound_before(self, node: ast.Name, block: Block) -> Position:
        """Where a name that is read was last bound before."""
        at = position(node)
        return max([item.position for item in reaching(node.id, block, at) if item.position < at], default=(0, 0))

    def _of_bindings(self, node: ast.Name, block: Block, bindings: list[Binding]) -> Value:
        if len(bindings) == 1:
            binding = bindings[0]
            if binding.how in _DECLARING:
                return self.binding(binding)
            known = self._names.get(binding)
            if known is None:
                known = self._questions.follow(node, self._bound, node, block, bindings)
                if node in self._known:
                    self._names[binding] = known
            return known
        if bindings:
            return self._questions.follow(node, self._bound, node, block, bindings)
        if self.outline.may_be_starred(node.id, block):
            return self.named(node.id, somewhere(AccessPath(Start.LOCAL, node.id)))
        return UNKNOWN if hasattr(builtins, node.id) else by_name(node.id, self.device) or UNKNOWN

    def _bound(self, node: ast.Name, block: Block, bindings: list[Binding]) -> Value:
        """What a name is, by the bindings that reach it."""
        # An accumulator's starting value says nothing of what is added to it.
        if len(bindings) == 1:
            found = self.binding(bindings[0])
        else:
            values = [
                (value, item)
                for item in bindings
                if (value := self.binding(item)) is not UNKNOWN or item.how is not How.AUGMENT
            ]
            found = merge([value for value, _ in values])
            if not found.access_paths and len(values) > 2:
                found = found.with_access_paths(*paths_through_calls(values))
        if starts_empty(found):
            found = filled_with(found, put_into(self, node.id, block))
        if len(bindings) == 1 and may_be_table(self, bindings[0]):
            found = as_table(found, AccessPath(Start.LOCAL, node.id))
        if found.kind is not Kind.UNKNOWN or not _DECLARING.isdisjoint([item.how for item in bindings]):
            return found
        return self.named(node.id, found)

    def named(self, name: str, found: Value) -> Value:
        """What only a name says of a value, which keeps pointing to where it comes from."""
        guess = by_name(name, self.device)
        return guess.with_access_paths(*found.access_paths) if guess is not None else found

    def binding(self, binding: Binding) -> Value:
        """What one binding gives its name."""
        if binding.how is How.ASSIGN and binding.value is not None:
            found = self._unpacked(binding.value, binding.path, binding.block)
            if found.kind is Kind.UNKNOWN and isinstance(binding.node, ast.AnnAssign):
                annotated = annotation_value(binding.node.annotation)
                return annotated.with_access_paths(*found.access_paths) if annotated is not None else found
            return found
        if binding.how is How.AUGMENT and binding.value is not None:
            added = self.of(binding.value, binding.block)
            return added if added.is_tensor else UNKNOWN
        known = self._known.get(binding)
        if known is not None:
            return known
        if binding.how is How.PARAMETER:
            return self._questions.follow(binding, self._questions.one_level_deeper, parameter_value, self, binding)
        if binding.how is How.FOR and binding.value is not None:
            if not binding.path and (dotted(binding.value), binding.name) in self._keyed:
                return STRING
            return self._questions.follow(binding, iterated, self, binding.value, binding.path, binding.block)
        self._known[binding] = found = self._declared(binding)
        return found

    def _declared(self, binding: Binding) -> Value:
        """What is bound by statements that compute no value."""
        how, node = binding.how, binding.node
        if how is How.WITH and binding.value is not None:
            outer = binding.block.parent or binding.block
            return Value(Kind.LOADER) if is_batch_source(binding.value, outer) else UNKNOWN
        if how is How.IMPORT and isinstance(node, (ast.Import, ast.ImportFrom)):
            if node not in self._origins:
                self._origins[node] = dict(imported_names(node))
            origin = self._origins[node].get(binding.name)
            return somewhere(AccessPath(Start.NAME, origin)) if origin else UNKNOWN
        if how in (How.FUNCTION, How.CLASS) and binding.block.kind is BlockKind.MODULE:
            return somewhere(AccessPath(Start.LOCAL, binding.name))
        if how is How.FUNCTION and node in self.outline.function_of:
            return somewhere(AccessPath(Start.LOCAL, self.keys.function(self.outline.function_of[node])))
        return UNKNOWN

    def _unpacked(self, value: ast.expr, path: tuple[int, ...], block: Block) -> Value:
        if not path:
            return self.of(value, block)
        while path and isinstance(value, (ast.Tuple, ast.List)) and -1 < path[0] < len(value.elts):
            if any(isinstance(item, ast.Starred) for item in value.elts):
                break
            value, path = value.elts[path[0]], path[1:]
        found = self.of(value, block)
        if path and isinstance(value, ast.Call) and loaders.prepares(last_name(value.func)):
            return self._prepared(value, path, block)
        for place in path:
            found = self.item(found, place)
        return found

    def _prepared(self, call: ast.Call, path: tuple[int, ...], block: Block) -> Value:
        """What a framework's `prepare` hands back: its arguments, with loaders that move their batches."""
        if not loaders.hands_back_in_order(last_name(call.func)):  # of DeepSpeed
            if path[0] < 0:
                return UNKNOWN
            model = argument(call, "model", 1)
            access_paths = self.of(model, block).access_paths if model is not None else ()
            engine = Value(Kind.MODULE, access_paths=access_paths)
            return [engine, Value(Kind.OPTIMIZER), Value(Kind.LOADER), Value(Kind.SCHEDULER)][min(path[0], 3)]
        if 0 <= path[0] < len(call.args):
            return replace(self.of(call.args[path[0]], block), prepared=True)
        return UNKNOWN

    def item(self, value: Value, place: int) -> Value:
        """What unpacking a value gives at one place; -1 for a place that is not known."""
        if 0 <= place < len(value.items):
            return value.items[place]
        found = self.element(value)
        return found.with_access_paths(*extended_paths(value.access_paths, place)) if value.access_paths else found

    def element(self, value: Value) -> Value:
        """What indexing or iterating a value gives."""
        found = self._element(value)
        if value.access_paths and (not found.access_paths or value.is_tensor):
            return found.with_access_paths(*extended_paths(value.access_paths, ANY))
        return found

    def _element(self, value: Value) -> Value:
        if value.kind is Kind.CONTAINER:
            return value.element or UNKNOWN
        if value.kind is Kind.ARRAY and value.element is not None:
            return value.element
        if value.kind in (Kind.TENSOR, Kind.ARRAY, Kind.STRING):
            return value.holding(value.element)
        if value.kind is Kind.SHAPE:
            return NUMBER
        if value.kind is Kind.LOADER:
            return self.batch(value)
        if value.kind is Kind.MODULE:
            return value.element or value
        return UNKNOWN

    @property
    def computing_home(self) -> Home:
        """Where lies what a library moves for the program, also in a file that names no device itself."""
        return Home.DEVICE if self.device is Home.DEVICE else Home.CHOSEN

    def batch(self, loader: Value) -> Value:
        """An element of what a loader yields."""
        if loader.prepared and loader.element is None:
            home = Home.DEVICE if self.device is Home.DEVICE else Home.HOST
            return Value(Kind.TENSOR, home, False, Origin.BATCH, min(0.95, loader.confidence or 1.0))
        return batch_of(loader)

    @cached_property
    def _classes(self) -> set[Class]:
        """All classes of the file: of several with one name, the outline knows the first."""
        owners = {function.owner for function in self.outline.functions if function.owner is not None}
        return owners.union(self.outline.classes.values())

    @cached_property
    def names_in_classes(self) -> set[str]:
        """The names that some class of the file assigns to its objects."""
        return {name for cls in self._classes for name in cls.attributes}

    @cached_property
    def has_records(self) -> bool:
        """Whether a class of the file is a dataclass or a named tuple."""
        return any(map(is_record, self._classes))

    def fields(self, cls: Class) -> dict[str, tuple[int, ast.AnnAssign]]:
        """The fields of a record by name, each with its place in the constructor; else none."""
        if cls not in self._fields:
            fields = list(enumerate(fields_of(cls))) if is_record(cls) else []
            self._fields[cls] = {last_name(item.target): (place, item) for place, item in reversed(fields)}
        return self._fields[cls]

    @cached_property
    def _replacements(self) -> dict[str, list[tuple[Place, Block]]]:
        return stores_of_all_items(self.outline)

    @cached_property
    def _moved_in_place(self) -> dict[str, list[Place]]:
        return calls_moving_in_place(self)

    @cached_property
    def _keyed(self) -> frozenset[tuple[str, str]]:
        """Containers and the names that they are indexed by: who iterates one by such a name goes through its keys."""
        found = [place.node for place in self.outline.subscripts if isinstance(place.node, ast.Subscript)]
        named = [(dotted(item.value), item.slice.id) for item in found if isinstance(item.slice, ast.Name)]
        return frozenset([(held, key) for held, key in named if held is not None])

    # attributes, subscripts, functions

    def _attribute(self, node: ast.Attribute, block: Block) -> Value:
        origin = self.imported(node, block)
        if origin is not None:
            self._known[node] = found = named_constant(origin) or somewhere(AccessPath(Start.NAME, origin))
            return found
        if type(node.value) is ast.Name:
            owner = self.graph.self_class(node.value, block)
            if owner is not None:
                found = self.self_attribute(owner, node.attr)
                if found.kind is Kind.NUMBER and is_summed(owner, node.attr):
                    summed = self._questions.follow(node, sum_before, self, owner, node, block)
                    return summed if summed.is_tensor else found
                return found
        return self._questions.follow(node, attribute_value, self, node, block)

    def self_attribute(self, owner: Class, name: str, depth: int = 0) -> Value:
        """What `self.<name>` holds, by all assignments in the class and its bases in the file."""
        return self._questions.follow((owner, name), assigned_to_self, self, owner, name, depth)

    def returned(self, function: Function) -> Value:
        """What a function of the file returns."""
        return self._questions.follow(function, self._questions.one_level_deeper, self._returned, function)

    def outcome(self, function: Function) -> Value:
        """What a caller gets from a function: of a generator, something to iterate."""
        return made_by_generator(self, function) if function.is_generator else self.returned(function)

    def yielded(self, function: Function) -> Value:
        """What a generator of the file yields."""
        key = (function, "yielded")
        return self._questions.follow(key, self._questions.one_level_deeper, yielded_by, self, function)

    def yielded_by_object(self, cls: Class) -> Value:
        """What iterating an object of a class of the file gives, as far as its own methods tell."""
        return self._questions.follow((cls, "what it yields"), yielded_by_object, self, cls)

    def iterated(self, source: ast.expr, block: Block) -> Value:
        """What iterating an expression gives that stands in a block."""
        return iterated_item(self, source, (), block)

    def _returned(self, function: Function) -> Value:
        if function.owner is not None and is_left_open(function):
            return UNKNOWN
        values = [
            self.of(place.node.value, place.block)
            for place in function.returns
            if isinstance(place.node, ast.Return) and place.node.value is not None
        ]
        return limited_depth(merge(values)) if values else NONE

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


_ANSWERS: dict[type[ast.expr], Callable[..., Value]] = {
    **WRITTEN,
    ast.Call: call_value,
    ast.Subscript: subscript_value,
}
"""Kind of expression → what works out its value, given these kinds, the expression and its block."""
