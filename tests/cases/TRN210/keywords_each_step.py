"""A loss copies images to the host where a keyword gives it some, as each step does."""

from torch import nn


class BoxLoss(nn.Module):
    def forward(self, outputs, boxes, **extras):
        loss = (outputs - boxes).abs().mean()
        images = extras.get("images")
        if images is not None:
            loss = loss * weigh(images.cpu())  #! TRN210
        return loss


def train(model, optimizer, loader, device):
    criterion = BoxLoss()
    for images, boxes in loader:
        images = images.to(device, non_blocking=True)
        boxes = boxes.to(device, non_blocking=True)
        loss = criterion(model(images), boxes, images=images)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
