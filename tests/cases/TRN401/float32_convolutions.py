"""A network of convolutions, kept by a class that trains it."""

import torch
import torch.nn.functional as F
from torchvision.models import resnet50

device = "cuda" if torch.cuda.is_available() else "cpu"


class Classifier:
    def __init__(self):
        self.net = resnet50(num_classes=100).to(device)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)

    def fit(self, train_loader, epochs):
        for epoch in range(epochs):
            for images, labels in train_loader:
                images = images.to(device, non_blocking=True)
                labels = labels.to(device, non_blocking=True)
                self.optimizer.zero_grad()
                loss = F.cross_entropy(self.net(images), labels)  #! TRN401
                loss.backward()
                self.optimizer.step()


if __name__ == "__main__":
    from pictures import train_loader

    Classifier().fit(train_loader, 90)
