"""Accumulation under DDP that does not reduce after each batch."""

from contextlib import nullcontext

from torch.nn.parallel import DistributedDataParallel as DDP


def with_no_sync(network, criterion, optimizer, loader, accumulate, rank):
    model = DDP(network, device_ids=[rank])
    for step, (images, labels) in enumerate(loader):
        is_last = (step + 1) % accumulate == 0
        with nullcontext() if is_last else model.no_sync():
            criterion(model(images), labels).backward()
        if is_last:
            optimizer.step()
            optimizer.zero_grad()


def with_delayed_all_reduce(network, criterion, optimizer, loader, accumulation_steps, rank):
    model = DDP(network, device_ids=[rank])
    for step, (images, labels) in enumerate(loader):
        last = (step + 1) % accumulation_steps == 0
        model.enable_allreduce() if last else model.disable_allreduce()
        criterion(model(images), labels).backward()
        if last:
            optimizer.step()
            optimizer.zero_grad()


def by_an_engine(network, criterion, optimizer, loader, accumulate, start, rank):
    engine = start(DDP(network, device_ids=[rank]))
    for step, (images, labels) in enumerate(loader):
        engine.backward(criterion(engine(images), labels))
        if (step + 1) % accumulate == 0:
            optimizer.step()
            optimizer.zero_grad()
