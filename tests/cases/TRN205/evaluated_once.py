"""Copies in evaluations: a pass at the end of each epoch is reported, the only pass of a script is not."""

import argparse

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from shop import build_model, read_images


def score(model, loader, device):
    hits = 0
    model.eval()
    with torch.no_grad():
        for pictures, labels in loader:
            pictures = pictures.to(device)
            hits = hits + (model(pictures).argmax(1) == labels.to(device)).sum()
    return hits


def validate(model, loader, device):
    model.eval()
    total = torch.zeros((), device=device)
    with torch.no_grad():
        for pictures, labels in loader:
            pictures = pictures.to(device)  #! TRN205
            total += F.cross_entropy(model(pictures), labels.to(device))
    return total


def fit(model, optimizer, train_loader, val_loader, epochs, device):
    for _ in range(epochs):
        model.train()
        for pictures, labels in train_loader:
            pictures = pictures.to(device, non_blocking=True)
            labels = labels.to(device, non_blocking=True)
            loss = F.cross_entropy(model(pictures), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        validate(model, val_loader, device)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weights", required=True)
    args = parser.parse_args()
    device = torch.device("cuda")
    model = build_model().to(device)
    model.load_state_dict(torch.load(args.weights, map_location="cpu", weights_only=True))
    test_loader = DataLoader(read_images("test"), batch_size=64, num_workers=4, pin_memory=True)
    train_loader = DataLoader(
        read_images("train"), batch_size=64, num_workers=4, pin_memory=True, persistent_workers=True
    )
    val_loader = DataLoader(read_images("val"), batch_size=64, num_workers=4, pin_memory=True, persistent_workers=True)
    fit(model, torch.optim.SGD(model.parameters(), 0.1, fused=True), train_loader, val_loader, 9, device)
    model.eval()
    with torch.no_grad():
        for batch in test_loader:
            pictures = batch["pictures"].to(device)
            print(model(pictures).shape)
    print(score(model, test_loader, device))


if __name__ == "__main__":
    main()
    judge = build_model().cuda()
    judge.eval()
    with torch.no_grad():
        for index, (sound, _) in enumerate(DataLoader(read_images("other"), num_workers=2, pin_memory=True)):
            sound = sound.cuda()
            print(index, judge(sound).shape)
