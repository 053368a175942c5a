"""Each rank may save its shards."""

import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.nn.parallel import DistributedDataParallel as DDP

from networks import Net, load, options


def main(rank):
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl")
    model = FSDP(Net(), auto_wrap_policy=options.policy) if options.sharded else DDP(Net().cuda(), device_ids=[rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in load():
        loss = model(batch).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    torch.save(model.state_dict(), "model.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main(options.rank)
