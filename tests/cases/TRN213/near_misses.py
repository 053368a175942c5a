"""Scalers that are read seldom, are off, or are not PyTorch's."""

import torch
from torch.amp import GradScaler


class FixedScaler:
    def __init__(self, scale):
        self.scale = scale

    def get_scale(self):
        return self.scale


def is_multiple(step, interval):
    return step % interval == 0


def train(model, criterion, optimizer, train_loader, writer, args, device):
    scaler, unused, fixed = GradScaler("cuda"), GradScaler("cuda", enabled=False), FixedScaler(128.0)
    off = GradScaler("cuda", enabled=False)
    on_host = GradScaler("cpu")
    for step, (inputs, targets) in enumerate(train_loader):
        inputs = inputs.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        with torch.autocast("cuda", dtype=torch.float16):
            loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        (scaler.scale(loss) * fixed.get_scale() * off.get_scale() * on_host.get_scale()).backward()
        scaler.step(optimizer)
        scaler.update()
        model.remember(optimizer.state_dict(), args.encoder.get_scale(), unused)
        if step % args.log_every == 0:
            writer.add_scalar("scale", scaler.get_scale(), step)
        if step % args.save_every == 0:
            torch.save({"scaler": scaler.state_dict()}, args.path)
        if is_multiple(step, args.save_every):
            torch.save({"scaler": scaler.state_dict()}, args.path)
    torch.save({"scaler": scaler.state_dict()}, args.path)
