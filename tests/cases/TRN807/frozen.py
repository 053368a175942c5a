"""Freezing by names that are almost right."""

import torch


def freeze(model, until):
    for index, (name, parameter) in enumerate(model.named_parameters()):
        if index < until:
            parameter.require_grad = False  #! TRN807
    model.head.weight.requires_grad_ = True  #! TRN807
    for layer in model.backbone:
        layer.weight.requires_grads = layer.bias.requires_grads = False  #! TRN807


class Discriminator(torch.nn.Module):
    def lock(self, flag):
        for p in self.parameters():
            p.requires_grad_ = not flag  #! TRN807
