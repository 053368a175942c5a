"""What is used of `apex.amp`, and code that is there for those who still ask for it."""

from __future__ import annotations

import ast

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.names import argument, constant
from trainlint.analysis.syntax.roles import references_by
from trainlint.contract.guard import guard

INSTEAD = {
    "initialize": "run the forward under `torch.autocast`, and replace each `amp.scale_loss`, those in hooks and "
    "libraries too, in the same change",
    "scale_loss": "scale with `torch.amp.GradScaler` instead: `scaler.scale(loss).backward()`, then `scaler.step(...)`",
}
"""What starts mixed precision and what each step needs; all else of `apex.amp` goes with these two."""
FP16_OPTIMIZERS = tuple(
    f"apex.{module}.FP16_Optimizer" for module in ("optimizers", "contrib.optimizers", "fp16_utils")
)
"""The wrapper of an optimizer that keeps weights in float32: from where apex has offered it."""
_OF_LEVEL = {
    "O0": "leave it out together with each `amp.scale_loss`: level O0 trains in float32",
    "O2": "; level O2 keeps weights in float16, which then stay in float32",
    "O3": "; level O3 trains in float16 only: use `model.half()`",
}
"""What to say of a level other than O1, which is what `torch.autocast` does; with ";" it is added."""


@guard
def reported_at_its_uses(site: Site) -> bool:
    """The calls for which it is imported are reported themselves."""
    return isinstance(site.node, ast.ImportFrom) and any(
        getattr(use.node, "attr", "") in INSTEAD for use in references_by(site.file, site.node)
    )


def of_fp16_optimizer(site: Site) -> bool:
    """Whether a place imports `FP16_Optimizer`, or names it by its module; other uses are told at the import."""
    if isinstance(site.node, ast.ImportFrom):
        return any(f"{site.node.module}.{item.name}" in FP16_OPTIMIZERS for item in site.node.names)
    return isinstance(site.node, ast.Attribute) and site.origin(site.node) in FP16_OPTIMIZERS


def uses_of_import(site: Site) -> list[Place]:
    """The places that use what an import brings; none for other places."""
    return list(references_by(site.file, site.node)) if isinstance(site.node, ast.ImportFrom) else []


def instead_of(call: ast.Call, name: str) -> str:
    """What to write for a call of `apex.amp`, by the level that it is given."""
    level = constant(argument(call, "opt_level", 2)) if name == "initialize" else None
    said = _OF_LEVEL.get(level, "") if isinstance(level, str) else ""
    return said if said and not said.startswith(";") else INSTEAD[name] + said
