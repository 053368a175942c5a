"""Collections that come seldom, that are short, or that are something else."""

import gc

import torch


def show_memory_usage(text):
    gc.collect()
    print(text)


def train(model, optimizer, loader, metrics, debug=False):
    model = model.cuda()
    gc.disable()
    for _ in range(10):
        for step, batch in enumerate(loader):
            loss = model(batch.cuda(non_blocking=True)).mean()
            optimizer.zero_grad()
            try:
                loss.backward()
            except RuntimeError:
                gc.collect()
                continue
            optimizer.step()
            metrics.collect()
            gc.collect(0)
            if step % 5000 == 0:
                gc.collect()
            if debug:
                show_memory_usage("after the step")
        gc.collect()


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


def train_captured(model, optimizer, loader, device):
    model = model.to(device)
    static = next(iter(loader)).to(device)
    for batch in loader:
        static.copy_(batch, non_blocking=True)
        gc.collect()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            loss = model(static).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
