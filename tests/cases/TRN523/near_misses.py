"""Places where `no_sync` does what it shall, or is not that of DDP."""

from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.nn.parallel import DistributedDataParallel as DDP


def both_inside(network, criterion, batches, rank):
    model = DDP(network, device_ids=[rank])
    with model.no_sync():
        inputs, targets = next(batches)
        loss = criterion(model(inputs), targets)
        loss.backward()


def forward_is_enough(network, criterion, batches, rank):
    model = DDP(network, device_ids=[rank])
    inputs, targets = next(batches)
    with model.no_sync():
        output = model(inputs)
    criterion(output, targets).backward()


def closures(network, criterion, batches, rank, need_update):
    model = DDP(network, device_ids=[rank])
    inputs, targets = next(batches)

    def forward():
        return criterion(model(inputs), targets)

    def backward(loss):
        loss.backward()

    if need_update:
        backward(forward())
    else:
        with model.no_sync():
            loss = forward()
            backward(loss)


def sharded(network, criterion, batches):
    model = FSDP(network)
    inputs, targets = next(batches)
    loss = criterion(model(inputs), targets)
    with model.no_sync():
        loss.backward()


class Engine:
    def no_sync(self):
        return self.strategy.block()

    def step(self, batch):
        loss = self.run(batch)
        with self.no_sync():
            loss.backward()
