"""A seeding helper beside helpers of training, which no program of the project calls."""

import random

import torch


def set_random_seed(seed):
    random.seed(seed)
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True)
