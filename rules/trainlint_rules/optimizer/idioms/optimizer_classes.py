"""Classes of optimizers that a project writes itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainlint.analysis.syntax.names import last_name
from trainlint.analysis.tables.optimizers import is_optimizer_class
from trainlint.contract.guard import guard

if TYPE_CHECKING:
    from trainlint.analysis.site import Site
    from trainlint.analysis.syntax.blocks import Class


@guard
def in_optimizer_class(site: Site) -> bool:
    """It stands in the class of an optimizer."""
    owner = site.file.graph.owner(site.block)
    return owner is not None and _is_optimizer(owner)


def defines_optimizer(site: Site) -> bool:
    """Whether the file has a class of an optimizer."""
    return any(_is_optimizer(cls) for cls in site.file.outline.classes.values())


def _is_optimizer(cls: Class) -> bool:
    return any(is_optimizer_class(last_name(base)) for base in cls.node.bases)
