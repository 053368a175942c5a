"""DistributedDataParallel with batch normalisation, and a metric that the ranks add up."""

import os
import sys

import torch
from torch import distributed, nn
from torch.nn.parallel import DistributedDataParallel

SIZE = int(sys.argv[1]) if len(sys.argv) > 1 else 1
STEPS, BATCH, WIDTH = 44, 8 * SIZE, 16 * SIZE
on_gpu = torch.cuda.is_available()
rank = int(os.environ["LOCAL_RANK"])
if on_gpu:
    torch.cuda.set_device(rank)
distributed.init_process_group("nccl" if on_gpu else "gloo")
device = torch.device("cuda", rank) if on_gpu else torch.device("cpu")
torch.manual_seed(0)

layers = nn.Sequential(nn.Linear(6, WIDTH), nn.BatchNorm1d(WIDTH), nn.ReLU(), nn.Linear(WIDTH, 3)).to(device)
model = DistributedDataParallel(layers, device_ids=[rank] if on_gpu else None)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
rows, labels = torch.randn(STEPS, BATCH, 6), torch.randint(3, (STEPS, BATCH))
losses = []

for step in range(STEPS):
    inputs = rows[step].to(device)  # copy to device 1/step
    targets = labels[step].to(device)  # copy to device 1/step
    outputs = model(inputs)  # collective 2/step
    loss = nn.functional.cross_entropy(outputs, targets)
    optimizer.zero_grad()
    loss.backward()  # collective 1/step
    optimizer.step()
    losses.append(loss.detach())
    correct = (outputs.argmax(1) == targets).sum()
    if step % 5 == 4:
        distributed.all_reduce(correct)  # collective 1/5 steps
        print(step, correct.item())  # wait 1/5 steps
