"""How much a loader has to do for each batch, and how sure it is that training waits for it."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument
from trainlint.analysis.types.values import Home
from trainlint.contract.confidence import doubted
from trainlint.contract.guard import early_guard, guard
from trainlint.finding import Confidence, Heat
from trainlint_rules.data import LoaderRule
from trainlint_rules.data.idioms.datasets import Items, items_of
from trainlint_rules.data.idioms.passes import loops_in_other_files, passes
from trainlint_rules.data.idioms.pinned.item_code import item_code
from trainlint_rules.data.idioms.workers import is_bare, loads_single_items, option_left_at_zero

_DOUBTS_OF_ITEMS = {Items.UNKNOWN: 1, Items.TABLE: 2}
"""A table was mostly tokenised before training, and its rows need little work."""


def items_at(site: Site) -> Items:
    """What it costs to make an item of the dataset of the loader that is built at a place."""
    dataset = argument(site.call, "dataset", 0)
    found = Items.UNKNOWN if dataset is None else items_of(site.file, dataset, site.block)
    if found is not Items.UNKNOWN:
        return found
    told, _ = site.file.outside.items.get(site.file.keys.call(site.call), (None, None))
    return Items.MEMORY if told is not None and told.ready and not told.device else found


@guard
def workers_would_use_the_device(site: Site) -> bool:
    """The dataset or collate function uses the GPU, which forked workers cannot."""
    return item_code(site.file, LoaderRule.loader(site)).shows_device


@guard
def items_lie_ready(site: Site) -> bool:
    """The items lie ready in memory or on the GPU."""
    return items_at(site) in (Items.MEMORY, Items.DEVICE)


def walked_in_steps(site: Site) -> bool:
    """Whether a step of another training loop goes through the loader, so that workers would start in each of them."""
    loader = LoaderRule.loader(site)
    found = passes(site.file, loader)
    return any(site.file.heats.of(item.block).heat.in_step for item in found) or any(
        use.heat is Heat.INNER for use in loops_in_other_files(site.file, loader)
    )


@early_guard
def computes_on_the_host(site: Site) -> bool:
    """Nothing in the program names an accelerator, so that no device waits."""
    return site.file.device is Home.HOST


def sure_of_items(site: Site) -> Confidence:
    """How sure it is that loading takes long, for a loader without workers that training steps take batches of."""
    return doubted(*_doubts_of_items(site))


def _doubts_of_items(site: Site) -> list[int]:
    items = items_at(site)
    doubts = [_DOUBTS_OF_ITEMS.get(items, 0), items is Items.UNKNOWN and is_bare(site)]
    if loads_single_items(site):
        doubts.append(2)
    if site.file.loaders.option(LoaderRule.loader(site), "num_workers").given and option_left_at_zero(site) is None:
        doubts.append(2)  # `num_workers=0` in so many words is somebody's decision
    return doubts
