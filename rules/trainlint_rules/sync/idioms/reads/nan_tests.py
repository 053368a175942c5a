"""Tests for NaN and infinity that read a tensor of the device, and what to do instead."""

from __future__ import annotations

import ast

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name
from trainlint.analysis.syntax.uses import enclosing_nodes
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.analysis.tables.host_reads import ITEM
from trainlint_rules.sync.idioms.reads.decisions import Decision, replaces_tested

_NAN_TESTS = frozenset({"isnan", "isinf", "isfinite", "isneginf", "isposinf"})
_SUMMARIES = frozenset({"any", "all", ITEM.name, "sum", "max", "bool", "float", "int", "logical_or", "logical_not"})
"""What turns the answers of such a test into one."""
_SKIPPED = "let `GradScaler` skip such steps, or clear bad gradients on the GPU: `torch.nan_to_num(p.grad, out=p.grad)`"
_CLEARED = "clear bad gradients on the GPU after the backward pass: `torch.nan_to_num(p.grad, out=p.grad)`"
_MENDED = "replace bad values without a test: where there are none, `torch.nan_to_num` and `torch.where` change nothing"
_SELDOM = "check every N steps, or replace bad values on the GPU with `torch.where`"
_INSTEAD = {
    Decision.MARKS: "collect the results on the GPU, and read them once after the loop or every N steps",
    Decision.ENDS: "check every N steps: the loop ends a few rounds later",
    Decision.CHECKS: "check every N steps: NaN weights stay NaN, so the error only comes later",
}


def instead_of_nan_test(site: Site, decided: Decision | None) -> str:
    """Help for a test for NaN or infinity, by what it decides."""
    if decided in _INSTEAD:
        return _INSTEAD[decided]
    if isinstance(site.statement, ast.If) and replaces_tested(site.statement):
        return _MENDED
    if decided in (Decision.SKIPS, Decision.UPDATES):
        scales = any(fact.kind is FactKind.GRAD_SCALER for facts in site.file.facts.values() for fact in facts)
        return _SKIPPED if scales else _CLEARED
    return _SELDOM


def asks_for_nan(file: SemanticModel, read: ast.AST, statement: ast.stmt) -> bool:
    """Whether a read in a statement is about nothing but `isnan`, `isinf` or `isfinite` of a value, or `x != x`."""
    if _summarises_test(read):
        return True
    inner = read
    for outer in enclosing_nodes(file, read, statement):
        if isinstance(outer, ast.Call) and last_name(outer.func) in _NAN_TESTS and inner in outer.args:
            return True
        inner = outer
    return False


def _summarises_test(node: ast.AST) -> bool:
    """`torch.isnan(x).any()`, `~torch.isfinite(x)`, `(bad | torch.isnan(x)).sum() > 0`."""
    match node:
        case ast.Call():
            name = last_name(node.func)
            if name in _NAN_TESTS:
                return True
            parts = list(node.args)
            if isinstance(node.func, ast.Attribute):
                parts.append(node.func.value)
            return name in _SUMMARIES and any(_summarises_test(part) for part in parts)
        case ast.BinOp(op=ast.BitOr() | ast.BitAnd()):
            return _summarises_test(node.left) or _summarises_test(node.right)
        case ast.UnaryOp(op=ast.Invert() | ast.Not()):
            return _summarises_test(node.operand)
        case ast.Compare(ops=[ast.NotEq() | ast.Eq()]) if ast.dump(node.left) == ast.dump(node.comparators[0]):
            return True
        case ast.Compare():
            return _summarises_test(node.left)
    return False
