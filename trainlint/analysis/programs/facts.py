"""What a file uses somewhere: autocast, DDP, `no_sync`, a framework.

A rule about something that is missing must know that it stands nowhere around the training loop. What a file uses
needs nothing but its outline, holds no tree, and is found by imported origins, method names and keywords.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property

from trainlint.analysis.programs.fact_calls import of_call, says_by_keyword, says_by_name, switched_off
from trainlint.analysis.programs.fact_dicts import of_dict
from trainlint.analysis.programs.fact_names import ACCELERATOR, TF32_SWITCHES, imported, may_say
from trainlint.analysis.syntax.blocks import Block, Function, How
from trainlint.analysis.syntax.names import last_name, nodes_in
from trainlint.analysis.syntax.outline import Outline
from trainlint.analysis.tables.fact_kinds import FactKind, Use

_CHAIN = (ast.Name, ast.Attribute)


def uses_of(outline: Outline) -> frozenset[Use]:
    """What a file uses."""
    return frozenset(_Uses(outline).all())


class _Uses:
    """The search through one file."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self.calls: dict[ast.AST, ast.Call] = {
            call.func: call for place in outline.all_calls() if type(call := place.node) is ast.Call
        }
        self.values = list(self._values())

    def all(self) -> Iterator[Use]:
        yield from self.references()
        yield from self.called()
        yield from self.stored()
        yield from self.bound()
        yield from self.attending()

    def references(self) -> Iterator[Use]:
        """Imported names that are called, decorated with, inherited from or handed on."""
        for place in self.outline.references:
            if not may_say(place.node):
                continue
            said = imported(self.outline.origin(place.node) or "")
            if not said or self.outline.imported(place.node, place.block) is None:
                continue
            call = self.calls.get(place.node)
            if call is None and place.node in self.type_references:
                continue
            base = isinstance(place.statement, ast.ClassDef) and place.node in place.statement.bases
            for named in said:
                for kind in named.kinds:
                    if _is_used_as_fact(kind, call, base=base):
                        yield Use(kind, named.detail)

    def called(self) -> Iterator[Use]:
        """Methods, settings by keyword, and casts of weights."""
        for name, places in self.outline.calls.items():
            by_name = says_by_name(name)
            for place in places:
                call = place.node
                if isinstance(call, ast.Call) and (by_name or (call.keywords and says_by_keyword(call))):
                    yield from of_call(self.outline, call, place.block)

    def stored(self) -> Iterator[Use]:
        """Switches that are assigned to, and what a wrapped model is told attribute by attribute."""
        for name in TF32_SWITCHES:
            for place in self.outline.stores.get(name, ()):
                if any(self._is_switch(target, place.block, name) for target in _targets(place.statement)):
                    yield Use(FactKind.TF32)
        if self.outline.stores.get("require_backward_grad_sync"):
            yield Use(FactKind.NO_SYNC)

    def _is_switch(self, target: ast.expr, block: Block, name: str) -> bool:
        """Whether a target is one of PyTorch's own switches."""
        origin = self.outline.imported(target, block) or ""
        return origin.startswith("torch.backends") and origin.endswith("." + name)

    def bound(self) -> Iterator[Use]:
        """What is written down in a variable or returned: a configuration of DeepSpeed, or `no_sync` without a call."""
        for value, block in self.values:
            if isinstance(value, ast.Dict):
                yield from of_dict(value)
            elif isinstance(value, (ast.Attribute, ast.IfExp)):
                yield from self._unsynchronised(value, block)
        for place in self.outline.calls.get("", ()):
            if isinstance(place.node, ast.Call):
                yield from self._unsynchronised(place.node.func, place.block)

    def attending(self) -> Iterator[Use]:
        """Classes whose methods compute attention themselves, where they are built."""
        for place in self.outline.calls.get("softmax", ()):
            function = self.outline.enclosing(place.block)
            if function is None or function.owner is None or not _multiplies(function):
                continue
            builder = function.owner.methods.get("__init__")
            if builder is not None:
                yield Use(FactKind.NETWORK, "attention")

    def _values(self) -> Iterator[tuple[ast.expr, Block]]:
        for scope in (self.outline.module.scope, *(function.body.scope for function in self.outline.functions)):
            for bindings in scope.bindings.values():
                for binding in bindings:
                    if binding.how is How.ASSIGN and binding.value is not None:
                        yield binding.value, binding.block
        for function in self.outline.functions:
            for place in function.returns:
                if isinstance(place.node, ast.Return) and place.node.value is not None:
                    yield place.node.value, place.block

    def _unsynchronised(self, value: ast.expr, block: Block) -> Iterator[Use]:
        for part in nodes_in(value):
            if isinstance(part, ast.Attribute) and part not in self.calls:
                if part.attr == "no_sync" or (part.attr == "accumulate" and ACCELERATOR.search(last_name(part.value))):
                    yield Use(FactKind.NO_SYNC)

    @cached_property
    def type_references(self) -> set[ast.AST]:
        """Names that only say of which type something is, or are compared with."""
        found: set[ast.AST] = {
            part for root in dict.fromkeys(self._types_written()) for part in nodes_in(root) if isinstance(part, _CHAIN)
        }
        for part in (part for place in self.outline.reads for part in nodes_in(place.node)):
            if isinstance(part, ast.Compare):
                found.update(item for item in (part.left, *part.comparators) if isinstance(item, _CHAIN))
        return found

    def _types_written(self) -> Iterator[ast.expr]:
        """Expressions that stand for types: annotations, what isinstance is asked, tuples of classes."""
        for name in ("isinstance", "issubclass", "super"):
            for place in self.outline.calls.get(name, ()):
                if isinstance(place.node, ast.Call):
                    yield from place.node.args
        for place in self.outline.references:
            statement = place.statement
            if isinstance(statement, ast.AnnAssign):
                yield statement.annotation
            elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)) and statement.returns is not None:
                yield statement.returns
        # Classes side by side are there to be told apart with isinstance.
        for value, _ in self.values:
            if isinstance(value, ast.Tuple):
                yield from value.elts


def _multiplies(function: Function) -> bool:
    """Whether a function multiplies matrices that it computed."""
    return any(
        isinstance(part.op, ast.MatMult)
        if isinstance(part, ast.BinOp)
        else isinstance(part, ast.Call) and last_name(part.func) in ("matmul", "bmm", "einsum", "baddbmm")
        for part in nodes_in(function.node)
    )


def _is_used_as_fact(kind: FactKind, call: ast.Call | None, *, base: bool) -> bool:
    """Whether an imported name is used as what it is: called or handed on; a framework, constructed or derived from."""
    if base or (call is None and kind is FactKind.FRAMEWORK):
        return base and kind is FactKind.FRAMEWORK
    return call is None or not (switched_off(call) or (kind is FactKind.AUTOCAST and _keeps_full_precision(call)))


def _keeps_full_precision(call: ast.Call) -> bool:
    given = [keyword.value for keyword in call.keywords if keyword.arg in ("dtype", "param_dtype")]
    return any(last_name(item) in ("float32", "float64") for item in given)


def _targets(statement: ast.stmt) -> list[ast.expr]:
    return statement.targets if isinstance(statement, ast.Assign) else []
