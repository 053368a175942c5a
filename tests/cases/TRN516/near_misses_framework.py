"""Lightning's Fabric, which may run this on one rank."""

import torch
from lightning import Fabric
from torch.nn.parallel import DistributedDataParallel as DDP

from networks import Net, load


def main(rank):
    fabric = Fabric()
    model = DDP(Net().cuda(), device_ids=[rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in load():
        loss = model(batch).mean()
        optimizer.zero_grad()
        fabric.backward(loss)
        optimizer.step()
    torch.save(model.state_dict(), "model.pt")


if __name__ == "__main__":
    main(0)
