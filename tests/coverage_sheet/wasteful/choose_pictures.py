"""Which pictures are sharp enough to train on:  python choose_pictures.py weights.pt pictures"""

import sys

import torch
from torch import nn
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder

from caption.data import picture_transform


class Sharpness(nn.Module):
    """A small network that was handed over as weights."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 64, 3, stride=2, bias=False), nn.BatchNorm2d(64), nn.ReLU())
        self.head = nn.Linear(64, 1)

    def forward(self, images):
        return self.head(self.body(images).mean((2, 3)))


def load(path):
    network = Sharpness()
    network.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    return network.eval().cuda()


@torch.inference_mode()
def main(path, pictures):
    network = load(path)
    loader = DataLoader(
        ImageFolder(pictures, transform=picture_transform(224)), 256, num_workers=8, pin_memory=True
    )
    scores = [network(images.cuda(non_blocking=True)).cpu() for images, _ in loader]
    print((torch.cat(scores) > 0).nonzero()[:, 0].tolist())


if __name__ == "__main__":
    main(*sys.argv[1:])
