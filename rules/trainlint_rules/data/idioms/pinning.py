"""Whether pinning helps a loader, and whether it is safe."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant
from trainlint.contract.guard import early_guard, guard
from trainlint.finding import Safety
from trainlint_rules.data import LoaderRule, switched_on
from trainlint_rules.data.idioms.datasets import Items, are_indices
from trainlint_rules.data.idioms.loader_purposes import Device
from trainlint_rules.data.idioms.loading_work import items_at


@guard
def nothing_to_pin(site: Site) -> bool:
    """The dataset lies on the device, or the loader draws indices."""
    dataset = argument(site.call, "dataset", 0)
    indices = dataset is not None and are_indices(dataset)
    return items_at(site) in ((Items.DEVICE, Items.MEMORY) if indices else (Items.DEVICE,))


@guard
def sends_to_processes(site: Site) -> bool:
    """The file calls models in other processes by `torch.distributed.rpc`."""
    calls = site.calls("remote", "rpc_sync", "rpc_async")
    return any((sent.origin(sent.call.func) or "").startswith("torch.distributed.rpc.") for sent in calls)


def safety_of_pinning(site: Site, device: Device) -> Safety:
    """Safe where batches surely come from the host: only a tensor on the device cannot be pinned."""
    workers = site.file.loaders.option(LoaderRule.loader(site), "num_workers")
    by_workers = workers.given and constant(workers.value) != 0  # which cannot hand over tensors on the device
    from_host = device in (Device.COPIED, Device.SELDOM) or by_workers or items_at(site) in (Items.WORK, Items.TABLE)
    return Safety.SAFE if from_host else Safety.UNSAFE


@early_guard
def pins(site: Site) -> bool:
    """The loader pins memory, or an option from elsewhere may say so."""
    return switched_on(site, "pin_memory")
