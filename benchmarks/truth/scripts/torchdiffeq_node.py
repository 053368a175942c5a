# requires: torchdiffeq==0.2.5
# packages: torchdiffeq
# kind: molecules and physics
import torch
from torchdiffeq import odeint, odeint_adjoint


class Field(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.network = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.Tanh(), torch.nn.Linear(16, 2))

    def forward(self, time, state):
        return self.network(state**3)


model = Field().cuda()
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
times = torch.linspace(0.0, 1.0, 5).to("cuda")
for step in range(14):
    state = torch.randn(8, 2, device="cuda")
    solve = odeint if step % 2 else odeint_adjoint
    loss = (solve(model, state, times, method="dopri5") - state).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
