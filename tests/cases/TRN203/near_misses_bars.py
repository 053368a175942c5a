"""Bars that show what the host knows, or are told seldom."""

import torch
from tqdm import tqdm


def train(model, criterion, optimizer, scheduler, train_loader, args, device):
    bar = tqdm(train_loader)
    shown = 0.0
    for step, (inputs, targets) in enumerate(bar):
        inputs = inputs.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % args.log_every == 0:
            shown = loss.item()
            bar.set_postfix(loss=shown)
        bar.set_description(f"step {step}, {inputs.shape[0]} samples, loss {shown:.3f}")
        bar.set_postfix(lr=scheduler.get_last_lr()[0], seen=(step + 1) * inputs.size(0))
        bar.update(1)
        args.file.write("%d\n" % step)
    bar.set_postfix(loss=loss.item())


@torch.no_grad()
def evaluate(model, val_loader, device):
    model.eval()
    bar = tqdm(val_loader)
    for inputs, targets in bar:
        right = (model(inputs.to(device, non_blocking=True)).argmax(1).cpu() == targets).float().mean()
        bar.set_postfix(accuracy=right.item())
