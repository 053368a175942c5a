"""What tests say of values: that code runs only with a device, and which kinds a name may hold behind `isinstance`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from trainlint.analysis.conditions.guards import BranchTest, guard_of, guards_around, known_parts
from trainlint.analysis.conditions.subjects import Subject, is_about, words_in
from trainlint.analysis.conditions.values.tested_values import tensors_tested
from trainlint.analysis.syntax.blocks import Binding, Block, How, Scope
from trainlint.analysis.syntax.names import TYPE_TESTS, constant, dotted, last_name, nodes_in
from trainlint.analysis.syntax.outline import Outline
from trainlint.analysis.syntax.reaching import single_value
from trainlint.analysis.tables.host_reads import ITEM, TOLIST
from trainlint.analysis.types.values import PLAIN_KINDS, Kind
from trainlint.patterns import lazy

_OTHER_DEVICES = frozenset({"mps", "xla", "cpu"})
"""Devices that stand for another machine where a test asks for them."""
_UNLIKE = (ast.NotEq, ast.NotIn, ast.IsNot)
_HOST_ONLY = lazy(r"(^|_)cpu($|_)")
_KINDS = {
    "Tensor": Kind.TENSOR,
    "Variable": Kind.TENSOR,
    "ndarray": Kind.ARRAY,
    **dict.fromkeys(("int", "float", "bool", "complex", "Number"), Kind.NUMBER),
    **dict.fromkeys(("str", "bytes"), Kind.STRING),
    "Module": Kind.MODULE,
    **dict.fromkeys("dict list tuple set Mapping MutableMapping Sequence Iterable OrderedDict".split(), Kind.CONTAINER),
}
"""Class in `isinstance` → the kind of its objects."""

_OF_TENSORS_AND_ARRAYS = (ITEM.name, TOLIST.name)
_OWNERS = frozenset({Kind.TENSOR, Kind.ARRAY})
"""What has those attributes."""


class Narrowing(NamedTuple):
    """What the tests around a place say of one value."""

    one_of: frozenset[Kind] | None
    """The kinds that it may have; None where nothing limits them."""
    none_of: frozenset[Kind]
    """Kinds that are ruled out."""


class ValueTests:
    """The answers for one file."""

    def __init__(self, outline: Outline) -> None:
        tested: set[str] = set()
        self._asked_for_plain: set[tuple[str, Scope]] = set()
        """Names with the scopes in which a test, and no assertion, asks if they hold a number or text."""
        for place in [place for test in (*TYPE_TESTS, "hasattr") for place in outline.calls.get(test, ())]:
            name = dotted(place.node.args[0]) if isinstance(place.node, ast.Call) and place.node.args else None
            if name:
                tested.add(name)
                if not isinstance(place.statement, ast.Assert) and not PLAIN_KINDS.isdisjoint(
                    _tested_kinds(place.node, name)
                ):
                    self._asked_for_plain.add((name, place.block.scope))
        self.tested = frozenset(tested)
        """The names whose types the file asks for somewhere."""

    def behind_device_test(self, block: Block) -> bool:
        """Whether a test around a block, in its function, asks for a device."""
        return any(_asks_for_device(guard.expression) for guard in guards_around(block))

    def behind_other_device(self, block: Block) -> bool:
        """Whether code in a block runs only without CUDA, by a test in its function."""
        return any(rules_cuda_out(guard) for guard in guards_around(block))

    def behind_tensor_test(self, block: Block) -> bool:
        """Whether code in a block runs only with what is a tensor, by a test in its function."""
        return any(True for _ in tensors_tested(block))

    def behind_handed_over(self, block: Block) -> bool:
        """Whether code in a block runs only where a call hands over a parameter that is None by default."""
        return any(
            _says_handed_over(part.expression, part.holds, block)
            for guard in guards_around(block)
            for part in known_parts(guard.expression, guard.outcome)
        )

    def decided_by_device(self, choice: ast.IfExp) -> bool:
        """Whether a conditional expression asks for a device, as in `x.cuda() if use_cuda else x`."""
        return _asks_for_device(choice.test)

    def rules_out_tensor(self, binding: Binding, bindings: Sequence[Binding]) -> bool:
        """Whether a binding, among all that a use may see, reaches it past `if is_tensor(x): x = x.item()`.

        Such a test binds the name anew where it is a tensor, so that what is left of the earlier binding is none.
        """
        return any(
            later.position > binding.position
            and (guard := guard_of(later.block)) is not None
            and not guard.is_early_exit
            and not binding.block.within(guard.block)
            and _rules_out_tensor(guard.expression, not guard.outcome, binding.name)
            for later in bindings
        )

    def rules_out_tensor_on_side(self, choice: ast.IfExp, outcome: bool, name: str) -> bool:
        """Whether a name holds no tensor on the side of a conditional expression that an outcome of its test takes."""
        return _rules_out_tensor(choice.test, outcome, name)

    def may_be_no_tensor(self, name: str, block: Block, bindings: Sequence[Binding]) -> bool:
        """Whether code of the same function asks if a name holds a number or text, and uses it either way.

        A name that is bound anew behind a test is of one kind again. An assertion is no such question.
        """
        if (name, block.scope) not in self._asked_for_plain:
            return False
        return not any(
            _tested_kinds(guard.expression, name) for item in bindings for guard in guards_around(item.block)
        )

    def narrowing(self, name: str, block: Block, bindings: Sequence[Binding]) -> Narrowing | None:
        """What is known of a name's kind in a block. A name that is bound anew behind a test has left that test."""
        one_of: frozenset[Kind] | None = None
        none_of: frozenset[Kind] = frozenset()
        for guard in guards_around(block):
            if any(binding.block.within(guard.block) for binding in bindings):
                break
            for part, holds in known_parts(guard.expression, guard.outcome):
                kinds = _tested_kinds(part, name)
                if kinds and holds:
                    one_of = kinds if one_of is None else one_of & kinds
                elif kinds:
                    none_of |= kinds
        return Narrowing(one_of, none_of) if one_of or none_of else None


def _says_handed_over(test: ast.expr, holds: bool, block: Block) -> bool:
    """Whether an outcome of a test says that a parameter is given something else than its default None."""
    match test:
        case ast.Compare(left=ast.Name(id=name), ops=[ast.Is() | ast.IsNot() as operator], comparators=[other]):
            scope = block.scope.owner(name)
            bindings = scope.bindings[name] if scope is not None and constant(other) is None else []
            handed = isinstance(operator, ast.IsNot) is holds
            return handed and any(item.how is How.PARAMETER and constant(item.value) is None for item in bindings)
    return False


def _asks_for_device(test: ast.expr) -> bool:
    """Whether a test speaks of a device: `use_cuda`, `args.gpu is not None`, `not cpu`."""
    return any(is_about(word, Subject.DEVICE) or bool(_HOST_ONLY.search(word)) for word in words_in(test))


def _rules_out_tensor(test: ast.expr, outcome: bool, name: str) -> bool:
    """Whether an outcome of a test says that a name holds no tensor."""
    return any(
        not part.holds and Kind.TENSOR in _tested_kinds(part.expression, name) for part in known_parts(test, outcome)
    )


def _tested_kinds(test: ast.AST, name: str) -> frozenset[Kind]:
    """The kinds that a test asks of a name; none where a class among them is of no kind that is known."""
    if not isinstance(test, ast.Call) or not test.args or dotted(test.args[0]) != name:
        return frozenset()
    function = last_name(test.func)
    if function == "is_tensor":
        return frozenset({Kind.TENSOR})
    if function == "hasattr":
        return _OWNERS if len(test.args) == 2 and constant(test.args[1]) in _OF_TENSORS_AND_ARRAYS else frozenset()
    if function != "isinstance" or len(test.args) != 2:
        return frozenset()
    classes = test.args[1].elts if isinstance(test.args[1], ast.Tuple) else [test.args[1]]
    names = [last_name(item) for item in classes]
    return frozenset([_KINDS[item] for item in names]) if all(item in _KINDS for item in names) else frozenset()


def rules_cuda_out(guard: BranchTest) -> bool:
    """Whether an outcome of a test says that there is no CUDA device, or that something lies on another."""
    test, outcome = _comparison(guard), guard.outcome
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, outcome = test.operand, not outcome
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], _UNLIKE):
        outcome = not outcome
    parts = list(nodes_in(test))
    called = {item.func for item in parts if isinstance(item, ast.Call)}  # `x.cpu()` asks for no device
    words = {item.value for item in parts if isinstance(item, ast.Constant)}
    names = {last_name(item) for item in parts if isinstance(item, (ast.Name, ast.Attribute)) and item not in called}
    if not outcome:
        return "cuda" in words or "is_cuda" in names
    return bool(_OTHER_DEVICES & (words | names))


def _comparison(guard: BranchTest) -> ast.expr:
    """A test, or the comparison that its name was assigned: `is_mps = x.device.type == "mps"`."""
    value = single_value(guard.expression, guard.place)
    return value if isinstance(value, ast.Compare) else guard.expression
