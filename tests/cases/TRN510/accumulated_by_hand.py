"""Gradient accumulation under DDP as it stands in real code."""

import torch
from torch.nn.parallel import DistributedDataParallel as DDP


def wrap(network, local_rank):
    return DDP(network.cuda(local_rank), device_ids=[local_rank])


def with_scaler_that_is_told(network, criterion, optimizer, loss_scaler, loader, args):
    model = wrap(network, args.local_rank)
    accum_iter = args.accum_iter
    for index, (images, labels) in enumerate(loader):
        images = images.cuda(non_blocking=True)
        labels = labels.cuda(non_blocking=True)
        loss = criterion(model(images), labels)
        loss /= accum_iter
        loss_scaler(loss, optimizer, parameters=model.parameters(), update_grad=(index + 1) % accum_iter == 0)  #! TRN510
        if (index + 1) % accum_iter == 0:
            optimizer.zero_grad()


def with_loop_over_micro_batches(network, criterion, optimizer, batches, args):
    model = wrap(network, args.local_rank)
    for _ in range(args.max_steps):
        optimizer.zero_grad()
        for _ in range(args.gradient_accumulation_steps):
            images, labels = next(batches)
            loss = criterion(model(images.cuda(non_blocking=True)), labels.cuda(non_blocking=True))
            (loss / args.gradient_accumulation_steps).backward()  #! TRN510
        optimizer.step()


def backward(loss, scaler):
    if scaler is None:
        loss.backward()
    else:
        scaler.scale(loss).backward()


def with_early_continue(network, criterion, optimizer, scaler, loader, args):
    model = wrap(network, args.local_rank)
    for index, (images, labels) in enumerate(loader):
        loss = criterion(model(images.cuda(non_blocking=True)), labels.cuda(non_blocking=True))
        backward(loss, scaler)  #! TRN510
        if (index + 1) % args.accum_freq != 0:
            continue
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
