"""A network by its name, trained by a class."""

import torch
import torchvision
from torch import nn


class Trainer:
    def __init__(self, loader):
        self.loader = loader
        self.network = torchvision.models.resnet50().cuda()
        self.optimizer = torch.optim.SGD(self.network.parameters(), lr=0.1)
        self.criterion = nn.CrossEntropyLoss()

    def train_epoch(self):
        for pictures, labels in self.loader:
            pictures = pictures.cuda(non_blocking=True)
            labels = labels.cuda(non_blocking=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = self.criterion(self.network(pictures), labels)  #! TRN705
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()


def main():
    from data import loader

    trainer = Trainer(loader)
    for _ in range(90):
        trainer.train_epoch()


main()
