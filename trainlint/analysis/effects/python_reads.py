"""Where Python itself reads a device tensor: as a number, as a truth value or as text, with no `.item()` in sight."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from trainlint.analysis.effects.number_reads import read_as_numbers
from trainlint.analysis.effects.reads import implicit_read, tensors_read
from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.names import last_name
from trainlint.analysis.syntax.uses import enclosing_nodes
from trainlint.analysis.tables.waits.checked_results import CHECKED
from trainlint.analysis.tables.waits.operators import ANSWERS
from trainlint.analysis.types.values import Kind
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.site import Site

_CONVERSIONS = frozenset({"float", "int", "bool", "str", "repr", "range"})
_MATH = frozenset(
    "isnan isinf isfinite isclose exp expm1 log log1p log2 log10 sqrt pow ceil floor fabs fmod hypot copysign erf "
    "gamma sin cos tan sinh cosh tanh asin acos atan atan2 degrees radians".split()
)
_CHOICES = frozenset({"max", "min"})
_QUANTIFIERS = frozenset({"any", "all"})
_WRITERS = frozenset({"add_scalar", "add_histogram"})
_LOGGERS = frozenset({"info", "warning", "error", "critical"})
_LOGGER_NAME = lazy(r"^_?log(ger|ging)?$", re.IGNORECASE)
READING_CALLS = _CONVERSIONS | _MATH | _CHOICES | _QUANTIFIERS | _WRITERS | _LOGGERS | {"print", "format", "log"}
"""Calls that read what they are given as numbers, truth values or text, for the triggers of rules."""


def python_reads(site: Site) -> Iterator[tuple[ast.AST, float, str]]:
    """The device tensors that Python reads at a site: the node, the confidence, and what reads it, in words.

    A site is a call of one of `READING_CALLS`, or a place of `Triggers(reads=True)`. Reads in the same statement are
    told once: one wait is one finding.
    """
    node = site.node
    if isinstance(node, ast.FormattedValue) or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod)):
        if _is_first_text(site):
            yield from _formatted(site, site.place)
    elif _stands_in_test(site):
        return
    elif any(place is site.place for place in site.file.reads_by_statement.get(site.statement, [])):
        assert isinstance(node, ast.expr)
        for part, confidence in tensors_read(site.file, node, site.block):
            yield part, confidence, "this test"
    elif isinstance(node, ast.Call):
        yield from _called(site, node)


def _stands_in_test(site: Site) -> bool:
    """Whether a larger test of the statement asks for this truth as well: one wait is one finding."""
    node = site.node
    if isinstance(node, ast.Call) and last_name(node.func) not in _QUANTIFIERS:
        return False
    holders = {node, *enclosing_nodes(site.file, node, site.statement)}
    return any(
        place is not site.place and place.node in holders and not isinstance(place.node, ast.FormattedValue | ast.BinOp)
        for place in site.file.reads_by_statement.get(site.statement, [])
    )


def _called(site: Site, call: ast.Call) -> Iterator[tuple[ast.AST, float, str]]:
    name = last_name(call.func)
    if isinstance(call.func, ast.Name) and name in _QUANTIFIERS and site.block.scope.owner(name) is None:
        for part, confidence in tensors_read(site.file, call, site.block):
            yield part, confidence, f"`{name}()`"
        return
    origin = site.origin(call.func)
    how = f"`{origin}()`" if origin else f"`.{name}()`" if isinstance(call.func, ast.Attribute) else f"`{name}()`"
    for part, confidence in read_as_numbers(site.file, call, site.block):
        yield part, confidence, f"reading a number for {how} from"
        return
    for item in _read_arguments(site, call, name):
        inner = item.value if isinstance(item, ast.Starred) else item
        confidence = implicit_read(site.value(inner), inner, site.block)
        if confidence:
            yield (call if name in _CONVERSIONS else inner), confidence, how
            return


def _read_arguments(site: Site, call: ast.Call, name: str) -> list[ast.expr]:
    """The arguments that a call reads as numbers, truth values or text; none for other calls of the same name."""
    func = call.func
    origin = site.origin(func) or ""
    if (name in _MATH and origin.startswith("math.")) or origin in ANSWERS:
        return call.args
    if origin in CHECKED:
        return call.args[:1]
    if isinstance(func, ast.Name):
        known = name in _CONVERSIONS or name in ("print", "format") or (name in _CHOICES and len(call.args) > 1)
        return call.args if known and site.block.scope.owner(name) is None else []
    return _asked_by_method(site, call, func) if isinstance(func, ast.Attribute) else []


def _asked_by_method(site: Site, call: ast.Call, func: ast.Attribute) -> list[ast.expr]:
    """The arguments that a method reads: of a text, a logger or a writer of metrics."""
    owner, name, origin = func.value, func.attr, site.origin(func) or ""
    if origin == "wandb.log":
        return call.args[0].values if call.args and isinstance(call.args[0], ast.Dict) else []
    if name == "format":
        is_text = site.value(owner).kind is Kind.STRING
        return [*call.args, *(keyword.value for keyword in call.keywords)] if is_text else []
    if name in _WRITERS:
        return call.args[1:2] or [item.value for item in call.keywords if item.arg in ("scalar_value", "values")]
    if name in _LOGGERS:
        return call.args if origin.startswith("logging.") or _LOGGER_NAME.search(last_name(owner)) else []
    return []


def _is_first_text(site: Site) -> bool:
    """Whether no earlier formatted value of the statement reads a tensor: one text is one wait and one finding."""
    for place in site.file.reads_by_statement.get(site.statement, []):
        if place is site.place:
            return True
        if place.node is not site.node and any(True for _ in _formatted(site, place)):
            return False
    return True


def _formatted(site: Site, place: Place) -> Iterator[tuple[ast.AST, float, str]]:
    node = place.node
    if isinstance(node, ast.FormattedValue):
        parts, how = [node.value], "formatting"
    elif isinstance(node, ast.BinOp):
        parts, how = (node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]), "`%` formatting"
    else:
        return
    for part in parts:
        inner = part.value if isinstance(part, ast.Starred) else part
        confidence = implicit_read(site.file.kinds.of(inner, place.block), inner, place.block)
        if confidence:
            yield inner, confidence, how
            return
