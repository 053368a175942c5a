"""Loaders that start their workers once, have none, or need new ones."""

import argparse

import torch
from torch.utils.data import DataLoader, RandomSampler


def deviation(dataset):
    """One pass."""
    total = torch.zeros(3)
    for images, _ in DataLoader(dataset, batch_size=1, num_workers=2):
        total += images.mean(dim=(0, 2, 3))
    return total / len(dataset)


def one_epoch(model, optimizer, dataset):
    loader = DataLoader(dataset, 8, shuffle=True, num_workers=4, pin_memory=True)
    for epoch in range(1):
        for images in loader:
            loss = model(images.cuda(non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def by_steps(model, optimizer, dataset, steps):
    """A pass that is longer than any run."""
    sampler = RandomSampler(dataset, replacement=True, num_samples=10**10)
    loader = DataLoader(dataset, 8, sampler=sampler, num_workers=4, pin_memory=True)
    batches = iter(loader)
    for _ in range(steps):
        try:
            images = next(batches)
        except StopIteration:
            batches = iter(loader)
            images = next(batches)
        loss = model(images.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def growing_crops(model, optimizer, dataset, epochs):
    """Persistent workers would go on with the crops of the first epoch."""
    loader = DataLoader(dataset, 8, shuffle=True, num_workers=4, pin_memory=True)
    for epoch in range(epochs):
        loader.dataset.crop = 128 + 8 * epoch
        for images in loader:
            loss = model(images.cuda(non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def shuffled_shards(model, optimizer, dataset, epochs):
    loader = DataLoader(dataset, 8, num_workers=4, pin_memory=True)
    for epoch in range(epochs):
        dataset.shuffle(epoch)
        for images in loader:
            loss = model(images.cuda(non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def kept(model, optimizer, dataset, args):
    loader = DataLoader(
        dataset, 8, num_workers=args.threads, persistent_workers=args.threads > 0, shuffle=True, pin_memory=True
    )
    for epoch in range(args.epochs):
        for images in loader:
            loss = model(images.cuda(non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


parser = argparse.ArgumentParser()
parser.add_argument("--workers", type=int, default=0)
arguments = parser.parse_args()


def none_by_default(model, optimizer, dataset):
    loader = DataLoader(dataset, 8, shuffle=True, num_workers=arguments.workers, pin_memory=True)
    for epoch in range(100):
        for images in loader:
            loss = model(images.cuda(non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def one_item_at_a_time(model, optimizer, train_loader, dataset):
    """A pass over single items takes far longer than its workers to start."""
    size = 1
    loader = DataLoader(dataset, batch_size=1, num_workers=1, pin_memory=True)
    other = DataLoader(dataset, batch_size=size, num_workers=4, pin_memory=True)
    for epoch in range(100):
        for images in train_loader:
            loss = model(images.cuda(non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            for image in loader:
                model(image.cuda(non_blocking=True))
            for image in other:
                model(image.cuda(non_blocking=True))
