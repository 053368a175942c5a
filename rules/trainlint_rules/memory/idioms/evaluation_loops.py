"""Loops that evaluate with autograd on, and why that may be right."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from trainlint.analysis.programs.evaluation import wants_gradients
from trainlint.analysis.syntax.blocks import BlockKind
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import last_name, nodes_in
from trainlint.contract.guard import guard
from trainlint.finding import Confidence, LoopKind
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel
    from trainlint.analysis.site import Site
    from trainlint.analysis.syntax.blocks import Block, Function

_EVALUATION = lazy(r"(^|_)(eval\w*|valid\w*|val|test|testing|infer\w*|predict\w*|score|benchmark)($|_)", re.IGNORECASE)


def evaluation_loop(site: Site) -> Block | None:
    """The loop over a loader that a rule looks at, or that stands directly around what it reports, if it evaluates."""
    loop = site.file.outline.loop_blocks.get(site.node) or (site.block if site.block.kind is BlockKind.LOOP else None)
    return loop if loop is not None and site.file.heats.kind(loop) is LoopKind.EVAL else None


def is_trained(site: Site, names: set[str]) -> bool:
    """Whether a backward goes through what these names hold."""
    flow = site.file.backwards(site.block)
    return any(flow.goes_through(name) for name in names)


def sure_of_evaluation(site: Site) -> Confidence:
    """How sure it is that the function around evaluates: it calls `eval`, or its name says so."""
    function = site.function
    switches = _switches(site.file, function.node if function is not None else site.file.tree)
    return Confidence.CERTAIN if switches or (function and _is_named_so(function)) else Confidence.POSSIBLE


@guard
def gradients_wanted(site: Site) -> bool:
    """The evaluation needs gradients: an attack, an explanation, test-time training."""
    loop = evaluation_loop(site)
    return loop is not None and wants_gradients(site.file, loop)


def _is_named_so(function: Function) -> bool:
    return bool(_EVALUATION.search(function.name))


@once
def _switches(file: SemanticModel, root: ast.AST) -> bool:
    """Whether a function or module of a file calls something's `eval`."""
    return any(isinstance(part, ast.Call) and last_name(part.func) == "eval" for part in nodes_in(root))
