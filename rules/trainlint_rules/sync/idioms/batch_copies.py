"""Which copies of batches to the device may go on alone."""

from __future__ import annotations

from trainlint.analysis.effects.host_memory.left_alone import is_surely_left_alone
from trainlint.analysis.site import Site
from trainlint.finding import Safety
from trainlint_rules.sync.idioms.copies import copied, file_names_other_accelerators, is_surely_tensor


def safety_without_waiting(site: Site) -> Safety:
    """Safe for what is surely a tensor, on CUDA, whose host memory is surely left alone."""
    batch = copied(site)
    if file_names_other_accelerators(site.file) or not is_surely_tensor(site, batch):
        return Safety.UNSAFE
    return Safety.SAFE if is_surely_left_alone(site.file, batch, site.place) else Safety.UNSAFE
