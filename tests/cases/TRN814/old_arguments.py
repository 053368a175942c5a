"""Arguments of several ages."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import profiler
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.optim import lr_scheduler




def schedules(optimizer):
    yield lr_scheduler.ReduceLROnPlateau(optimizer, "min", patience=3, verbose=True)  #! TRN814
    yield torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 0.9**step, verbose=False)  #! TRN814


def losses(logits, targets):
    summed = F.cross_entropy(logits, targets, size_average=False)  #! TRN814
    each = nn.CrossEntropyLoss(reduce=False)(logits, targets)  #! TRN814
    mean = nn.MSELoss(reduction="elementwise_mean")  #! TRN814
    return summed, each, mean, nn.BCELoss(size_average=True, reduce=True)  #! TRN814


def wrapped(model):
    with profiler.profile(use_cuda=True) as trace:  #! TRN814
        model(torch.zeros(1))
    return DDP(model, check_reduction=True), nn.Hardtanh(min_value=-2, max_value=2), trace  #! TRN814
