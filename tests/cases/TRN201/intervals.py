"""The last step, a few chosen steps and every so many seconds are rare; the last micro-batch of each step is not."""

import time

import torch


def train(model, criterion, optimizer, train_loader, device, args):
    shown = time.time()
    for step, (inputs, targets) in enumerate(train_loader):
        inputs = inputs.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if (step + 1) % args.log_every == 0 or step == 0 or step + 1 == len(train_loader):
            print(loss.item())
        if len(train_loader) - 1 == step:
            print(loss.item())
        if step in (0, 10, 100):
            print(loss.item())
        if time.time() - shown > 30:
            print(loss.item())
            shown = time.time()
        now = time.monotonic()
        if now - shown >= 10:
            torch.cuda.synchronize()
        if step % args.accumulation == args.accumulation - 1:
            args.history.append(loss.item())  #! TRN201
