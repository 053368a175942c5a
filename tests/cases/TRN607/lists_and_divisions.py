"""Optimizers that collect their parameters first, and that compute in what an operation is given."""

import torch


class Collecting(torch.optim.Optimizer):
    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            weights, grads, means, names = [], [], [], []
            for p in group["params"]:
                if p.grad is None:
                    continue
                weights.append(p)
                grads.append(p.grad)
                means.append(self.state[p]["mean"])
                names.append(str(p.shape))
            for weight, grad, mean in zip(weights, grads, means):  #! TRN607
                mean.mul_(0.9).add_(grad, alpha=0.1)
                weight.mul_(1 - group["decay"])
                weight.add_(mean, alpha=-group["lr"])
            for name in names:
                self.seen.add_(name)
