"""Optimizers in the order of PyTorch before 1.5, on one line and on several."""

import torch
from torch.optim import Optimizer


class Adam(Optimizer):
    def step(self):
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            for p in group["params"]:  #! TRN607
                grad = p.grad.data
                mean, square = self.state[p]["mean"], self.state[p]["square"]
                mean.mul_(beta1).add_(1 - beta1, grad)  #! TRN818
                square.mul_(beta2).addcmul_(1 - beta2, grad, grad)  #! TRN818
                if group["weight_decay"]:
                    p.data.add_(  #! TRN818
                        -group["weight_decay"] * group["lr"],
                        p.data,
                    )
                p.data.addcdiv_(-group["lr"], mean, square.sqrt().add_(group["eps"]))  #! TRN818


def noisy(weight, deviation):
    # Both draw a number: in another order, each gets the other's.
    weight.add_(torch.rand(1).item(), torch.randn_like(weight))  #! TRN818
    return torch.add(weight, 1 - deviation, weight.grad)  #! TRN818


def penalty(features: torch.Tensor, target: torch.Tensor):
    return features.sub(0.5, target)  #! TRN818
