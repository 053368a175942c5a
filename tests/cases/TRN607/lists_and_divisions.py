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


class Squares(torch.optim.Optimizer):
    """Two writes, of which one is given what two more operations compute."""

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:  #! TRN607
                total = self.state[p]["total"]
                total.addcmul_(p.grad, p.grad)
                size = total.sqrt().add_(1e-8)
                p.addcdiv_(p.grad, size, value=-group["lr"])


class Chained(torch.optim.Optimizer):
    """Two operations, of which one is written inside the other."""

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                p.add_(self.state[p]["mean"].lerp_(p.grad, 0.1), alpha=-group["lr"])
