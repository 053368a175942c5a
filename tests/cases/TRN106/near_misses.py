"""Shared out, drawn anew, alive, or read by one process alone."""

import itertools
import math

import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info


class Shared(IterableDataset):
    def __init__(self, start, stop):
        self.start, self.stop = start, stop

    def __iter__(self):
        info = get_worker_info()
        first, step = (0, 1) if info is None else (info.id, info.num_workers)
        yield from range(self.start + first, self.stop, step)


class ByIslice(IterableDataset):
    def __init__(self, rows, part, parts):
        self.rows, self.part, self.parts = rows, part, parts

    def __iter__(self):
        return itertools.islice(self.rows, self.part, None, self.parts)


class Drawn(IterableDataset):
    def __init__(self, rows):
        self.rows = rows

    def __iter__(self):
        for index in torch.randperm(len(self.rows)).tolist():
            yield self.rows[index]


class Endless(IterableDataset):
    def __init__(self, rows):
        self.rows = rows

    def __iter__(self):
        while True:
            yield from self.rows


class Played(IterableDataset):
    """Each worker plays a game of its own."""

    def __init__(self, env, policy):
        self.env, self.policy = env, policy

    def __iter__(self):
        state, done = self.env.reset(), False
        while not done:
            state, reward, done = self.env.step(self.policy(state))
            yield state, reward


class Whole(IterableDataset):
    """Right for one process, and two of its loaders have no more."""

    def __init__(self, rows):
        self.rows = rows

    def __iter__(self):
        return iter(self.rows)


class ByIndex(Dataset):
    def __getitem__(self, index):
        return math.sqrt(index)

    def __iter__(self):
        yield from range(10)


def loaders(rows, env, policy, reader, start_worker):
    yield DataLoader(Shared(0, 100), 8, num_workers=4, pin_memory=True)
    yield DataLoader(ByIslice(rows, 0, 4), 8, num_workers=4, pin_memory=True)
    yield DataLoader(Drawn(rows), 8, num_workers=4, pin_memory=True)
    yield DataLoader(Endless(rows), 8, num_workers=4, pin_memory=True)
    yield DataLoader(Played(env, policy), 8, num_workers=4, pin_memory=True)
    yield DataLoader(Whole(rows), 8, num_workers=0, pin_memory=True)
    yield DataLoader(Whole(rows), 8, num_workers=1, pin_memory=True)
    yield DataLoader(Whole(rows), 8, num_workers=4, pin_memory=True, worker_init_fn=start_worker)
    yield DataLoader(ByIndex(), 8, num_workers=4, pin_memory=True)
