"""A loss of its own class, which is no module: targets are filtered by masks for each level."""

import torch
from torch import nn


class AnchorLoss:
    def __init__(self, model, device):
        self.anchors = model.anchors
        self.device = device
        self.bce = nn.BCEWithLogitsLoss()

    def __call__(self, outputs, targets):
        total = torch.zeros(1, device=self.device)
        for level, found in zip(outputs, self.assign(outputs, targets), strict=True):
            total = total + self.bce(level[found[:, 0].long()], found)
        return total

    def assign(self, outputs, targets):
        matches = []
        offsets = torch.tensor([[0, 0], [1, 0]], device=self.device).float()  #! TRN207
        for index in range(len(outputs)):
            ratio = targets[:, 2:4] / self.anchors[index]
            fits = torch.max(ratio, 1 / ratio).max(1)[0] < 4.0
            kept = targets[fits]  #! TRN209
            left, right = (kept[:, :2] % 1 < 0.5).T
            both = torch.stack((torch.ones_like(left), left & ~right))
            kept = kept.repeat((2, 1, 1))[both]  #! TRN209
            shift = (torch.zeros_like(kept[:, :2])[None] + offsets[:, None])[both]  #! TRN209
            matches.append(kept - shift.sum())
        return matches


class PostProcessBoxes(nn.Module):
    """What it makes of outputs is for evaluation alone."""

    def forward(self, outputs, sizes):
        scores = outputs.softmax(-1).max(-1)[0].to("cuda")
        return scores[scores > 0.5]


def train(model, optimizer, loader):
    model = model.cuda()
    criterion = AnchorLoss(model, "cuda")
    for images, targets in loader:
        loss = criterion(model(images.cuda(non_blocking=True)), targets.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
