"""A classifier that counts its hits as it goes."""

import torch
import torch.nn as nn


def train_one_epoch(net, train_loader, optimizer, epoch, device):
    criterion = nn.CrossEntropyLoss()
    net.train()
    running, hits, seen = 0.0, 0, 0
    for images, labels in train_loader:
        images = images.to(device, non_blocking=True)
        labels = labels.to(device, non_blocking=True)
        scores = net(images)
        loss = criterion(scores, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        running += loss.item()  #! TRN201
        _, guess = scores.max(1)
        seen += labels.size(0)
        hits += guess.eq(labels).sum().item()  #! TRN201
    print(f"epoch {epoch}: loss {running / len(train_loader):.3f}, accuracy {hits / seen:.3f}")
