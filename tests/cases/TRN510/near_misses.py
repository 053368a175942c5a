"""Look-alikes of accumulation that reduces too often."""

import deepspeed
from accelerate import Accelerator
from torch.nn.parallel import DistributedDataParallel as DDP


def with_the_flag_that_ddp_keeps(network, criterion, optimizer, batches, accumulate, rank):
    model = DDP(network, device_ids=[rank])
    while True:
        for micro_step in range(accumulate):
            model.require_backward_grad_sync = micro_step == accumulate - 1
            images, labels = next(batches)
            (criterion(model(images), labels) / accumulate).backward()
        optimizer.step()
        optimizer.zero_grad()


def alone(model, criterion, optimizer, loader, accumulate):
    for step, (images, labels) in enumerate(loader):
        criterion(model(images), labels).backward()
        if (step + 1) % accumulate == 0:
            optimizer.step()
            optimizer.zero_grad()


def by_an_engine(network, criterion, loader, config):
    engine, _, _, _ = deepspeed.initialize(model=network, config=config)
    for images, labels in loader:
        loss = criterion(engine(images), labels)
        engine.backward(loss)
        engine.step()


def by_accelerate(model, criterion, optimizer, loader):
    accelerator = Accelerator(gradient_accumulation_steps=4)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for images, labels in loader:
        with accelerator.accumulate(model):
            loss = criterion(model(images), labels)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
