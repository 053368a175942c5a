"""Loaders whose batches cross to the device from pageable memory."""

import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=8)
    return parser.parse_args()


def build(dataset, validation, args, batch_size):
    options = dict(batch_size=batch_size, num_workers=args.workers)
    train_loader = DataLoader(dataset, shuffle=True, drop_last=True, **options)  #! TRN102 TRN103
    val_loader = DataLoader(validation, pin_memory=False, **options)
    return train_loader, val_loader


class Trainer:
    def __init__(self, model, loader, device):
        self.model, self.loader, self.device = model, loader, device
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.AdamW(model.parameters())

    def fit(self, epochs):
        for _ in range(epochs):
            for images, masks in self.loader:
                images = images.to(self.device, non_blocking=True)
                masks = masks.to(self.device, non_blocking=True)
                loss = self.criterion(self.model(images), masks)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()


def main(dataset, validation, features, labels):
    args = parse()
    train_loader, _ = build(dataset, validation, args, 8)
    Trainer(nn.Conv2d(3, 2, 1).to("cuda"), train_loader, torch.device("cuda")).fit(10)
    head = DataLoader(TensorDataset(features, labels), batch_size=512, shuffle=True)  #! TRN102
    Trainer(nn.Linear(64, 2).to("cuda"), head, torch.device("cuda")).fit(1)


def create(dataset, phase, device_count):
    if phase == "train":
        return DataLoader(dataset, batch_size=16, num_workers=4 * device_count, pin_memory=False)
    return DataLoader(dataset, batch_size=1, num_workers=1, pin_memory=True)
