"""The two towers, and the captioner on top of them."""

import torch
from torch import nn
from torch.utils import checkpoint
from torchvision import models

from caption.layers import Block, CrossBlock, Stack
from caption.stem import Stem

VOCABULARY = 30522
SEPARATOR = 102


class ImageTower(nn.Module):
    def __init__(self, width=768, heads=12, depth=12):
        super().__init__()
        self.stem = Stem(width)
        self.place = nn.Embedding(1024, width)
        self.stack = Stack(width, heads, depth, checkpointed=True)
        self.norm = nn.LayerNorm(width)

    def forward(self, images):
        patches = self.stem(images)
        places = torch.arange(patches.shape[1]).to(patches.device)  #! TRN207
        return self.norm(self.stack(patches + self.place(places)))


class TextTower(nn.Module):
    def __init__(self, width=768, heads=12, depth=6):
        super().__init__()
        self.token = nn.Embedding(VOCABULARY, width)
        self.segment = nn.Parameter(torch.zeros(2, width))
        self.layers = nn.ModuleList(Block(width, heads) for _ in range(depth))

    def forward(self, tokens):
        segment_ids = (tokens == SEPARATOR).cumsum(1).clamp(max=1)
        hidden = self.token(tokens) + self.segment[segment_ids]  #! TRN711
        for layer in self.layers:
            hidden = checkpoint(layer, hidden)
        return hidden


class ImageText(nn.Module):
    """Pictures and captions in one space."""

    def __init__(self, width=768):
        super().__init__()
        self.image = ImageTower(width)
        self.text = TextTower(width)
        self.scale = nn.Parameter(torch.tensor(2.66))

    def forward(self, images, tokens):
        pictures = self.image.forward(images).mean(1)
        captions = self.text(tokens).mean(1)
        return nn.functional.normalize(pictures, dim=-1), nn.functional.normalize(captions, dim=-1), self.scale.exp()


class Captioner(nn.Module):
    """Writes the caption of a picture, word by word."""

    def __init__(self, width=768, heads=12):
        super().__init__()
        self.image = ImageTower(width)
        self.text = TextTower(width)
        self.cross = CrossBlock(width, heads)
        self.head = nn.Linear(width, VOCABULARY)

    def forward(self, images, tokens):
        return self.head(self.cross(self.text(tokens), self.image(images)))


class PictureClassifier(nn.Module):
    """An image tower with a head for a few classes."""

    def __init__(self, classes, width=384):
        super().__init__()
        self.tower = ImageTower(width, heads=6, depth=6)
        self.dropout = nn.Dropout(0.1)
        self.head = nn.Linear(width, classes)

    def forward(self, images):
        return self.head(self.dropout(self.tower(images).mean(1)))


def frozen_backbone():
    """A convolution network whose features serve as a baseline."""
    backbone = models.resnet50(pretrained=True)  #! TRN808
    for parameter in backbone.parameters():
        parameter.require_grad = False  #! TRN807
    return backbone
