"""Helpers that reduce what they are given, and are called for one number after the other."""

import torch
import torch.distributed as dist


def shared_mean(tensor, ranks):
    total = tensor.clone()
    dist.all_reduce(total)
    total /= ranks
    return total


def shared(number, ranks):
    return shared_mean(number.detach(), ranks)


def handed_on(number, ranks):
    return shared_mean(number, ranks)


def averaged(value):
    if dist.is_initialized():
        held = torch.tensor([value], device="cuda")  #! TRN203 TRN207
        dist.all_reduce(held, op=dist.ReduceOp.AVG)
        value = held.mean()
    return value


def train(model, optimizer, loader, ranks):
    for batch in loader:
        loss, kept, extra = model(batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        first = shared_mean(loss.data, ranks)
        second = shared_mean(kept.sum(), ranks)  #! TRN503
        third = shared_mean(extra.mean(), ranks)
        print_later(first, second, third)


def train_through_another(model, optimizer, loader, ranks, every):
    for step, batch in enumerate(loader):
        loss, gate_loss = model(batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        record(handed_on(loss, ranks))
        record(handed_on(gate_loss, ranks))  #! TRN503
        record(averaged(loss.detach()))
        record(averaged(gate_loss.detach()))  #! TRN503
        if step % every == 0:
            record(shared_mean(loss, ranks))
            record(shared_mean(gate_loss, ranks))


def train_once(model, optimizer, loader, ranks):
    for batch in loader:
        loss, features, others = model(batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        record(shared_mean(loss, ranks))
        record(shared_mean(features, ranks))
        record(shared_mean(others, ranks))
