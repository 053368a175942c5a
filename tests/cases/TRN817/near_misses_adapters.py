"""Apex that a library offers, beside PyTorch's own mixed precision, to those who ask for it."""

import torch

try:
    from apex import amp

    has_apex = True
except ImportError:
    amp = None
    has_apex = False


class NativeScaler:
    def __init__(self):
        self.scaler = torch.amp.GradScaler("cuda")

    def __call__(self, loss, optimizer):
        self.scaler.scale(loss).backward()
        self.scaler.step(optimizer)
        self.scaler.update()


class ApexScaler:
    def __call__(self, loss, optimizer):
        with amp.scale_loss(loss, optimizer) as scaled:
            scaled.backward()
        optimizer.step()


def wrap_with_apex(model, optimizer, level):
    return amp.initialize(model, optimizer, opt_level=level)


def scaler(wanted):
    return ApexScaler() if has_apex and wanted == "apex" else NativeScaler()
