"""Profilers without phases, and phases without steps."""

import torch
from torch.profiler import ProfilerActivity, profile, schedule, tensorboard_trace_handler


def train(model, criterion, optimizer, loader, epochs):
    with torch.profiler.profile(activities=[ProfilerActivity.CPU], with_stack=True) as prof:  #! TRN904
        for _ in range(epochs):
            for inputs, targets in loader:
                loss = criterion(model(inputs.cuda(non_blocking=True)), targets.cuda(non_blocking=True))
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    print(prof.key_averages().table())


def waiting(model, optimizer, loader):
    phases = schedule(wait=1, warmup=1, active=3)
    with profile(schedule=phases, on_trace_ready=tensorboard_trace_handler("log")) as prof:  #! TRN904
        for inputs in loader:
            loss = model(inputs.cuda(non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    prof.export_chrome_trace("trace.json")
