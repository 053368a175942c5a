"""An optimizer in a file that names no device: programs choose where its parameters are."""

import torch
from torch.optim import Optimizer


class Trusting(Optimizer):
    def __init__(self, params, lr=1e-3, floor=0.1):
        super().__init__(params, {"lr": lr})
        self.floor = floor

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:  #! TRN607
                if p.grad is None:
                    continue
                state = self.state[p]
                if len(state) == 0:
                    state["step"] = 0
                    state["velocity"] = torch.zeros_like(p)
                state["step"] += 1
                velocity = state["velocity"]
                velocity.mul_(0.9).add_(p.grad, alpha=0.1)
                length = torch.norm(p.data)
                speed = velocity.norm()
                if length == 0 or speed == 0:  #! TRN203
                    trust = 1.0
                else:
                    trust = length / speed
                if velocity.max() < self.floor:  #! TRN203
                    continue
                rate = group["lr"] / state["step"]
                if rate < 1e-9:
                    continue
                p.data.add_(velocity, alpha=-rate * trust)  #! TRN203
                p.data.add_(velocity * trust, alpha=-rate)
