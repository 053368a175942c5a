"""A convolutional network on synthetic pictures, half of which come from pinned memory."""

import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SIZE = int(sys.argv[1]) if len(sys.argv) > 1 else 1
STEPS, BATCH, WIDTH = 44, 4 * SIZE, 8 * SIZE
device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)


def pictures():
    return TensorDataset(torch.randn(STEPS * BATCH, 3, 16, 16), torch.randint(10, (STEPS * BATCH,)))


pinned = DataLoader(pictures(), batch_size=BATCH, pin_memory=True)
pageable = DataLoader(pictures(), batch_size=BATCH)
model = nn.Sequential(
    nn.Conv2d(3, WIDTH, 3, padding=1),
    nn.BatchNorm2d(WIDTH),
    nn.ReLU(),
    nn.MaxPool2d(2),
    nn.Conv2d(WIDTH, WIDTH, 3, padding=1),
    nn.ReLU(),
    nn.AdaptiveAvgPool2d(1),
    nn.Flatten(),
    nn.Dropout(0.1),
    nn.Linear(WIDTH, 10),
).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 10)
correct = torch.zeros((), dtype=torch.long, device=device)
losses = []

for step, ((first, labels), (second, others)) in enumerate(zip(pinned, pageable, strict=True)):
    first = first.to(device, non_blocking=True)  # copy to device 1/step
    labels = labels.to(device)  # copy to device 1/step
    second = second.to(device)  # copy to device 1/step
    others = others.to(device, non_blocking=True)  # copy to device 1/step
    targets = torch.cat((labels, others))
    outputs = model(torch.cat((first, second)))
    loss = nn.functional.cross_entropy(outputs, targets, label_smoothing=0.1)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    scheduler.step()
    correct += (outputs.argmax(1) == targets).sum()
    losses.append(loss.detach())
    if step % 5 == 4:
        print(step, loss.item(), correct.item())  # wait 2/5 steps
    if step % 10 == 9:
        each = nn.functional.cross_entropy(outputs.detach(), targets, reduction="none")
        worst = each.topk(2).indices.cpu()  # copy to host 1/10 steps
        correct.zero_()
