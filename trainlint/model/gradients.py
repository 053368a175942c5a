"""Where autograd is off: with blocks, decorators, exit stacks, switches, and the callers of a function."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trainlint.model.blocks import Block, BlockKind, Function, How
from trainlint.model.lookup import reaching
from trainlint.model.names import constant, last_name, position
from trainlint.model.network import Network
from trainlint.model.outline import Outline
from trainlint.model.skeleton import NOWHERE, Handing

_SWITCHED_OFF = re.compile(r"no_?grad|inference_?mode", re.IGNORECASE)
_STACK_METHODS = frozenset({"enter_context", "push"})


@dataclass(slots=True, eq=False)
class Switches:
    """What a file's text itself switches off, whoever calls its functions."""

    outline: Outline
    _switches: dict[Block, list[int]] | None = None

    def off(self, block: Block, line: int | None = None) -> bool:
        """Whether something between a line of a block and the function around it switches autograd off."""
        current: Block | None = block
        while current is not None:
            if current.kind is BlockKind.WITH and self.with_off(current):
                return True
            if self._switched_before(current, line):
                return True
            if current.kind is BlockKind.FUNCTION:
                return False
            current = current.parent
        return False

    def with_off(self, block: Block) -> bool:
        """Whether a `with` block switches autograd off."""
        node = block.node
        assert isinstance(node, ast.With | ast.AsyncWith)
        outside = block.parent or block
        return any(
            switches_off(item.context_expr)
            or self._own_switches_off(item.context_expr)
            or self._named_switches_off(item.context_expr, outside)
            for item in node.items
        )

    def decorated_off(self, function: Function) -> bool:
        """Whether a decorator switches autograd off for a function: PyTorch's own or one of the file's."""
        return any(switches_off(item) or self._own_switches_off(item) for item in function.decorators)

    def _own_switches_off(self, used: ast.expr) -> bool:
        """Whether a decorator or context manager that the file itself defines turns autograd off."""
        name = used.func if isinstance(used, ast.Call) else used
        if isinstance(name, ast.Name):
            for function in self.outline.functions:
                if function.name == name.id and function.owner is None:
                    return any(
                        _SWITCHED_OFF.search(last_name(part))
                        for part in ast.walk(function.node)
                        if isinstance(part, ast.Call)
                    )
        return False

    def _named_switches_off(self, context: ast.expr, block: Block) -> bool:
        """Whether a context manager was made before, as in `context = torch.no_grad() if evaluating else ...`."""
        return isinstance(context, ast.Name) and any(
            binding.how is How.ASSIGN and binding.value is not None and switches_off(binding.value)
            for binding in reaching(context.id, block, position(context))
        )

    def _switched_before(self, block: Block, line: int | None) -> bool:
        """`torch.set_grad_enabled(False)` or an exit stack entered earlier in this very block."""
        if self._switches is None:
            self._switches = {}
            for name in ("set_grad_enabled", *_STACK_METHODS):
                for place in self.outline.calls.get(name, []):
                    call = place.node
                    assert isinstance(call, ast.Call)
                    stack = (
                        name in _STACK_METHODS
                        and bool(call.args)
                        and any(switches_off(item) for item in branches(call.args[0]))
                    )
                    if stack or (
                        name == "set_grad_enabled" and switches_off(call) and isinstance(place.statement, ast.Expr)
                    ):
                        home = _settled(place.block) if stack else place.block
                        self._switches.setdefault(home, []).append(call.lineno)
        lines = self._switches.get(block)
        return lines is not None and (line is None or min(lines) < line)


@dataclass(slots=True, eq=False)
class Gradients:
    """Answers for one file.

    A function runs with autograd off if it says so itself or if all its callers do. Functions that call each
    other in circles count as off until a caller with autograd on is found.
    """

    outline: Outline
    switches: Switches
    numbers: dict[Function, int]
    functions_off: Sequence[bool]
    """For each function, by its number."""

    def off(self, block: Block, line: int | None = None) -> bool:
        """Whether code in a block, at a line of it where given, runs with autograd switched off."""
        if self.switches.off(block, line):
            return True
        function = self.outline.enclosing(block)
        return function is not None and self.function_off(function)

    def function_off(self, function: Function) -> bool:
        """Whether a function always runs with autograd off: by itself, or since all its callers do."""
        return self.functions_off[self.numbers[function]]

    def decorated_off(self, function: Function) -> bool:
        """Whether a decorator switches autograd off for a function: PyTorch's own or one of the file's."""
        return self.switches.decorated_off(function)


def functions_off(net: Network, told: Mapping[int, bool]) -> list[bool]:
    """For each function of a network, whether it always runs with autograd off.

    `told` says of functions whether all their callers outside the network have it off.
    """
    found = [True] * len(net.functions)
    dependents = net.dependents()
    waiting = list(range(len(net.functions)))
    while waiting:
        function = waiting.pop()
        if found[function] and not _off(net, function, found, told):
            found[function] = False
            waiting.extend(dependents.get(function, ()))
    return found


def _off(net: Network, function: int, known: list[bool], told: Mapping[int, bool]) -> bool:
    shape = net.functions[function]
    if shape.off:
        return True
    edges = [edge for edge in net.callers.get(function, []) if edge.how is Handing.CALLED]
    if edges or function in told:
        if not told.get(function, True):
            return False
        calls = ((net.calls[edge.call], net.function_of[net.call_block[edge.call]]) for edge in edges)
        return all(call.off or (caller != NOWHERE and known[caller]) for call, caller in calls)
    outer = net.function_of[net.outside_block(function)]
    return shape.outside_off or (outer != NOWHERE and known[outer])


def _settled(block: Block) -> Block:
    """Where an entered context lasts: not only in the branch that entered it."""
    while block.kind is BlockKind.BRANCH and block.parent is not None:
        block = block.parent
    return block


def branches(node: ast.expr) -> list[ast.expr]:
    """An expression, or both values of a conditional one."""
    return [*branches(node.body), *branches(node.orelse)] if isinstance(node, ast.IfExp) else [node]


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
    return bool(_SWITCHED_OFF.search(last_name(node)))
