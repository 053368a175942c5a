"""Samplers that need not be told the epoch, or of which the file does not show enough."""

from torch.utils.data import DataLoader, Dataset, Sampler
from torch.utils.data.distributed import DistributedSampler


def in_order(model, optimizer, dataset, epochs):
    sampler = DistributedSampler(dataset, shuffle=False)
    loader = DataLoader(dataset, 8, sampler=sampler, num_workers=2, persistent_workers=True)
    for epoch in range(epochs):
        for batch in loader:
            loss = model(batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def once(model, optimizer, dataset):
    loader = DataLoader(dataset, 8, sampler=DistributedSampler(dataset), num_workers=2)
    for batch in loader:
        loss = model(batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


class ByLength(Sampler):
    """Not PyTorch's own."""


def with_a_sampler_of_its_own(model, optimizer, dataset, epochs):
    loader = DataLoader(dataset, 8, sampler=ByLength(dataset), num_workers=2, persistent_workers=True)
    for epoch in range(epochs):
        for batch in loader:
            loss = model(batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    in_order(*prepared())
    once(*prepared())
    with_a_sampler_of_its_own(*prepared())
