"""`eval()` alone does not switch autograd off."""

import torch
import torch.nn.functional as F


def main(model, optimizer, train_loader, val_loader, test_loader, device, epochs):
    for epoch in range(epochs):
        model.train()
        for images, labels in train_loader:
            images = images.to(device, non_blocking=True)
            labels = labels.to(device, non_blocking=True)
            loss = F.cross_entropy(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        model.eval()
        hits, worst = 0, 0.0
        for images, labels in val_loader:
            images = images.to(device, non_blocking=True)
            labels = labels.to(device, non_blocking=True)
            outputs = model(images)  #! TRN303
            loss = F.cross_entropy(outputs, labels)
            hits += (outputs.argmax(1) == labels).sum()
            worst = max(worst, loss.item())
        print(epoch, hits.item() / len(val_loader.dataset), worst)
    print(test(model, test_loader, device))


def test(model, test_loader, device):
    model.eval()
    total = 0.0
    with torch.autocast("cuda"):
        for images, labels in test_loader:
            images = images.to(device, non_blocking=True)
            labels = labels.to(device, non_blocking=True)
            total += F.cross_entropy(model(images), labels).item()  #! TRN303
    return total / len(test_loader)


def scores_of(model, val_loader):
    """PyTorch refuses `.numpy()` where a tensor has a graph, so this raises until autograd is off."""
    model.eval()
    scores = []
    for inputs, _ in val_loader:
        out = model(inputs.cuda(non_blocking=True))  #! TRN303
        scores.append(out.cpu().numpy())
    return scores
