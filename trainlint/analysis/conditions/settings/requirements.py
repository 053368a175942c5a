"""From a test to what it requires of settings: parameters, options, attributes that keep them, and answers of helpers.

This is worked out of what the code assigns, and not of names. What runs in few steps anyway, by the forms of guards,
is marked as such; what they say runs by the machine or the phase requires nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from trainlint.analysis.conditions.arguments import (
    BY_DEFAULT,
    PASSED,
    key_of_unpacked,
    of_option,
    of_parameter,
    written_constant,
)
from trainlint.analysis.conditions.around import Conditions
from trainlint.analysis.conditions.assignments import targets
from trainlint.analysis.conditions.condition import ConditionKind
from trainlint.analysis.conditions.forms.counters import words
from trainlint.analysis.conditions.forms.remainders import EVERY_UPDATE
from trainlint.analysis.conditions.guards import guards_around
from trainlint.analysis.conditions.settings.choice_tables import ChoiceEntry
from trainlint.analysis.conditions.settings.holders import is_expected, option_name
from trainlint.analysis.conditions.settings.required_values import (
    ANSWER,
    IMPOSSIBLE,
    IN_FEW_STEPS,
    NOTHING,
    TRUTH,
    Clauses,
    RequiredValue,
    all_required,
    any_required,
    at_any_time,
    in_most_steps,
)
from trainlint.analysis.syntax.blocks import Binding, Block, Class, Function, How, Place
from trainlint.analysis.syntax.names import constant, dotted, last_name, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.syntax.stable_keys import Keys

_LEFT_TO_SETTINGS = (ConditionKind.UNKNOWN, ConditionKind.MISSING, ConditionKind.OPTION, ConditionKind.PARAMETER)
"""Kinds of conditions that leave it to settings whether a branch runs."""
_OPERATORS: dict[type[ast.cmpop], tuple[str, bool]] = {
    ast.Eq: ("==", True),
    ast.Is: ("==", True),
    ast.NotEq: ("==", False),
    ast.IsNot: ("==", False),
    ast.In: ("in", True),
    ast.NotIn: ("in", False),
    ast.Lt: ("<", True),
    ast.LtE: ("<=", True),
    ast.Gt: (">", True),
    ast.GtE: (">=", True),
}
_TURNED = {"==": "==", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_HOLDS, _FAILS = RequiredValue("", "", holds=True), RequiredValue("", "", holds=False)
"""That a value is true, or is not, before it is known whose it is."""
_NUMBERS = frozenset({"float", "int", "bool"})
"""Calls that leave what a test asks of a number as it is."""
_DEEPEST = 6
_MOST_BINDINGS = 6
_MOST_RETURNS = 4
_LEAVES = frozenset({ast.Name, ast.Attribute, ast.Compare, ast.Call})
"""Types of most tests that are not made of others."""
_TESTS = (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.Constant, ast.IfExp, ast.Call)
"""What functions return that answer a question."""


class Requirements:
    """Answers for one file."""

    def __init__(self, conditions: Conditions, keys: Keys, may_run: Collection[ast.AST]) -> None:
        """`may_run` are the calls that may run functions of the project."""
        self.conditions = conditions
        self.outline = conditions.flags.outline
        self.keys = keys
        self.may_run = may_run
        # Each answer depends on others, which many branches ask for: without these, the work is exponential.
        self._known_around: dict[tuple[Block, int], Clauses] = {}
        self._known_values: dict[tuple[ast.expr, RequiredValue, Block, int], Clauses] = {}
        self._known_attributes: dict[tuple[Class, str, RequiredValue, int], Clauses] = {}

    def of_branch(self, block: Block) -> Clauses:
        """What a branch requires to run."""
        return self._of_test(block.test, not block.negated, block, 0) if block.test is not None else NOTHING

    def of_entry(self, entry: ChoiceEntry) -> Clauses:
        """What a table's entry requires for some code to take it."""
        wanted = RequiredValue("", "", "==", repr(entry.name))
        found = []
        for value, block in entry.reads:
            clauses, function = self._meets(value, wanted, block, 0), self.outline.enclosing(block)
            found.append(_of_function(clauses, self.keys.function(function)) if function is not None else clauses)
        return at_any_time(any_required(found))

    def of_answers(self, function: Function) -> tuple[Clauses, Clauses]:
        """What a function requires to answer yes, and to answer no; nothing for one that answers no question."""
        returns = function.returns
        values = [place.node.value for place in returns if isinstance(place.node, ast.Return)]
        if not values or len(values) > _MOST_RETURNS or function.is_generator:
            return NOTHING, NOTHING
        if not all(isinstance(value, _TESTS) for value in values) or not _ends_with_return(function):
            return NOTHING, NOTHING
        yes, no = [], []
        for place, value in zip(returns, values, strict=True):
            assert value is not None
            around = self._around(place.block, 0)
            yes.append(all_required([around, self._of_test(value, True, place.block, 0)]))
            no.append(all_required([around, self._of_test(value, False, place.block, 0)]))
        return in_most_steps(any_required(yes)), in_most_steps(any_required(no))

    def _around(self, block: Block, depth: int) -> Clauses:
        """What code in a block requires, out to its function."""
        found = self._known_around.get((block, depth))
        if found is None:
            guards = guards_around(block)
            found = all_required([self._of_test(each.expression, each.outcome, each.block, depth) for each in guards])
            self._known_around[block, depth] = found
        return found

    def _of_test(self, test: ast.expr, outcome: bool, block: Block, depth: int) -> Clauses:
        if depth > _DEEPEST:
            return NOTHING
        if type(test) in _LEAVES:
            return self._of_leaf(test, outcome, block, depth)
        match test:
            case ast.UnaryOp(op=ast.Not()):
                return self._of_test(test.operand, not outcome, block, depth)
            case ast.BoolOp():
                parts = [self._of_test(part, outcome, block, depth) for part in test.values]
                return all_required(parts) if isinstance(test.op, ast.And) == outcome else any_required(parts)
            case ast.NamedExpr():
                return self._of_test(test.value, outcome, block, depth)
            case ast.IfExp():
                return any_required(
                    [
                        all_required(
                            [self._of_test(test.test, way, block, depth), self._of_test(part, outcome, block, depth)]
                        )
                        for way, part in ((True, test.body), (False, test.orelse))
                    ]
                )
            case ast.Constant():
                return NOTHING if bool(test.value) == outcome else IMPOSSIBLE
        return self._of_leaf(test, outcome, block, depth)

    def _of_leaf(self, test: ast.expr, outcome: bool, block: Block, depth: int) -> Clauses:
        found = self.conditions.of_test(test, outcome, block)
        if found.rare:
            return IN_FEW_STEPS
        if found.kind not in _LEFT_TO_SETTINGS:
            return NOTHING
        if not isinstance(test, ast.Compare):
            return self._meets(test, _HOLDS if outcome else _FAILS, block, depth)
        if len(test.ops) != 1:
            return NOTHING
        name, same = _OPERATORS[type(test.ops[0])]
        value, literal = test.left, _literal(test.comparators[0])
        if not literal and name in _TURNED:
            value, literal, name = test.comparators[0], _literal(test.left), _TURNED[name]
        if not literal:
            return NOTHING
        return self._meets(value, RequiredValue("", "", name, literal, same == outcome), block, depth)

    def _meets(self, value: ast.expr, wanted: RequiredValue, block: Block, depth: int) -> Clauses:
        """What is required for a value to be as it is wanted."""
        if depth > _DEEPEST:
            return NOTHING
        asked = (value, wanted, block, depth)
        found = self._known_values.get(asked)
        if found is None:
            found = self._known_values[asked] = self._of_value(value, wanted, block, depth)
        return found

    def _of_value(self, value: ast.expr, wanted: RequiredValue, block: Block, depth: int) -> Clauses:
        written = written_constant(value)
        if written:
            return IMPOSSIBLE if wanted.met_by(written) is False else NOTHING
        option = option_name(value)
        if option is not None:
            known = not is_expected(option)
            return ((wanted._replace(name=option, value=of_option(option)),),) if known else NOTHING
        match value:
            case ast.UnaryOp(op=ast.Not()) | ast.BoolOp() | ast.Compare() if wanted.operator == TRUTH:
                return self._of_test(value, wanted.holds, block, depth + 1)
            case ast.IfExp():
                return any_required(
                    [
                        all_required(
                            [
                                self._of_test(value.test, way, block, depth + 1),
                                self._meets(part, wanted, block, depth + 1),
                            ]
                        )
                        for way, part in ((True, value.body), (False, value.orelse))
                    ]
                )
            case ast.Name():
                bindings = reaching(value.id, block, position(value))
                return self._of_bindings(value.id, bindings, wanted, block, depth)
            case ast.Attribute():
                return self._of_attribute(value, wanted, block, depth)
            case ast.Call():
                return self._of_call(value, wanted, block, depth)
        return NOTHING

    def _of_call(self, call: ast.Call, wanted: RequiredValue, block: Block, depth: int) -> Clauses:
        function = self.outline.enclosing(block)
        key = key_of_unpacked(call, function) if function is not None else None
        if key is not None:
            return ((wanted._replace(name=key, value=of_parameter(key)),),)
        if last_name(call.func) in _NUMBERS and len(call.args) == 1:
            return self._meets(call.args[0], wanted, block, depth + 1)
        if wanted.operator == TRUTH and call in self.may_run and not _belongs_to_updates(call):
            return ((wanted._replace(name=last_name(call), value=self.keys.call(call), operator=ANSWER),),)
        return NOTHING

    def _of_bindings(
        self, name: str, bindings: Sequence[Binding], wanted: RequiredValue, block: Block, depth: int
    ) -> Clauses:
        """What is required of a name: one of the assignments that reach it gives it the value that is wanted."""
        if not bindings or len(bindings) > _MOST_BINDINGS:
            return NOTHING
        if len(bindings) == 1 and bindings[0].how is How.IMPORT and name.isupper():
            return ((wanted._replace(name=name, value=of_option(name)),),)
        return any_required([self._of_binding(each, len(bindings) == 1, wanted, block, depth) for each in bindings])

    def _of_binding(self, binding: Binding, is_only: bool, wanted: RequiredValue, block: Block, depth: int) -> Clauses:
        if binding.how is How.PARAMETER:
            function = self.outline.enclosing(binding.block)
            own = function is self.outline.enclosing(block)
            key = "" if own or function is None else self.keys.function(function)
            return ((wanted._replace(name=binding.name, value=of_parameter(binding.name), function=key),),)
        if binding.how is not How.ASSIGN or binding.value is None or binding.path:
            return NOTHING
        written = written_constant(binding.value)
        if is_only and written:
            return ((wanted._replace(name=binding.name, value=BY_DEFAULT + written),),)  # a setting of the program
        found = self._meets(binding.value, wanted, binding.block, depth + 1)
        if is_only or found in (IMPOSSIBLE, IN_FEW_STEPS):
            return found
        found = all_required([found, self._around(binding.block, depth + 1)])
        function = self.outline.enclosing(binding.block)
        if function is None or function is self.outline.enclosing(block):
            return found
        return _of_function(found, self.keys.function(function))

    def _of_attribute(self, node: ast.Attribute, wanted: RequiredValue, block: Block, depth: int) -> Clauses:
        """What is required of an attribute of the object itself, by all that assigns it anywhere.

        A class that is registered is made elsewhere, too, and one that assigns attributes by their names says nothing.
        """
        owner = self.outline.self_class(node.value, block) if isinstance(node.value, ast.Name) else None
        if owner is None:
            return NOTHING
        asked = (owner, node.attr, wanted, depth)
        found = self._known_attributes.get(asked)
        if found is None:
            found = self._known_attributes[asked] = self._of_own(owner, node.attr, wanted, depth)
        return found

    def _of_own(self, owner: Class, name: str, wanted: RequiredValue, depth: int) -> Clauses:
        bindings = owner.attributes.get(name, [])
        if not bindings or len(bindings) > _MOST_BINDINGS or self._is_open(owner):
            return NOTHING
        found = [self._of_kept(each, wanted, depth) for each in bindings]
        for value, function in self._stored_on_others(name, owner):
            given = wanted._replace(name=name, value=value, function=function)
            found.append(((given,),) if value != PASSED else NOTHING)
        found.append(((wanted._replace(name=name, value=of_option(f"{owner.name}.{name}")),),))
        return any_required(found)

    def _of_kept(self, binding: Binding, wanted: RequiredValue, depth: int) -> Clauses:
        """What is required for an assignment to an attribute to give it what is wanted, in any method of its class."""
        if binding.how is not How.ASSIGN or binding.value is None or binding.path:
            return NOTHING
        function = self.outline.enclosing(binding.block)
        if function is None:
            return self._meets(binding.value, wanted, binding.block, depth + 1)
        key = self.keys.function(function)
        written = written_constant(binding.value)
        if written and wanted.met_by(written) is False:
            return IMPOSSIBLE
        if written:
            # It takes somebody who calls the method.
            found: Clauses = ((wanted._replace(name=binding.name, value=written, function=key),),)
        else:
            found = self._meets(binding.value, wanted, binding.block, depth + 1)
        return _of_function(all_required([found, self._around(binding.block, depth + 1)]), key)

    def _stored_on_others(self, name: str, owner: Class) -> list[tuple[str, str]]:
        """What the file assigns to an attribute of this name of other objects than its classes' own, and where."""
        found = []
        for place in self.outline.stores.get(name, ()):
            for target in targets(place.statement):
                if isinstance(target, ast.Attribute) and target.attr == name and self._is_other(target, place, owner):
                    function = self.outline.enclosing(place.block)
                    value = place.statement.value if isinstance(place.statement, ast.Assign) else None
                    key = self.keys.function(function) if function is not None else ""
                    found.append((_stored_value(value, function) or PASSED, key))
        return found

    def _is_other(self, target: ast.Attribute, place: Place, owner: Class) -> bool:
        """Whether a target that a class does not assign itself may be of it, or of one that derives from it."""
        own = self.outline.self_class(target.value, place.block) if isinstance(target.value, ast.Name) else None
        return own is None or (own is not owner and owner.name in map(last_name, own.node.bases))

    def _is_open(self, owner: Class) -> bool:
        """Whether something else may assign a class's attributes: a registry makes it, or names are computed."""
        if owner.node.decorator_list:
            return True
        for place in self.outline.calls.get("setattr", ()):
            if isinstance(place.node, ast.Call) and len(place.node.args) == 3 and constant(place.node.args[1]) is ...:
                return True
        updates = self.outline.calls.get("update", ())
        return any(
            isinstance(place.node, ast.Call) and (dotted(place.node.func) or "").endswith(".__dict__.update")
            for place in updates
        )


def _of_function(clauses: Clauses, key: str) -> Clauses:
    """The same clauses as another function sees them: what they ask of parameters is asked of the one with this key."""
    return tuple(
        tuple(
            item._replace(function=key) if item.value.startswith(of_parameter("")) and not item.function else item
            for item in clause
        )
        for clause in clauses
    )


def _stored_value(value: ast.expr | None, function: Function | None) -> str:
    """A constant that is assigned, or the parameter of a function; "" for all else."""
    if isinstance(value, ast.Name) and function is not None:
        return of_parameter(value.id) if value.id in {item.arg for item in function.parameters} else ""
    return written_constant(value)


def _literal(node: ast.expr) -> str:
    """A constant, or constants in a row, as Python writes them; "" for all else."""
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        items = [written_constant(item) for item in node.elts]
        return f"({', '.join(items)},)" if items and all(items) else ""
    return written_constant(node)


def _belongs_to_updates(call: ast.Call) -> bool:
    """Whether an argument names the batches that make a step, or is a small number, so that this is no interval."""
    values = [*call.args, *(keyword.value for keyword in call.keywords)]
    return any(EVERY_UPDATE.search(word) for value in values for word in words(value)) or any(
        isinstance(number := constant(value), int) and not isinstance(number, bool) and 1 < number < 10
        for value in values
    )


def _ends_with_return(function: Function) -> bool:
    body = function.node.body
    return isinstance(body, list) and isinstance(body[-1], ast.Return)
