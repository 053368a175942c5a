"""Reductions that cannot be joined, need not be, or are."""

import torch
import torch.distributed as dist


def one_tensor(model, optimizer, loader):
    for batch in loader:
        losses = model(batch)
        optimizer.zero_grad()
        sum(losses.values()).backward()
        optimizer.step()
        values = torch.stack(list(losses.values())).detach()
        dist.all_reduce(values)


def other_operation(model, optimizer, loader):
    for batch in loader:
        loss, largest_loss = model(batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        running_loss = loss.detach()
        dist.all_reduce(running_loss, op=dist.ReduceOp.SUM)
        dist.all_reduce(largest_loss, op=dist.ReduceOp.MAX)


def large_ones(model, optimizer, loader):
    for batch in loader:
        loss, keys, values = model(batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        dist.all_reduce(keys)
        dist.all_reduce(values)


def now_and_then(model, optimizer, loader, log_every):
    for step, batch in enumerate(loader):
        loss, count = model(batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % log_every == 0:
            total_loss = loss.detach()
            dist.all_reduce(total_loss)
            dist.all_reduce(count)


def at_the_end(total_loss, total_tokens):
    dist.all_reduce(total_loss)
    dist.all_reduce(total_tokens)
    return total_loss / total_tokens


def beside_the_scaling(model, optimizer, loader, scale_gradients):
    for batch in loader:
        total_loss, num_tokens = model(batch)
        optimizer.zero_grad()
        total_loss.backward()
        dist.all_reduce(num_tokens)
        dist.all_reduce(total_loss, async_op=True)
        scale_gradients(model, num_tokens, total_loss)
        optimizer.step()
