"""How much a loader has to do for each batch, and how sure it is that training waits for it."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument
from trainlint.contract.confidence import doubted
from trainlint.contract.guard import early_guard, guard
from trainlint.finding import Confidence
from trainlint_rules.data import LoaderRule
from trainlint_rules.data.idioms.datasets import Items, items_of
from trainlint_rules.data.idioms.pinned.item_code import item_code
from trainlint_rules.data.idioms.workers import is_bare, loads_single_items

_DOUBTS_OF_ITEMS = {Items.UNKNOWN: 1, Items.TABLE: 2}
"""A table was mostly tokenised before training, and its rows need little work."""


def items_at(site: Site) -> Items:
    """What it costs to make an item of the dataset of the loader that is built at a place."""
    dataset = argument(site.call, "dataset", 0)
    return Items.UNKNOWN if dataset is None else items_of(site.file, dataset, site.block)


@guard
def workers_would_use_the_device(site: Site) -> bool:
    """The dataset or collate function uses the GPU, which forked workers cannot."""
    return item_code(site.file, LoaderRule.loader(site)).shows_device


@guard
def items_lie_ready(site: Site) -> bool:
    """The items lie ready in memory or on the GPU."""
    return items_at(site) in (Items.MEMORY, Items.DEVICE)


@early_guard
def computes_on_the_host(site: Site) -> bool:
    """Nothing in the program names an accelerator, so that no device waits."""
    return not site.file.may_compute_on_device


def sure_of_items(site: Site) -> Confidence:
    """How sure it is that loading takes long, for a loader without workers that training steps take batches of."""
    items = items_at(site)
    doubts = [_DOUBTS_OF_ITEMS.get(items, 0), items is Items.UNKNOWN and is_bare(site)]
    if loads_single_items(site):
        doubts.append(2)
    if site.file.loaders.option(LoaderRule.loader(site), "num_workers").given:
        doubts.append(2)  # `num_workers=0` is somebody's decision, and an option may be set
    return doubted(*doubts)
