# requires: torchani==2.9.0
# packages: torchani
# kind: molecules and physics
import torch
from torchani.arch import simple_ani

model = simple_ani(("H", "C", "O"), lot="wb97x-631gd", ensemble_size=1, strategy="pyaev").to("cuda")
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for _ in range(12):
    species = torch.tensor([[6, 1, 1, 1, 1], [8, 1, 1, -1, -1]], device="cuda")
    positions = torch.randn(2, 5, 3, device="cuda", requires_grad=True)
    energies, forces = torch.randn(2, device="cuda"), torch.randn(2, 5, 3, device="cuda")
    predicted = model((species, positions)).energies
    pull = -torch.autograd.grad(predicted.sum(), positions, create_graph=True)[0]
    loss = (predicted - energies).square().mean() + 0.1 * (pull - forces).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
