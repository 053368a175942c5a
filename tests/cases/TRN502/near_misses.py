"""Objects that travel seldom, or weigh little against what they are for."""

import torch.distributed as dist


def once_an_epoch(model, optimizer, loader, epochs):
    for _ in range(epochs):
        for batch in loader:
            loss = model(batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        stop = [False]
        dist.broadcast_object_list(stop, 0)


def now_and_then(model, optimizer, loader):
    for step, batch in enumerate(loader):
        loss = model(batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 500 == 0:
            names = [None] * dist.get_world_size()
            dist.all_gather_object(names, str(step))




def setup(config):
    shared = [config]
    dist.broadcast_object_list(shared, src=0)
    return shared[0]


def train_with_records(model, optimizer, loader):
    for batch in loader:
        loss = model(batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        save_records(batch)


def save_records(batch):
    records = [None] * dist.get_world_size()
    dist.all_gather_object(records, batch)
