"""Log-probabilities for one loss."""

import torch
import torch.nn.functional as F


def inline(model, inputs, targets):
    return F.nll_loss(F.log_softmax(model(inputs), dim=1), targets, reduction="sum")  #! TRN708


def named(model, inputs, targets):
    log_probabilities = torch.log_softmax(model(inputs), dim=-1)
    return torch.nn.functional.nll_loss(log_probabilities, targets)  #! TRN708


def method(logits, targets, weight):
    return F.nll_loss(logits.log_softmax(1), targets, weight=weight, ignore_index=-100)  #! TRN708
