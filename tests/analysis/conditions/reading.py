"""The condition of one test that stands in a training loop."""

from __future__ import annotations

import textwrap

from tests.analysis.facts import file_model
from trainlint.analysis.conditions.condition import Condition
from trainlint.analysis.syntax.blocks import BlockKind

_PROGRAM = """
import os, math, random, time
import torch
{top}
def train(model, loader, args, mask=None, draw=False, train=True):
    for step, batch in enumerate(loader):
{before}
        if {test}:
{body}
        else:
            other()
"""


def condition(test: str, *, before: str = "", body: str = "act()", top: str = "") -> Condition:
    """The condition behind `if test:`; `before` stands in the loop, `top` above the function."""
    lines = {"before": textwrap.indent(before, " " * 8), "body": textwrap.indent(body, " " * 12)}
    return _read(_PROGRAM.format(test=test, top=top, **lines), negated=False)


def otherwise(test: str, *, before: str = "") -> Condition:
    """The condition behind the `else` of a test."""
    lines = {"before": textwrap.indent(before, " " * 8), "body": " " * 12 + "act()"}
    return _read(_PROGRAM.format(test=test, top="", **lines), negated=True)


def _read(code: str, *, negated: bool) -> Condition:
    model = file_model(code)
    last = [block for block in model.outline.blocks if block.kind is BlockKind.BRANCH and block.negated is negated]
    branches = [block for block in last if block.node.__class__.__name__ == "If" and not block.after_exit]
    found = model.conditions.of(branches[-1])
    assert found is not None
    return found
