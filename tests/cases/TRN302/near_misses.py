"""Collections that come seldom, that are short, or that are something else."""

import gc

import torch


def show_memory_usage(text):
    gc.collect()
    print(text)




def memory_of_steps(model, optimizer, loader, device):
    model = model.to(device)
    used = []
    for batch in loader:
        loss = model(batch.to(device, non_blocking=True)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        gc.collect()
        used.append(torch.cuda.memory_allocated())
    return used


def benchmark_steps(model, optimizer, loader, device):
    model = model.to(device)
    for batch in loader:
        loss = model(batch.to(device, non_blocking=True)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        gc.collect()


