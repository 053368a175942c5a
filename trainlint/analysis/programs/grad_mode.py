"""Where autograd is off: with blocks, decorators, exit stacks, switches, and the callers of a function."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache

from trainlint.analysis.conditions.branches import outside_branches
from trainlint.analysis.syntax.blocks import Block, BlockKind, Class, Function, How, Place
from trainlint.analysis.syntax.local_calls import Edge, LocalCalls
from trainlint.analysis.syntax.names import NAMES, branches, constant, dotted, last_name, position
from trainlint.analysis.syntax.outline import Outline
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.tables.frameworks.roles import gradients_off, role
from trainlint.analysis.tables.function_arguments import position_of_function
from trainlint.finding import Heat
from trainlint.patterns import lazy

_SWITCHED_OFF = lazy(r"no_?grad|inference_?mode", re.IGNORECASE)
_STACK_METHODS = frozenset({"enter_context", "push"})
_DEEPEST_BASE = 8


class Switches:
    """What a file's text itself switches off, whoever calls its functions."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self._off: list[bool] | None = None
        self._switches: dict[Block, list[int]] | None = None

    def off(self, block: Block, line: int | None = None) -> bool:
        """Whether something between a line of a block and the function around it switches autograd off."""
        return self.inside_off(block) or self._switched_before(block, line)

    def inside_off(self, block: Block) -> bool:
        """Whether a block stands inside a `with` of the same function that switches autograd off."""
        if self._off is None:
            self._off = []
            for item in self.outline.blocks:  # the blocks around one come before it
                off = item.kind is BlockKind.WITH and self.with_off(item)
                if not off and item.parent is not None and item.kind is not BlockKind.FUNCTION:
                    off = self._off[item.parent.number]
                self._off.append(off)
        return self._off[block.number]

    def with_off(self, block: Block) -> bool:
        """Whether a `with` block switches autograd off."""
        node = block.node
        assert isinstance(node, (ast.With, ast.AsyncWith))
        outside = block.parent or block
        return any(
            switches_off(item.context_expr)
            or self._own_switches_off(item.context_expr)
            or self._named_switches_off(item.context_expr, outside)
            for item in node.items
        )

    def decorated_off(self, function: Function) -> bool:
        """Whether a decorator switches autograd off for a function."""
        return any(switches_off(item) or self._own_switches_off(item) for item in function.decorators)

    def _own_switches_off(self, used: ast.expr) -> bool:
        """Whether a decorator or context manager that the file itself defines turns autograd off."""
        name = (
            last_name(used) if isinstance(used, ast.Name) or isinstance(getattr(used, "func", None), ast.Name) else ""
        )
        return any(
            function.name == name and function.owner is None and self._calls_switch(function)
            for function in self.outline.functions
        )

    def _calls_switch(self, function: Function) -> bool:
        calls = (part for part in ast.walk(function.node) if isinstance(part, ast.Call))
        return any(_names_switch(last_name(part)) for part in calls)

    def _named_switches_off(self, context: ast.expr, block: Block) -> bool:
        """Whether a context manager was made before, as in `context = torch.no_grad() if evaluating else ...`."""
        return isinstance(context, ast.Name) and any(
            binding.how is How.ASSIGN and binding.value is not None and switches_off(binding.value)
            for binding in reaching(context.id, block, position(context))
        )

    def _switched_before(self, block: Block, line: int | None) -> bool:
        """`torch.set_grad_enabled(False)` or an exit stack entered earlier in this block or in one around it."""
        if self._switches is None:
            self._switches = {}
            for home, at in self._switches_written():
                self._switches.setdefault(home, []).append(at)
        current: Block | None = block if self._switches else None
        while current is not None:
            lines = self._switches.get(current)
            if lines is not None and (line is None or min(lines) < line):
                return True
            current = current.parent if current.kind is not BlockKind.FUNCTION else None
        return False

    def _switches_written(self) -> Iterator[tuple[Block, int]]:
        """The lines that switch autograd off for what follows them, with the block in which that holds."""
        for name in ("set_grad_enabled", *_STACK_METHODS):
            for place in self.outline.calls.get(name, []):
                call = place.node
                assert isinstance(call, ast.Call)
                if name in _STACK_METHODS:
                    if call.args and any(switches_off(item) for item in branches(call.args[0])):
                        yield outside_branches(place.block), call.lineno
                elif isinstance(place.statement, ast.Expr) and switches_off(call):
                    yield place.block, call.lineno


class Gradients:
    """Answers for one file.

    A function runs with autograd off if it says so itself or if all its callers in the file do.
    """

    def __init__(self, outline: Outline, graph: LocalCalls, switches: Switches) -> None:
        self.outline = outline
        self.graph = graph
        self.switches = switches
        self._bases_of: dict[Class, tuple[str, ...]] = {}

    def off(self, block: Block, line: int | None = None) -> bool:
        """Whether code in a block, at a line of it where given, runs with autograd switched off."""
        if self.switches.off(block, line):
            return True
        function = self.outline.enclosing(block)
        return function is not None and self.function_off(function)

    def function_off(self, function: Function) -> bool:
        """Whether a function always runs with autograd off: by itself, or since all its callers do."""
        return function in self._all_off

    def decorated_off(self, function: Function) -> bool:
        """Whether a decorator switches autograd off for a function."""
        return self.switches.decorated_off(function)

    @cached_property
    def _all_off(self) -> set[Function]:
        """The functions that always run with autograd off; not those that only call each other in a circle."""
        own = {function for function in self.outline.functions if self._says_off(function)}
        everywhere: dict[Function | None, list[Function]] = {}
        switched_on: dict[Function | None, list[Function]] = {}
        for function in self.outline.functions:
            if function not in own:
                for is_off, around in self._run_at(function):
                    everywhere.setdefault(around, []).append(function)
                    if not is_off:
                        switched_on.setdefault(around, []).append(function)
        return own | (_reached(everywhere, [None, *own]) - _reached(switched_on, [None]))

    def _says_off(self, function: Function) -> bool:
        """Whether a decorator or a framework runs a function with autograd off."""
        owner = function.owner
        by_framework = owner is not None and gradients_off(function.name, owner.name, self._bases(owner))
        return by_framework or self.decorated_off(function)

    def _run_at(self, function: Function) -> list[tuple[bool, Function | None]]:
        """Where a function is run: by a framework, by its calls, else where it is defined.

        For each place whether autograd is off there, and the function around it, on which the rest depends.
        """
        edges = [edge for edge in self.graph.callers.get(function, ()) if not edge.passed or _runs(edge)]
        found = [(self._off_at(edge.place), self.outline.enclosing(edge.place.block)) for edge in edges]
        if found:
            return [*found, (False, None)] if self._is_hook(function) else found
        outside = self.outline.enclosing(function.outside)
        # A function of the module runs after all of the module.
        line = getattr(function.node, "lineno", None) if outside is not None else None
        return [(self.switches.off(function.outside, line), outside)]

    def _is_hook(self, function: Function) -> bool:
        """Whether a framework calls a method in each training step, besides who calls it here."""
        if function.owner is None:
            return False
        bases = self._bases(function.owner)
        found = role(function.name, function.qualified_name, function.owner.name, bases, ())
        return found is not None and found.heat is Heat.STEP

    def _bases(self, cls: Class) -> tuple[str, ...]:
        """The base classes of a class as far as the file shows them, nearest first."""
        if cls not in self._bases_of:
            self._bases_of[cls] = tuple(_bases(self.outline, cls, 0))
        return self._bases_of[cls]

    def _off_at(self, place: Place) -> bool:
        return self.switches.off(place.block, getattr(place.node, "lineno", None))


def _reached(runs: Mapping[Function | None, list[Function]], starts: list[Function | None]) -> set[Function]:
    """The functions that run when these do, at any distance; `runs` says which each runs itself."""
    found: set[Function] = set()
    waiting = list(starts)
    while waiting:
        for function in runs.get(waiting.pop(), ()):
            if function not in found:
                found.add(function)
                waiting.append(function)
    return found


def _runs(edge: Edge) -> bool:
    """Whether a call runs at once the function that it is given: `map(f, items)`."""
    call = edge.place.node
    if not isinstance(call, ast.Call):
        return False
    at = position_of_function(last_name(call.func))
    return at is not None and at < len(call.args) and last_name(call.args[at]) == edge.function.name


def _bases(outline: Outline, cls: Class, depth: int) -> Iterator[str]:
    for base in cls.node.bases:
        yield outline.origin(base) or dotted(base) or last_name(base)
        parent = outline.classes.get(last_name(base))
        if parent is not None and parent is not cls and depth < _DEEPEST_BASE:
            yield from _bases(outline, parent, depth + 1)


def switches_off(node: ast.expr) -> bool:
    """Whether a context manager or decorator turns autograd off: `torch.no_grad()`, `inference_mode`, a "
    "project's own.
    """
    if isinstance(node, ast.IfExp):
        return any(switches_off(item) for item in branches(node))
    if isinstance(node, ast.Call) and last_name(node.func) == "set_grad_enabled":
        return constant(node.args[0] if node.args else None) is not True
    if (
        isinstance(node, ast.Call)
        and last_name(node.func) == "inference_mode"
        and node.args
        and constant(node.args[0]) is False
    ):
        return False
    return _names_switch(last_name(node))


@lru_cache(NAMES)
def _names_switch(name: str) -> bool:
    return _SWITCHED_OFF.search(name) is not None
