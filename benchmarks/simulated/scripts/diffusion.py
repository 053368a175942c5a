"""Learning to take noise away, with a schedule of which one half lies on the host, and averaged weights."""

import copy
import sys

import torch
from torch import nn

SIZE = int(sys.argv[1]) if len(sys.argv) > 1 else 1
STEPS, BATCH, WIDTH, TIMES = 44, 4 * SIZE, 8 * SIZE, 100
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.of_time = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.SiLU())
        self.down = nn.Conv2d(1, WIDTH, 3, stride=2, padding=1)
        self.middle = nn.Sequential(nn.GroupNorm(2, WIDTH), nn.SiLU(), nn.Conv2d(WIDTH, WIDTH, 3, padding=1))
        self.up = nn.ConvTranspose2d(WIDTH, 1, 2, stride=2)

    def forward(self, pictures, times):
        rates = torch.exp(torch.arange(WIDTH // 2, device=times.device) * -0.5)
        waves = times[:, None] * rates
        when = self.of_time(torch.cat((waves.sin(), waves.cos()), dim=1))
        return self.up(self.middle(self.down(pictures) + when[:, :, None, None]))


kept = torch.cumprod(1 - torch.linspace(1e-4, 0.02, TIMES), 0)
kept_there = kept.to(device)
pictures = torch.randn(STEPS, BATCH, 1, 8, 8)
model = Model().to(device)
average = copy.deepcopy(model).requires_grad_(False)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
losses = []

for step in range(STEPS):
    clean = pictures[step].to(device)  # copy to device 1/step
    times = torch.randint(TIMES, (BATCH,), device=device)
    noise = torch.randn_like(clean)
    share = kept_there[times][:, None, None, None]
    noisy = share.sqrt() * clean + (1 - share).sqrt() * noise
    signal = kept[times.cpu()]  # copy to host 1/step
    weight = (signal / (1 - signal)).clamp(max=5).to(device)  # copy to device 1/step
    error = (model(noisy, times.float()) - noise).square().mean((1, 2, 3))
    loss = (weight * error).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for averaged, now in zip(average.parameters(), model.parameters(), strict=True):
            averaged.lerp_(now, 0.01)
    losses.append(loss.detach())
    marks = kept_there[[0, TIMES // 2, TIMES - 1]]  # copy to device 1/step
    if step % 10 == 9:
        torch.cuda.synchronize() if device.type == "cuda" else None  # wait 1/10 steps
        print(step, marks.tolist(), loss.item())  # copy to host 1/10 steps; wait 1/10 steps
