"""A program for CUDA alone, in one process."""

import torch


def resume(model, optimizer, path):
    state = torch.load(path)
    model.cuda().load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
