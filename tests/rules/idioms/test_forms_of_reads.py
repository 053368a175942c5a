"""Which reads ask for NaN, and which stand in a loop over parameters? A mark stands at the read's statement."""

from __future__ import annotations

import ast

from tests.analysis.facts import file_model, marked
from trainlint.analysis.syntax.uses import own_nodes
from trainlint_rules.sync.idioms.reads.nan_tests import asks_for_nan
from trainlint_rules.sync.idioms.reads.parameter_reads import reads_each_parameter

PARAMETERS = """
    import torch
    def f(model, optimizer, losses):
        for name, p in model.named_parameters():
            norm = p.grad.norm()
            a = norm.item()  #= each
            b = losses[0].item()  #= none
        for group in optimizer.param_groups:
            for p in group["params"]:
                c = p.abs().max().item()  #= each
        for loss in losses:
            d = loss.item()  #= none
        e = sum(p.norm().item() for p in model.parameters())  #= each
        for value in model.state_dict().values():
            g = value.sum().item()  #= none
"""
TESTS = """
    import math
    import torch
    def f(loss, x):
        a = torch.isnan(loss).item()  #= nan
        b = math.isnan(loss.item())  #= nan
        c = (torch.isnan(x) | torch.isinf(x)).any().item()  #= nan
        d = x[~torch.isnan(x)].mean().item()  #= none
        e = loss.item()  #= none
        g = (x != x).any().item()  #= nan
        h = (x != loss).any().item()  #= none
"""


def item_in(statement: ast.stmt) -> ast.Call:
    """The call of `.item()` in a statement."""
    return next(
        node
        for node in own_nodes(statement)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "item"
    )


def test_reads_of_each_parameter() -> None:
    model = file_model(PARAMETERS)
    for statement, block, said in marked(model):
        found = reads_each_parameter(model, item_in(statement), block, statement)
        assert ("each" if found else "none") == said, statement.lineno


def test_reads_that_ask_for_nan() -> None:
    model = file_model(TESTS)
    for statement, _, said in marked(model):
        found = asks_for_nan(model, item_in(statement), statement)
        assert ("nan" if found else "none") == said, statement.lineno


def test_a_test_may_ask_for_nan_with_or_without_a_summary() -> None:
    for text, expected in (
        ("~torch.isfinite(x)", True),
        ("torch.isfinite(x).all()", True),
        ("torch.any(torch.isnan(x))", True),
        ("x > torch.isnan(y)", False),
        ("x.mean()", False),
    ):
        model = file_model(f"if {text}:\n    pass")
        statement = model.tree.body[0]
        assert isinstance(statement, ast.If)
        assert asks_for_nan(model, statement.test, statement) is expected, text
