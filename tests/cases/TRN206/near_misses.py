"""Copies to the host that are waited for, handed on, or moved back."""

import torch


def waits():
    here = torch.ones(8, device="cuda").to("cpu", non_blocking=True)
    torch.cuda.synchronize()
    return here.numpy()


def waits_for_event(stream):
    here = torch.ones(8, device="cuda").to("cpu", non_blocking=True)
    event = stream.record_event()
    event.synchronize()
    return here.tolist()


def blocks_afterwards():
    values = torch.ones(8, device="cuda")
    here = values.to("cpu", non_blocking=True)
    count = values.sum().item()
    return here.numpy(), count


def offloads(model, state):
    model.to("cpu", non_blocking=True)
    for key, value in state.items():
        state[key] = torch.ones_like(value, device="cuda").to("cpu", non_blocking=True)


def goes_back():
    here = torch.ones(8, device="cuda").to("cpu", non_blocking=True)
    return here.to("cuda", non_blocking=True).sum()


def upwards(values):
    there = values.to("cuda", non_blocking=True)
    return there.sum()


def handed_on():
    return torch.ones(8, device="cuda").to("cpu", non_blocking=True)
