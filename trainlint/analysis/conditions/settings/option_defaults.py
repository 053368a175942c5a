"""What a switch of a program is by default: options of its command line, fields, parameters, constants."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.analysis.conditions.arguments import PASSED, written_constant
from trainlint.analysis.conditions.assignments import Assignments, targets
from trainlint.analysis.conditions.guards import parts_around
from trainlint.analysis.conditions.settings.holders import holds_settings, is_holder, option_name
from trainlint.analysis.syntax.blocks import Binding, Block, BlockKind, Function, How, Place
from trainlint.analysis.syntax.literal_dicts import written_items
from trainlint.analysis.syntax.names import argument, constant, last_name, position
from trainlint.analysis.syntax.outline import Outline
from trainlint.analysis.syntax.reaching import reaching, single_value
from trainlint.patterns import lazy

_DEEPEST = 6
_DECLARING = (
    "add_argument",
    "add",  # of configargparse
    "option",
    *(f"DEFINE_{kind}" for kind in ("bool", "boolean", "string", "integer", "float", "enum")),
)
_FIELDS = frozenset({"field", "Field", "attrib", "ib"})
"""Functions of dataclasses, pydantic and attrs that declare a field."""
UNSET = "~"
"""Before the name of an option that counts as declared only where nothing else declares it."""
_PARSERS = ("ArgumentParser", "ArgParser")
_PARSER = lazy(r"parser$", re.IGNORECASE)
_READING = {"get": 2, "getattr": 3}
"""Calls that read an option, with how many arguments they have where they say what it is if nobody sets it."""
_TRUTH_IN_WORDS = {"'true'": "True", "'false'": "False"}
"""What a default that is a word becomes where `type` names a function that reads truth values."""


class Flags:
    """Answers for one file, worked out when asked for."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self.assignments = Assignments(outline)
        """Where the file assigns what a test asks for."""
        self.loop_ends: dict[ast.AST, frozenset[str]] = {}
        """The flags after which each loop ends, of the loops that were asked about."""
        self._declared: dict[str, set[str]] | None = None
        self._fields: dict[str, set[str]] | None = None
        self._busy: set[tuple[object, str]] = set()

    def default(self, node: ast.expr, block: Block) -> bool | None:
        """Whether a switch is on by default; None where the file does not say, or says both."""
        found = self._defaults(node, block)
        return found.pop() if len(found) == 1 else None

    def _defaults(self, node: ast.expr, block: Block) -> set[bool | None]:
        value = constant(node)
        if isinstance(value, bool | int | None):
            return {bool(value)}
        if isinstance(node, ast.Name):
            bindings = reaching(node.id, block, position(node))
            return self._of_all(bindings, (block.scope, node.id))
        if not isinstance(node, ast.Attribute):
            return {None}
        owner = self.outline.self_class(node.value, block) if isinstance(node.value, ast.Name) else None
        if owner is not None:
            return self._of_all(owner.attributes.get(node.attr, []), (owner, node.attr))
        declared = self._options().get(node.attr)
        return {_truth(value) for value in declared} if declared else self._stored(node)

    def _stored(self, node: ast.Attribute) -> set[bool | None]:
        """The default of what is only ever assigned as the opposite of another switch: `args.a = not args.no_a`."""
        found: set[bool | None] = set()
        for place in self.outline.stores.get(node.attr, []):
            value = place.statement.value if isinstance(place.statement, ast.Assign) else None
            if not isinstance(value, ast.UnaryOp) or not isinstance(value.op, ast.Not):
                return {None}
            found |= {None if item is None else not item for item in self._defaults(value.operand, place.block)}
        return found if found and None not in found else {None}

    def _of_all(self, bindings: list[Binding], key: tuple[object, str]) -> set[bool | None]:
        """The default that all bindings of a name or attribute agree on."""
        if not bindings or key in self._busy or len(self._busy) > _DEEPEST:
            return {None}
        self._busy.add(key)
        try:
            found = {value for binding in bindings for value in self._of_one(binding)}
        finally:
            self._busy.discard(key)
        return {None} if None in found else found

    def _of_one(self, binding: Binding) -> set[bool | None]:
        if binding.value is None or binding.path:
            return {None}
        if binding.how is How.PARAMETER:
            function = self.outline.function_of.get(binding.block.node)
            value = constant(binding.value)
            if function is None or not isinstance(value, bool):
                return {None}  # what is None by default may be given in another file
            given = {constant(item) for item in self._passed_arguments(function, binding.name)}
            return {bool(value)} if all(item == value for item in given) else {None}
        return self._defaults(binding.value, binding.block) if binding.how is How.ASSIGN else {None}

    def _passed_arguments(self, function: Function, name: str) -> Iterator[ast.expr]:
        """What calls in the file, of anything called like the function or its class, pass for a parameter."""
        bound = function.owner is not None
        place = [item.arg for item in function.parameters].index(name) - bound
        called = function.owner.name if function.owner is not None and function.name == "__init__" else function.name
        for found in self.outline.calls.get(called, []):
            if isinstance(found.node, ast.Call):
                given = argument(found.node, name, place if place >= 0 else None)
                if given is not None:
                    yield given

    def declared(self) -> dict[str, set[str]]:
        """Options of the command line, fields of classes and constants, with the values that the file gives them.

        Under `UNSET` stands what options are where nobody sets them. Values are in the notation of `arguments`: PASSED
        stands for one that is not written out. What is assigned to an option later, as in `args.fast = True`, counts,
        and so does what a class of settings is made with.
        """
        if self._fields is None:
            self._fields = {name: set(values) for name, values in self._options().items()}
            for cls in self.outline.classes.values():
                for name, bindings in cls.attributes.items():
                    for binding in bindings:
                        if binding.block.kind is BlockKind.CLASS and binding.how is How.ASSIGN:
                            self._fields.setdefault(name, set()).add(_default_of_field(binding.value))
            for name, value in (
                *self._constants(),
                *self._arguments_of_classes(),
                *self._assigned_later(),
                *self._handed_to_parsers(),
                *self._when_read(),
            ):
                self._fields.setdefault(name, set()).add(value)
        return self._fields

    def _constants(self) -> Iterator[tuple[str, str]]:
        """Constants at the top of the file: `USE_FLIP = False`."""
        for name, bindings in self.outline.module.scope.bindings.items():
            if name.isupper():
                for binding in bindings:
                    if binding.how is How.ASSIGN:
                        yield name, PASSED if binding.path else _value(binding.value)

    def _arguments_of_classes(self) -> Iterator[tuple[str, str]]:
        """What classes of settings are made with, and what a parser's defaults are set to."""
        for called, places in self.outline.calls.items():
            if called == "set_defaults" or (called[:1].isupper() and holds_settings(called)):
                for place in places:
                    for keyword in place.node.keywords if isinstance(place.node, ast.Call) else ():
                        if keyword.arg is not None:
                            yield keyword.arg, _value(keyword.value)

    def _handed_to_parsers(self) -> Iterator[tuple[str, str]]:
        """What dicts hold that are handed over with a parser: `add_dict_to_argparser(parser, dict(flip=False))`."""
        makes_parser = any(name in self.outline.calls for name in _PARSERS)
        for place in self.outline.all_calls() if makes_parser else ():
            call = place.node
            if isinstance(call, ast.Call) and any(_PARSER.search(last_name(item)) for item in call.args):
                for item in call.args:
                    for name, value in written_items(single_value(item, place.block) or item):
                        yield name, _value(value)

    def _when_read(self) -> Iterator[tuple[str, str]]:
        """What options are that nobody sets, where they are read: `options.get("flip", False)`."""
        for called, arguments in _READING.items():
            for place in self.outline.calls.get(called, ()):
                call = place.node
                if isinstance(call, ast.Call) and len(call.args) == arguments:
                    name = option_name(call)
                    if name is not None:
                        yield UNSET + name, _value(call.args[-1])

    def _assigned_later(self) -> Iterator[tuple[str, str]]:
        """What is assigned to options, and under ".fused" to that attribute of other objects.

        What is assigned only where another option is on is left out.
        """
        known: dict[Block, bool] = {}
        for name, places in self.outline.stores.items():
            for place in places:
                behind = known.get(place.block)
                if behind is None:
                    behind = known[place.block] = _is_behind_option(place.block)
                if behind:
                    continue
                for target in targets(place.statement):
                    if isinstance(target, ast.Attribute) and target.attr == name:
                        value = _value(place.statement.value) if isinstance(place.statement, ast.Assign) else PASSED
                        if is_holder(target.value):
                            yield name, value
                        elif not isinstance(target.value, ast.Name) or not self._is_own(target.value, place):
                            yield f".{name}", value
                    elif isinstance(target, ast.Subscript) and is_holder(target.value):
                        yield name, PASSED

    def _is_own(self, node: ast.Name, place: Place) -> bool:
        return self.outline.self_class(node, place.block) is not None

    def _options(self) -> dict[str, set[str]]:
        """Options of the command line and fields of configurations, by name."""
        if self._declared is None:
            self._declared = {}
            for calling in _DECLARING:
                for place in self.outline.calls.get(calling, []):
                    if isinstance(place.node, ast.Call):
                        for name, value in _declared(place.node, calling):
                            self._declared.setdefault(name, set()).add(value)
            for cls in self.outline.classes.values():
                for name, bindings in cls.attributes.items():
                    for binding in bindings:
                        default = constant(binding.value)
                        if binding.block.kind is BlockKind.CLASS and isinstance(default, bool):
                            self._declared.setdefault(name, set()).add(repr(default))
        return self._declared


def _is_behind_option(block: Block) -> bool:
    """Whether a block stands where an option is on."""
    return any(part.holds and option_name(part.expression) is not None for part in parts_around(block))


def _truth(value: str) -> bool | None:
    """Whether a value is on; None for one that is not written out."""
    return None if value == PASSED else bool(ast.literal_eval(value))


def _value(value: ast.expr | None) -> str:
    return written_constant(value) or PASSED


def _default_of_field(value: ast.expr | None) -> str:
    """The default of a field."""
    if isinstance(value, ast.Call) and last_name(value.func) in _FIELDS:
        value = argument(value, "default", 0 if last_name(value.func) == "Field" else None)
    return _value(value)


def _declared(call: ast.Call, calling: str) -> Iterator[tuple[str, str]]:
    """The name and the default of one option: `add_argument("--debug", action="store_true")`."""
    names = [item for item in map(constant, call.args) if isinstance(item, str)]
    if calling.startswith("DEFINE"):
        value = _value(call.args[1]) if len(call.args) > 1 else PASSED
    else:
        value = _default_of_option(call)
        dest = constant(argument(call, "dest"))
        names = [dest] if isinstance(dest, str) else [item for item in names if item.startswith("--")]
    if names:
        yield names[0].lstrip("-").partition("/")[0].replace("-", "_"), value


def _default_of_option(call: ast.Call) -> str:
    """What an option is if it is not given."""
    given, action = argument(call, "default"), constant(argument(call, "action"))
    if given is not None:
        value = _value(given)
        converted = last_name(argument(call, "type") or given)
        return _TRUTH_IN_WORDS.get(value.lower(), value) if converted not in ("", "str") else value
    if constant(argument(call, "required")) is True:
        return PASSED
    if action is ...:
        return "None"
    return {"store_true": "False", "store_false": "True"}.get(str(action), PASSED)
