"""Samplers that are told."""

from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def told(model, optimizer, dataset, epochs):
    loader = DataLoader(dataset, 8, sampler=DistributedSampler(dataset), num_workers=2, persistent_workers=True)
    for epoch in range(epochs):
        if hasattr(loader.sampler, "set_epoch"):
            loader.sampler.set_epoch(epoch)
        for batch in loader:
            loss = model(batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def begin_epoch(loader, epoch):
    loader.batch_sampler.sampler.set_epoch(epoch)


def told_in_a_helper(model, optimizer, dataset, epochs):
    sampler = DistributedSampler(dataset, seed=3)
    loader = DataLoader(dataset, 8, sampler=sampler, num_workers=2, persistent_workers=True)
    for epoch in range(epochs):
        begin_epoch(loader, epoch)
        for batch in loader:
            loss = model(batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    told(*prepared())
    told_in_a_helper(*prepared())
