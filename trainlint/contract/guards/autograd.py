"""Guards about the graphs that autograd records."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from trainlint.contract.guard import early_guard, guard

if TYPE_CHECKING:
    from trainlint.analysis.site import Site


@guard
def autograd_off(site: Site) -> bool:
    """Autograd is off."""
    return site.gradients_off


autograd_off_early = replace(autograd_off, before_found=True)
"""The same, for rules that report the place they look at."""


@early_guard
def runs_no_backward(site: Site) -> bool:
    """The file runs no backward."""
    return "backward" not in site.file.outline.calls
