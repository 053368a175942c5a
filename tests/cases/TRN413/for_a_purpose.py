"""An option, a handler, a switch back, another value, and other people's functions of this name."""

import torch
from lightning import Trainer

from monitoring import detect_anomaly


def train(args, model, optimizer, train_loader):
    if args.debug:
        torch.autograd.set_detect_anomaly(True)
    torch.autograd.set_detect_anomaly(args.check_nan)
    torch.autograd.set_detect_anomaly(False)
    for inputs, targets in train_loader:
        loss = torch.nn.functional.mse_loss(model(inputs), targets)
        optimizer.zero_grad()
        try:
            loss.backward()
        except RuntimeError:
            torch.autograd.set_detect_anomaly(True)
            raise
        optimizer.step()


def enable_debugging():
    torch.autograd.set_detect_anomaly(True)


def inspect(sensors, module, args):
    detect_anomaly(sensors)
    Trainer(detect_anomaly=args.debug).fit(module)
    with torch.autograd.detect_anomaly():
        torch.ones(1, requires_grad=True).log()
