"""A training with defects whose fixes are SAFE and run without an accelerator."""

import torch
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def main():
    torch.manual_seed(0)
    dataset = TensorDataset(torch.randn(640, 16), torch.randn(640, 1))
    loader = DataLoader(dataset, batch_size=16, shuffle=True, pin_memory=True)
    model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.BatchNorm1d(64), torch.nn.Linear(64, 1)).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for inputs, targets in loader:
        inputs = inputs.to(device)
        targets = targets.to(device)
        scale = torch.tensor(torch.ones(1, device=device))
        loss = torch.nn.functional.mse_loss(model(inputs) * scale, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
