"""Checkpoints now and then, and small things."""

import io

import torch


def train(model, criterion, optimizer, loader, device, args):
    best = 1e9
    for epoch in range(args.epochs):
        for step, (inputs, targets) in enumerate(loader):
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 1000 == 0:
                torch.save(model.state_dict(), "thousandth.pt")
            if step % args.save_every == 0:
                torch.save(model.state_dict(), "configured.pt")
            score = args.judge(step)
            if score < best:
                best = score
                torch.save(model.state_dict(), "best.pt")
            if step == len(loader) - 1:
                torch.save(model.state_dict(), "end.pt")
            if step % 10 == 0:
                torch.save({"step": step}, "progress.pt")
                buffer = io.BytesIO()
                torch.save(model.state_dict(), buffer)
        if epoch % 5 == 0:
            torch.save(model.state_dict(), f"epoch_{epoch}.pt")
    return best
