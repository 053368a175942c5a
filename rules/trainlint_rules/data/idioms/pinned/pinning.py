"""Whether pinning helps a loader, and whether it is safe."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.effects.fresh_batches import is_surely_left_alone
from trainlint.analysis.programs.proved_torch import means_only
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant, last_name
from trainlint.analysis.syntax.reaching import single_value
from trainlint.analysis.tables.loaders import TORCH_ORIGINS
from trainlint.analysis.types.loaders import Loader
from trainlint.contract.guard import early_guard, guard
from trainlint.finding import Edit, Safety
from trainlint_rules.data import LoaderRule
from trainlint_rules.data.idioms.datasets import Items, are_indices
from trainlint_rules.data.idioms.loader_copies import copies_by_loader
from trainlint_rules.data.idioms.loading_work import items_at
from trainlint_rules.data.idioms.pinned.item_code import ItemCode, item_code


@guard
def nothing_to_pin(site: Site) -> bool:
    """The data is already on the GPU, or the loader draws only indices."""
    if item_code(site.file, LoaderRule.loader(site)).shows_device:
        return True
    dataset = argument(site.call, "dataset", 0)
    indices = dataset is not None and are_indices(dataset)
    return items_at(site) in ((Items.DEVICE, Items.MEMORY) if indices else (Items.DEVICE,))


@early_guard
def pinned_for_same_data(site: Site) -> bool:
    """Another loader of the same data, built in the same function, pins memory."""
    others = [other for other in site.calls(last_name(site.call.func)) if other.function is site.function]
    pinned = (other.call for other in others if constant(argument(other.call, "pin_memory")) is True)
    return _data(site.call) in {_data(call) for call in pinned}


def _data(call: ast.Call) -> str:
    dataset = argument(call, "dataset", 0)
    return "" if dataset is None else ast.unparse(dataset)


def safety_of_pinning(site: Site) -> Safety:
    """Safe where batches surely are dense tensors on the host, and nobody has decided against pinning them.

    Only such a tensor can be pinned. PyTorch's own function stacks dense ones; they are on the host where workers make
    them, or where the code that makes them is in sight and names no device.
    """
    loader, file = LoaderRule.loader(site), site.file
    if not means_only(site.call.func, site.block, TORCH_ORIGINS) or decided(site):
        return Safety.UNSAFE
    if file.copies_without_waiting and not _is_left_alone(file, loader):
        return Safety.UNSAFE
    code = item_code(file, loader)
    return Safety.SAFE if code.stacks and _is_on_host(site, code) else Safety.UNSAFE


def _is_left_alone(file: SemanticModel, loader: Loader) -> bool:
    """Whether all copies of a loader's batches are in sight, and none of what they copy is written to behind them.

    From pageable memory the host waits for a copy, whatever it says; from pinned memory it goes on.
    """
    copies = copies_by_loader(file).get(loader, ())
    return bool(copies) and all(
        isinstance(copy.node, ast.Call)
        and isinstance(copy.node.func, ast.Attribute)
        and is_surely_left_alone(file, copy.node.func.value, copy)
        for copy in copies
    )


def _is_on_host(site: Site, code: ItemCode) -> bool:
    if code.shows_device:
        return False
    workers = site.file.loaders.option(LoaderRule.loader(site), "num_workers")
    by_workers = workers.given and constant(workers.value) != 0
    is_seen = code.dataset_is_seen or items_at(site) in (Items.WORK, Items.TABLE, Items.MEMORY)
    return by_workers or (is_seen and code.collate_is_seen)


def decided(site: Site) -> bool:
    """Whether the loader is told not to pin memory, or for which device it would."""
    loader, options = LoaderRule.loader(site), site.file.loaders
    return options.option(loader, "pin_memory").given or options.option(loader, "pin_memory_device").given


def pin_edits(site: Site) -> Iterator[Edit]:
    """`pin_memory=True`, or the answer of `torch.cuda.is_available` where the file runs without CUDA too.

    Nothing where the option is given, in whatever way, as that is somebody's decision, and where the batches may be
    graphs.
    """
    from trainlint.fixing.rewrite import ensure_import, set_keyword

    if decided(site) or _may_be_graphs(site):
        return
    value = "True"
    if any(asked.origin(asked.call.func) == "torch.cuda.is_available" for asked in site.calls("is_available")):
        name, imported = ensure_import(site.source, site.file.tree, "torch.cuda", "is_available")
        yield from imported
        value = f"{name}()"
    yield set_keyword(site.source, site.call, "pin_memory", value, proved_absent=True)


def _may_be_graphs(site: Site) -> bool:
    """Whether a file that uses DGL has a collate function of its own here, which may make graphs, and not only tensors.

    Graphs of DGL have no `pin_memory`.
    """
    code, outline = item_code(site.file, LoaderRule.loader(site)), site.file.outline
    uses_dgl = any(origin.partition(".")[0] == "dgl" for origin in (*outline.imports.values(), *outline.stars))
    return uses_dgl and not code.stacks and safety_of_pinning(site) is not Safety.SAFE


def helps_alone(site: Site) -> bool:
    """Whether pinning gains something by itself: workers prepare the batches, or a copy does not wait.

    Without workers the training process pins each batch itself, in the step; a copy that waits then saves nothing.
    """
    loader, file = LoaderRule.loader(site), site.file
    workers = file.loaders.option(loader, "num_workers")
    if workers.given and not _is_zero(site, workers.value):
        return True
    return any(_goes_on(place.node) for place in copies_by_loader(file).get(loader, ()))


def _is_zero(site: Site, workers: ast.expr | None) -> bool:
    """Whether a number of workers is a zero."""
    return workers is not None and constant(single_value(workers, site.block) or workers) == 0


def _goes_on(copy: ast.AST) -> bool:
    if not isinstance(copy, ast.Call):
        return False
    given = argument(copy, "non_blocking")
    return any(constant(item) is True for item in copy.args) if given is None else constant(given) is not False
