"""Collectives that pass gradients, in their old place."""

import torch
import torch.distributed.nn as dist_nn
from torch.distributed.nn.functional import all_gather


def features_of_all(image, text):
    images = torch.cat(dist_nn.all_gather(image), dim=0)  #! TRN815
    return images, torch.stack(all_gather(text))  #! TRN815


def mean(value, world):
    return dist_nn.all_reduce(value) / world  #! TRN815
