"""The probabilities come from a function, a method or an autograd function of the same file."""

import torch
from torch import nn
from torch.autograd import Function


class Weights(Function):
    @staticmethod
    def forward(ctx, queries, keys):
        scaled = keys / keys.shape[1] ** 0.5
        probabilities = torch.einsum("ncq,nck->nqk", queries.float(), scaled.float()).softmax(dim=2)  #! TRN701
        ctx.save_for_backward(queries, keys, probabilities)
        return probabilities

    @staticmethod
    def backward(ctx, grad):
        return grad, grad


def weights(q, k):
    return torch.softmax(q @ k.transpose(-2, -1) * 0.125, dim=-1)  #! TRN701


def shown(q, k):
    return torch.softmax(q @ k.transpose(-2, -1) * 0.125, dim=-1)  # the weights themselves are wanted, too


class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.project = nn.Linear(width, 3 * width)

    def match(self, q, k):
        scores = torch.matmul(q, k.transpose(-1, -2)) / 8
        return torch.softmax(scores, dim=-1).type_as(q)  #! TRN701

    def forward(self, x):
        q, k, v = self.project(x).chunk(3, dim=-1)
        first = Weights.apply(q, k)
        mixed = torch.einsum("nqk,nck->ncq", first, v)
        second = weights(q, k)
        third = self.match(q, k)
        return mixed + torch.matmul(second, v) + third @ v

    def explain(self, x):
        q, k, v = self.project(x).chunk(3, dim=-1)
        table = shown(q, k)
        return table @ v, table.mean()
