"""A helper that nearly all of its callers give tables that stay the same; one gives it what it has computed."""

import numpy as np
import torch


class Process:
    def __init__(self, betas):
        self.betas = np.array(betas, dtype=np.float64)
        self.kept = np.cumprod(1.0 - self.betas)
        self.root = np.sqrt(self.kept)
        self.rest = np.sqrt(1.0 - self.kept)

    def noisy(self, x, times, noise):
        return pick(self.root, times) * x + pick(self.rest, times) * noise

    def clean(self, x, times, noise):
        return pick(1.0 / self.root, times) * x - pick(self.rest / self.root, times) * noise

    def spread(self, times, kind):
        table = {"large": self.betas, "small": self.kept}[kind]
        return pick(table, times) * pick(self.kept, times)

    def training_losses(self, model, x):
        times = torch.randint(0, 64, (len(x),), device=x.device)
        noise = torch.randn_like(x)
        return (model(self.noisy(x, times, noise), times) - noise).square().mean()


def pick(table, times):
    return torch.from_numpy(table).to(times.device)[times].float()  #! TRN207


def train(model, optimizer, loader, process: Process):
    model.cuda()
    for x in loader:
        x = x.cuda(non_blocking=True)
        optimizer.zero_grad()
        process.training_losses(model, x).backward()
        optimizer.step()
