"""Other constants, other libraries, masked sums, and the functions themselves."""

import math

import numpy as np
import torch


def terms(x, mask, scores, eps):
    first = torch.log(x + eps) + torch.log(2 + x) + torch.log(1 - x) + torch.log(x + 1e-6)
    second = torch.log((torch.exp(scores) * mask).sum(1)) + torch.log(torch.exp(scores).mean(1))
    third = torch.log1p(x) + torch.expm1(x) + torch.logsumexp(scores, 1)
    fourth = torch.exp(x) - 2 + (1 - torch.exp(x)) + torch.exp(x - 1)
    return first, second, third, fourth


def host(x, n):
    return np.log(1 + x), math.log(n + 1), np.exp(x) - 1, math.exp(n) - 1


def supervised(logits, mask):
    exponentials = torch.exp(logits) * mask
    return logits - torch.log(exponentials.sum(1, keepdim=True))


def by_hand(scores):
    largest = scores.max()
    return torch.log(torch.sum(torch.exp(scores - largest), 1, keepdim=True)) + largest


def scale_of_positions(position, length, window):
    steps = (position // window).float()
    return torch.log(1 + torch.ceil(steps)), torch.log(position // window + 1)


def durations_of_frames(durations, predicted):
    target = torch.log(durations.float() + 1)
    return target, predicted
