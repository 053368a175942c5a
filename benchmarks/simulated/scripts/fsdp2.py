"""FSDP2 over two blocks and the rest of the model."""

import os
import sys

import torch
from torch import distributed, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

SIZE = int(sys.argv[1]) if len(sys.argv) > 1 else 1
STEPS, BATCH, WIDTH = 44, 8 * SIZE, 16 * SIZE
on_gpu = torch.cuda.is_available()
rank = int(os.environ["LOCAL_RANK"])
if on_gpu:
    torch.cuda.set_device(rank)
distributed.init_process_group("nccl" if on_gpu else "gloo")
device = torch.device("cuda", rank) if on_gpu else torch.device("cpu")
mesh = init_device_mesh(device.type, (distributed.get_world_size(),))
torch.manual_seed(0)

blocks = [nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WIDTH), nn.GELU()) for _ in range(2)]
model = nn.Sequential(nn.Linear(8, WIDTH), *blocks, nn.Linear(WIDTH, 4)).to(device)
for block in blocks:
    fully_shard(block, mesh=mesh)
fully_shard(model, mesh=mesh)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
rows, labels = torch.randn(STEPS, BATCH, 8), torch.randint(4, (STEPS, BATCH))
losses = []

for step in range(STEPS):
    inputs = rows[step].to(device)  # copy to device 1/step
    targets = labels[step].to(device)  # copy to device 1/step
    outputs = model(inputs)  # collective 3/step
    loss = nn.functional.cross_entropy(outputs, targets)
    optimizer.zero_grad()
    loss.backward()  # collective 5/step
    optimizer.step()
    losses.append(loss.detach())
    if step % 5 == 4:
        print(step, loss.item())  # wait 1/5 steps
