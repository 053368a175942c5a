"""Look-alikes of accumulation that reduces too often."""

from contextlib import nullcontext

import deepspeed
import torch
from accelerate import Accelerator
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.nn.parallel import DistributedDataParallel as DDP


def with_no_sync(network, criterion, optimizer, loader, accumulate, rank):
    model = DDP(network, device_ids=[rank])
    for step, (images, labels) in enumerate(loader):
        is_last = (step + 1) % accumulate == 0
        with nullcontext() if is_last else model.no_sync():
            loss = criterion(model(images), labels) / accumulate
            loss.backward()
        if is_last:
            optimizer.step()
            optimizer.zero_grad()


def with_the_flag_that_ddp_keeps(network, criterion, optimizer, batches, accumulate, rank):
    model = DDP(network, device_ids=[rank])
    while True:
        for micro_step in range(accumulate):
            model.require_backward_grad_sync = micro_step == accumulate - 1
            images, labels = next(batches)
            (criterion(model(images), labels) / accumulate).backward()
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


def each_batch_its_step(network, criterion, optimizer, loader, rank):
    model = DDP(network, device_ids=[rank])
    for step, (images, labels) in enumerate(loader):
        loss = criterion(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 100 == 0:
            print(step)


def critic_more_often(generator, critic, optimizer_g, optimizer_c, loader, n_critic, rank):
    critic = DDP(critic, device_ids=[rank])
    for step, (images, noise) in enumerate(loader):
        optimizer_c.zero_grad()
        critic(images).mean().backward()
        optimizer_c.step()
        if step % n_critic == 0:
            optimizer_g.zero_grad()
            critic(generator(noise)).mean().backward()
            optimizer_g.step()


def several_losses(network, losses, optimizer, loader, rank):
    model = DDP(network, device_ids=[rank])
    for images, labels in loader:
        optimizer.zero_grad()
        for criterion in losses:
            criterion(model(images), labels).backward()
        optimizer.step()


def sharded(network, criterion, optimizer, loader, accumulate):
    model = FSDP(network)
    for step, (images, labels) in enumerate(loader):
        criterion(model(images), labels).backward()
        if (step + 1) % accumulate == 0:
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


def one_device(model, criterion, optimizer, loader):
    loss = torch.zeros(())
    for images, labels in loader:
        loss = criterion(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss
