"""Reasons why a read of a device value is no defect, or is that of another rule."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.analysis.conditions.values.without_cuda import runs_without_cuda
from trainlint.analysis.syntax.names import argument, nodes_in
from trainlint.contract.guard import Guard, guard
from trainlint_rules.sync.idioms.reads.read_purposes import Purpose, copy_purpose, purpose

if TYPE_CHECKING:
    from trainlint.analysis.site import Site


def _purpose_is(what: Purpose, sentence: str) -> Guard:
    def holds(site: Site) -> bool:
        return purpose(site.file, site.node, site.block, site.statement) is what

    return Guard(sentence, holds)


def _copied_for(what: Purpose | None, sentence: str) -> Guard:
    def holds(site: Site) -> bool:
        return copy_purpose(site.file, site.node, site.block, site.statement) is what

    return Guard(sentence, holds)


@guard
def says_whether_to_wait(site: Site) -> bool:
    """The copy is given `non_blocking`."""
    return isinstance(site.node, ast.Call) and argument(site.node, "non_blocking") is not None


@guard
def needs_no_cuda(site: Site) -> bool:
    """It runs only without CUDA."""
    return runs_without_cuda(site.file, site.block)


@guard
def only_without_cuda(site: Site) -> bool:
    """It runs only without CUDA, or copies to the GPU only with CUDA."""
    if runs_without_cuda(site.file, site.block):
        return True
    others = site.call.args[:1] if isinstance(site.node, ast.Call) else []
    names = [part for item in others for part in nodes_in(item) if isinstance(part, ast.Name)]
    return any(
        runs_without_cuda(site.file, binding.block)
        for name in names
        for binding in site.file.outline.bindings(name, site.block)
    )


_AGREEMENT = "a collective makes all ranks agree on the value"
_DRIVER = "the class controls workers in other processes, whose tensors are on the CPU"
_EVALUATION = "the function evaluates"
_TEXT = "the code decodes tokens to text, which takes far longer"

READ_FOR_A_PURPOSE = (
    _purpose_is(Purpose.LOGGED_COLLECTIVE, "the value is the result of a collective that is only logged (TRN215)"),
    _purpose_is(Purpose.TEXT, _TEXT),
    _purpose_is(Purpose.AGREEMENT, _AGREEMENT),
    _purpose_is(Purpose.EVALUATION, _EVALUATION),
    _purpose_is(Purpose.DRIVER, _DRIVER),
)
COPIED_FOR_A_PURPOSE = (
    _copied_for(Purpose.SHAPE, "the value is the shape of what another rank sends"),
    _copied_for(Purpose.TEXT, _TEXT),
    _copied_for(Purpose.AGREEMENT, _AGREEMENT),
    _copied_for(Purpose.EVALUATION, _EVALUATION),
    _copied_for(Purpose.DRIVER, _DRIVER),
)
IN_FORWARD = _copied_for(Purpose.FORWARD_ON_HOST, "it is part of a forward pass or a loss (TRN210)")
OUTSIDE_OF_FORWARD = _copied_for(None, "it is part of no forward pass and no loss (TRN202)")
