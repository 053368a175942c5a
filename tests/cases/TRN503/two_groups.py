"""Two reductions of one value over different groups cannot be joined."""

import torch.distributed as dist


def other_group(model, optimizer, loader, data_group, pipe_group):
    for batch in loader:
        loss = model(batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total_loss = loss.detach()
        dist.all_reduce(total_loss, group=data_group)  #! TRN215
        dist.all_reduce(total_loss, group=pipe_group)
