"""Norms and checks of all gradients, one read for each."""

import math

import torch


class Trainer:
    def __init__(self, model, optimizer, device):
        self.model = model.to(device)
        self.optimizer = optimizer
        self.main_params = list(model.parameters())

    def gradient_norm(self):
        total = 0.0
        for parameter in self.main_params:
            total += (parameter.grad**2).sum().item()  #! TRN201
        return math.sqrt(total)

    def overflowed(self):
        return any(not torch.isfinite(p.grad).all() for p in self.model.parameters())

    def fit(self, loader, device):
        for images, labels in loader:
            images = images.to(device, non_blocking=True)
            labels = labels.to(device, non_blocking=True)
            loss = torch.nn.functional.cross_entropy(self.model(images), labels)
            self.optimizer.zero_grad()
            loss.backward()
            norms = {}
            for name, parameter in self.model.named_parameters():
                if parameter.grad is not None:
                    norm = parameter.grad.detach().norm(2)
                    norms[name] = norm.item()  #! TRN201
            for group in self.optimizer.param_groups:
                for parameter in group["params"]:
                    if torch.isnan(parameter.grad).any():  #! TRN203
                        parameter.grad.zero_()
            if any(not torch.isfinite(p.grad).all() for p in self.model.parameters()):  #! TRN203
                continue
            self.gradient_norm()
            self.optimizer.step()
