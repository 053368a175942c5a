"""Copies to the host that are read before they have arrived."""

import torch


def scores(model, batches):
    model = model.cuda()
    kept = []
    for batch in batches:
        with torch.no_grad():
            output = torch.relu(model(batch.cuda(non_blocking=True)))
        kept.append(output.to("cpu", non_blocking=True))  #! TRN206
    return torch.cat(kept)


def mean_on_host(values):
    return torch.ones(8, device="cuda").mul(values).to("cpu", non_blocking=True).mean()  #! TRN206


def into_buffer(size):
    buffer = torch.empty(size, pin_memory=True)
    source = torch.ones(size, device="cuda")
    buffer.copy_(source, non_blocking=True)  #! TRN206
    return buffer.tolist()


def plus_one():
    total = torch.ones(8, device="cuda").sum()
    here = total.to(torch.device("cpu"), non_blocking=True)  #! TRN206
    return here + 1
