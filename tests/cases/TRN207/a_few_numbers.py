"""A loss that scales boxes by the size of the image: each call uploads four numbers and two masks that it fills."""

import torch
from torch import nn


class BoxLoss(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.count = count

    def one_hot(self, index, classes):
        size = index.size() + (classes,)
        mask = torch.Tensor(*size).fill_(0).to(index.device)  #! TRN207
        return mask.scatter_(1, index.view(*index.size(), 1), 1.0)

    def forward(self, boxes, classes, images):
        height, width = images.shape[2:]
        scale = torch.tensor([width, height, width, height]).type_as(boxes)  #! TRN207
        overtones = torch.FloatTensor([[range(1, self.count + 2)]]).to(boxes.device)  #! TRN207
        return (boxes / scale).sum() + self.one_hot(classes, 10).sum() + overtones.sum()


def train(model, optimizer, loader):
    model.cuda()
    loss_function = BoxLoss(3)
    for images, classes in loader:
        images = images.cuda(non_blocking=True)
        classes = classes.cuda(non_blocking=True)
        optimizer.zero_grad()
        loss = loss_function(model(images), classes, images)
        loss.backward()
        optimizer.step()
