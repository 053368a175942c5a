"""Lines that are wrong or harmless by what happens around them: `wrong` or `right`, as the first argument says."""

import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

wrong = sys.argv[1] == "wrong"
model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(), nn.Linear(8, 1))
other = nn.Linear(8, 1)
optimizer = torch.optim.AdamW(model.parameters())
spare = torch.optim.SGD(other.parameters(), lr=0.01)
loader = DataLoader(TensorDataset(torch.randn(40, 8), torch.randn(40, 1)), batch_size=8)
criterion = nn.MSELoss()

for _ in range(200):
    for inputs, targets in loader:
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=wrong):
            loss = criterion(model(inputs), targets)
            loss.backward()
        if wrong:
            optimizer.step()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        if not wrong:
            optimizer.step()

        criterion(other(inputs), targets).backward()
        if not wrong:
            spare.step()
        spare.zero_grad()
        if wrong:
            spare.step()
            torch.compile(other)
            torch.optim.Adagrad(other.parameters())
        other.train(wrong)
        with torch.no_grad():
            other(inputs)  # evaluates
        other.train()
    model.eval()
    if not wrong:
        model.train()
