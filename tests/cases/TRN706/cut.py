"""Compiled code that goes back to Python."""

import torch
from torch import nn


@torch.compile(mode="max-autotune")
def scaled(loss, limit):
    value = loss.detach().item()  #! TRN706
    return loss if value < limit else loss * (limit / value)


class Network(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, x):
        hidden = self.linear(x)
        print("hidden", hidden.shape)  #! TRN706
        return self.route(hidden)

    def route(self, hidden):
        score = torch.sigmoid(hidden).mean()
        return hidden * score.tolist()  #! TRN706


def build(width):
    model = Network(width).cuda()
    return torch.compile(model)


def loss_of(scores, targets):
    loss = torch.nn.functional.cross_entropy(scores.cuda(), targets.cuda())
    if float(loss) > 10:  #! TRN706
        return loss.clamp(max=10)
    return loss


fast_loss = torch.compile(loss_of)
