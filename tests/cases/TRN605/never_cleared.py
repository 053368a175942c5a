"""Training scripts that never clear a gradient."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.read = nn.Linear(16, 2)

    def forward(self, x):
        return self.read(x)


def adapts(train_loader):
    model = Net().cuda()
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-3)
    for epoch in range(3):
        for batch in train_loader:
            loss = model(batch["inputs"].cuda(non_blocking=True)).square().mean()
            loss.backward()  #! TRN605
            optimizer.step()
        print(epoch, loss.item())


def scaled(model, criterion, optimizer, train_loader):
    scaler = torch.amp.GradScaler("cuda")
    for inputs, targets in train_loader:
        with torch.autocast("cuda", dtype=torch.float16):
            loss = criterion(model(inputs), targets)
        scaler.scale(loss).backward()  #! TRN605
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()


if __name__ == "__main__":
    net = Net().cuda()
    sgd = torch.optim.SGD(net.parameters(), lr=0.25)
    for i in range(10):
        torch.manual_seed(i)
        net(torch.ones(4, 16, device="cuda")).sum().backward()  #! TRN605
        sgd.step()
    adapts(loader)
    scaled(net, criterion, sgd, loader)
