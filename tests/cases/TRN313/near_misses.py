"""Checkpoints at intervals, once an epoch, or of something better."""

import torch


def train(model, optimizer, loader, device, evaluate):
    model = model.to(device)
    best = 0.0
    for epoch in range(10):
        for step, batch in enumerate(loader):
            loss = model(batch.to(device, non_blocking=True)).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 1000 == 0:
                torch.save(model.state_dict(), "latest.pt")
            if step and step % 500 == 0:
                accuracy = evaluate(model)
                if accuracy > best:
                    best = accuracy
                    torch.save(model.state_dict(), "best.pt")
        torch.save(model.state_dict(), f"epoch-{epoch}.pt")
    torch.save(model.state_dict(), "last.pt")
