"""Guards about a model that is wrapped for several devices but never trained, by its uses and by names."""

from __future__ import annotations

import ast
import re

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import BlockKind
from trainlint.analysis.syntax.names import last_name, nodes_in
from trainlint.analysis.tables.parallel import Wrapper, called_as
from trainlint.contract.guard import guard
from trainlint.patterns import lazy

_NO_TRAINING = lazy(
    r"(^|_|/)(eval|evaluate|evaluation|infer|inference|test|predict|demo|sample|sampling|generate|validate|metrics?|"
    r"fid|extract|export|embed|score|inception|vgg|lpips|perceptual)",
    re.IGNORECASE,
)
"""Words of files and functions that run a model without training it, and of models that are never trained."""
_FREEZING = frozenset({"eval", "requires_grad_"})


def beside_ddp(site: Site) -> bool:
    """Whether the same function wraps models in DDP, too: then this is for runs that are not started in that way."""
    function = site.function
    return function is not None and any(
        other.function is function for name in called_as(Wrapper.DDP) for other in site.calls(name)
    )


@guard
def frozen_at_once(site: Site) -> bool:
    """The same statement puts the model into evaluation mode or freezes it."""
    called_on = (part for part in nodes_in(site.statement) if isinstance(part, ast.Attribute))
    return any(part.attr in _FREEZING and site.node in nodes_in(part.value) for part in called_on)


@guard
def evaluated_by_name(site: Site) -> bool:
    """The names of the model or of the function speak of evaluation."""
    words = [site.function.name] if site.function is not None else []
    return any(_NO_TRAINING.search(word) for word in (*words, *_targets(site)))


@guard
def file_evaluates(site: Site) -> bool:
    """The file does not train: its name says so, or it only sets evaluation mode."""
    if trains(site):
        return False
    names = set(_targets(site))
    return bool(_NO_TRAINING.search(site.path)) or (
        _is_called_on(site, "eval", names) and not _is_called_on(site, "train", names)
    )


def trains(site: Site) -> bool:
    """Whether the file holds a training loop."""
    return bool(site.file.training_calls)


def _targets(site: Site) -> list[str]:
    """The last names of what the wrapped model is assigned to."""
    return [last_name(target) for target in site.statement.targets] if isinstance(site.statement, ast.Assign) else []


def _is_called_on(site: Site, method: str, names: set[str]) -> bool:
    """Whether a method is called on one of the names, outside of class bodies."""
    return any(
        isinstance(other.call.func, ast.Attribute)
        and last_name(other.receiver) in names
        and other.block.kind is not BlockKind.CLASS
        for other in site.calls(method)
    )
