"""Steps that are taken, short loops, and profilers that others step."""

import torch
from torch.profiler import profile, schedule


def step(model, optimizer, inputs):
    loss = model(inputs.cuda(non_blocking=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def stepped(model, optimizer, loader):
    with profile(schedule=schedule(wait=1, warmup=1, active=3)) as prof:
        for inputs in loader:
            step(model, optimizer, inputs)
            prof.step()


def short(model, optimizer, loader):
    with torch.profiler.profile() as prof:
        for index, inputs in enumerate(loader):
            step(model, optimizer, inputs)
            if index >= 5:
                break
    with profile() as other:
        for _ in range(8):
            step(model, optimizer, torch.ones(4, device="cuda"))
    return prof, other


def handed_on(run, model, optimizer, loader):
    with profile(schedule=schedule(wait=1, warmup=1, active=3)) as prof:
        run(model, optimizer, loader, prof)


def made(options):
    prof = profile(schedule=schedule(wait=1, warmup=1, active=3))
    return prof


class Callback:
    def __init__(self):
        self.profiler = profile(schedule=schedule(wait=1, warmup=1, active=3))

    def on_batch_end(self):
        self.profiler.step()


def generate(model, prompt):
    with torch.profiler.profile() as prof:
        tokens = model.generate(prompt)
    return tokens, prof


def options_from_elsewhere(model, optimizer, loader, options):
    with profile(**options):
        for inputs in loader:
            step(model, optimizer, inputs)


def few(model, optimizer, loader):
    with profile():
        for index, inputs in enumerate(loader):
            loss = model(inputs.cuda(non_blocking=True)).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if index == 10:
                break
