"""A wrapper around two networks of which each step trains one."""

from torch.nn.parallel import DistributedDataParallel as DDP


def wrap(model, rank):
    return DDP(model, device_ids=[rank], find_unused_parameters=True)


def train(model, optimizers, loader, rank):
    model = wrap(model, rank)
    for step, images in enumerate(loader):
        optimizer = optimizers[step % 2]
        loss = model(images, part=step % 2)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        model.module.discriminator.requires_grad_(step % 2 == 0)
