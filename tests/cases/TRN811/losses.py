"""Terms of losses, written out."""

import torch
import torch.nn.functional as F
from torch import exp, log


def softplus_by_hand(x):
    return torch.log(torch.exp(x) + 1)  #! TRN811


def poisson(rate, counts):
    return (torch.exp(rate) - 1.0 - counts * rate).mean()  #! TRN811


def log_partition(scores):
    whole = torch.log(torch.exp(scores).sum())  #! TRN811
    rows = torch.log(torch.sum(torch.exp(scores), 1, keepdim=True))  #! TRN811
    return whole + log(exp(scores * 2).sum(dim=1)).mean() + rows  #! TRN811


def compressed(spectrum):
    return F.relu(torch.log(1 + 10 * spectrum))  #! TRN811
