"""A loss copies images to the host where a keyword gives it some, which only a run for debugging does."""

import torch
from torch import nn


class BoxLoss(nn.Module):
    def forward(self, outputs, boxes, **extras):
        loss = (outputs - boxes).abs().mean()
        images = extras.get("images")
        if images is not None:
            draw(images.permute(0, 2, 3, 1).cpu(), outputs)
        if extras.get("names", None):
            show(outputs.cpu(), extras["names"])
        return loss


class WithLoss(nn.Module):
    def __init__(self, model, debug=False):
        super().__init__()
        self.model = model
        self.loss = BoxLoss()
        self.debug = debug

    def forward(self, images, boxes):
        outputs = self.model(images)
        if self.debug:
            return self.loss(outputs, boxes, images=images, names=["a"])
        return self.loss(outputs, boxes)


def train(model, optimizer, loader, device):
    with_loss = WithLoss(model).to(device)
    for images, boxes in loader:
        images = images.to(device, non_blocking=True)
        boxes = boxes.to(device, non_blocking=True)
        loss = with_loss(images, boxes)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
