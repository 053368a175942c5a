"""What is used of `apex.amp`, and code that is there for those who still ask for it."""

from __future__ import annotations

import ast
import re

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.roles import references_by
from trainlint.contract.guard import guard
from trainlint.patterns import lazy

INSTEAD = {
    "initialize": "leave it out: the model stays in float32, and `torch.autocast` chooses types",
    "scale_loss": "scale with `torch.amp.GradScaler` instead: `scaler.scale(loss).backward()`",
}
"""What starts mixed precision and what each step needs; all else of `apex.amp` goes with these two."""
_OF_APEX = lazy(r"apex", re.IGNORECASE)


@guard
def in_adapter(site: Site) -> bool:
    """The class or function around it is named after apex (`ApexScaler`), for those who still ask for it."""
    uses = [site.place]
    if isinstance(site.node, ast.ImportFrom):
        uses = [use for use in references_by(site.file, site.node) if getattr(use.node, "attr", "") in INSTEAD]
    around = [site.file.graph.enclosing(use.block) for use in uses]
    return bool(around) and all(function and _OF_APEX.search(function.qualified_name) for function in around)
