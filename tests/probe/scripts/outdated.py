"""Names and habits that PyTorch itself warns of; each line is marked with the rule that speaks of it."""

import functorch
import torch
import torch.distributed as dist
import torch.distributed.nn
from torch import nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
square, pair = torch.eye(2), torch.ones(2)
block = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
differentiable = torch.ones(1, 2, requires_grad=True)

checkpoint(block, differentiable)  # TRN309
checkpoint_sequential(block, 2, differentiable)  # TRN309
torch.tensor(pair)  # TRN416
dist._reduce_scatter_base(torch.zeros(2), pair)  # TRN812
dist._all_gather_base(torch.zeros(2), pair)  # TRN812
with torch.cuda.amp.autocast(enabled=False):  # TRN801
    pass
with torch.backends.cuda.sdp_kernel():  # TRN812
    pass
torch.cuda.memory_cached()  # TRN812
torch.lu(square)  # TRN804
torch.chain_matmul(square, square)  # TRN804
torch.range(1, 3)  # TRN804
functorch.grad(torch.sum)  # TRN812
torch.autograd.Variable(pair, volatile=True)  # TRN810
nn.init.normal(torch.ones(2))  # TRN812
nn.utils.weight_norm(nn.Linear(2, 2))  # TRN812
nn.functional.upsample(torch.ones(1, 1, 2, 2), scale_factor=2)  # TRN812
torch.get_autocast_gpu_dtype()  # TRN812
nn.MSELoss(size_average=False)  # TRN814
torch.distributed.nn.all_reduce(pair)  # TRN812

model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(60):
    loss = nn.functional.mse_loss(model(torch.ones(4, 2)), torch.ones(4))  # TRN416 is not what it warns of
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
