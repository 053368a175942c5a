"""Numbers that travel one by one."""

import torch
import torch.distributed as dist


def two_in_a_row(model, optimizer, loader, scale):
    for batch in loader:
        loss, num_tokens = model(batch)
        optimizer.zero_grad()
        loss.backward()
        running_loss = loss.detach()
        dist.all_reduce(num_tokens)
        # what is logged is what was optimised
        dist.all_reduce(running_loss)  #! TRN503
        scale(model, num_tokens)
        optimizer.step()


def three_in_a_row(model, optimizer, loader, group):
    for batch in loader:
        output = model(batch)
        optimizer.zero_grad()
        output.loss.backward()
        optimizer.step()
        first = output.first.mean()
        second = output.second.mean()
        third = output.third.sum()
        dist.all_reduce(first, op=dist.ReduceOp.AVG, group=group)
        dist.all_reduce(second, op=dist.ReduceOp.AVG, group=group)  #! TRN503
        dist.all_reduce(third, op=dist.ReduceOp.AVG, group=group)


def each_metric(model, optimizer, loader, running_metrics):
    for batch in loader:
        loss = model(batch, running_metrics)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        for key in running_metrics:
            torch.distributed.all_reduce(running_metrics[key], op=torch.distributed.ReduceOp.AVG)  #! TRN503
