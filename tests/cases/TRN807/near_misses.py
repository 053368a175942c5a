"""The right names, options of one's own, and methods that are called."""

import torch


class Option:
    def __init__(self, require_grad):
        self.require_grad = require_grad

    requires_grad_ = None


def freeze(model, config):
    config.requires_grads = True
    for parameter in model.parameters():
        parameter.requires_grad = False
        parameter.requires_grad_(config.requires_grads)
    model.requires_grad_(False)


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.requires_grads = True
        self.requires_grad_ = None


def options(args):
    settings = {"require_grad": args.require_grad}
    settings["require_grad"] = False
    return settings
