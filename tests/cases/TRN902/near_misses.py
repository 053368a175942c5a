"""Switches, short loops, single steps, and a profiler with a schedule of its own."""

import torch
from torch.autograd import profiler
from torch.profiler import record_function


def step(model, optimizer, inputs):
    with record_function("forward"):
        loss = model(inputs.cuda(non_blocking=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def switched(model, optimizer, loader, args):
    with profiler.profile(enabled=args.profile):
        for inputs in loader:
            step(model, optimizer, inputs)
    if args.nvtx:
        with profiler.emit_nvtx():
            for inputs in loader:
                step(model, optimizer, inputs)
    with profiler.emit_nvtx(args.nvtx):
        for inputs in loader:
            step(model, optimizer, inputs)


def short(model, optimizer, loader):
    with profiler.emit_nvtx():
        for index, inputs in enumerate(loader):
            step(model, optimizer, inputs)
            if index == 20:
                break
    with profiler.profile() as trace:
        for _ in range(10):
            step(model, optimizer, torch.ones(4, device="cuda"))
    return trace


def inference(model, images):
    with profiler.profile() as trace:
        for image in images:
            model(image)
    return trace
