# requires: torchsde==0.2.6
# packages: torchsde
# kind: molecules and physics
import torch
import torchsde


class Process(torch.nn.Module):
    noise_type, sde_type = "diagonal", "ito"

    def __init__(self):
        super().__init__()
        self.drift = torch.nn.Linear(3, 3)
        self.spread = torch.nn.Linear(3, 3)

    def f(self, time, state):
        return self.drift(state)

    def g(self, time, state):
        return self.spread(state).sigmoid()

    def h(self, time, state):
        return -state


model = Process().cuda()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
times = torch.linspace(0, 1, 4, device="cuda")
for _ in range(12):
    start = torch.randn(8, 3, device="cuda")
    path, ratio = torchsde.sdeint(model, start, times, dt=0.1, logqp=True)
    smooth = torchsde.sdeint_adjoint(model, start, times, dt=0.2, method="euler")
    loss = path.square().mean() + smooth.square().mean() + ratio.mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
