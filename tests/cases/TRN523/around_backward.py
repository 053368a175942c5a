"""`no_sync` that comes too late."""

import contextlib

from accelerate import Accelerator
from torch.nn.parallel import DistributedDataParallel as DDP


def in_a_branch(network, criterion, optimizer, batches, rank, accumulation_steps):
    model = DDP(network, device_ids=[rank])
    for step in range(1000):
        for micro in range(1, accumulation_steps + 1):
            inputs, targets = next(batches)
            loss = criterion(model(inputs), targets)
            if micro < accumulation_steps:
                with model.no_sync():  #! TRN523
                    (loss / accumulation_steps).backward()
            else:
                (loss / accumulation_steps).backward()
        optimizer.step()
        optimizer.zero_grad()


def with_a_scaler(network, criterion, optimizer, scaler, loader, rank, accumulation_steps):
    model = DDP(network, device_ids=[rank])
    for index, (inputs, targets) in enumerate(loader):
        loss = criterion(model(inputs), targets) / accumulation_steps
        with model.no_sync() if (index + 1) % accumulation_steps else contextlib.nullcontext():  #! TRN523
            scaler.scale(loss).backward()
        if (index + 1) % accumulation_steps == 0:
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()


def by_name(network, criterion, optimizer, loader, rank, accumulation_steps):
    model = DDP(network, device_ids=[rank])
    for index, (inputs, targets) in enumerate(loader):
        context = model.no_sync() if (index + 1) % accumulation_steps else contextlib.nullcontext()  #! TRN523
        loss = criterion(model(inputs), targets) / accumulation_steps
        with context:
            loss.backward()
        if (index + 1) % accumulation_steps == 0:
            optimizer.step()
            optimizer.zero_grad()


def by_accelerate(model, criterion, optimizer, loader, accumulation_steps):
    accelerator = Accelerator()
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for index, (inputs, targets) in enumerate(loader):
        loss = criterion(model(inputs), targets) / accumulation_steps
        if (index + 1) % accumulation_steps:
            with accelerator.no_sync(model):  #! TRN523
                accelerator.backward(loss)
        else:
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
