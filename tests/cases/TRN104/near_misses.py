"""Loaders that must be built where they are, or that cost nothing to build."""

import numpy as np
from torch.utils.data import ConcatDataset, DataLoader, Subset, SubsetRandomSampler


def step(model, optimizer, images):
    loss = model(images.cuda(non_blocking=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def folds(model, optimizer, dataset, splits):
    for fold, (chosen, _) in enumerate(splits):
        loader = DataLoader(dataset, 8, sampler=SubsetRandomSampler(chosen), num_workers=2, pin_memory=True)
        for images in loader:
            step(model, optimizer, images)


def curriculum(model, optimizer, dataset, epochs):
    for epoch in range(epochs):
        easy = Subset(dataset, range(1000 * (epoch + 1)))
        for images in DataLoader(easy, 8, shuffle=True, num_workers=2, pin_memory=True):
            step(model, optimizer, images)


def growing(model, optimizer, collect, epochs):
    collected = []
    for epoch in range(epochs):
        collected.append(collect(model))
        for images in DataLoader(ConcatDataset(collected), 8, shuffle=True, num_workers=2, pin_memory=True):
            step(model, optimizer, images)


def chosen_anew(model, optimizer, dataset, epochs):
    for epoch in range(epochs):
        some = np.random.choice(len(dataset), 1000)
        for images in DataLoader(Subset(dataset, some), 8, shuffle=True, num_workers=2, pin_memory=True):
            step(model, optimizer, images)


def larger_batches(model, optimizer, dataset, epochs):
    for epoch in range(epochs):
        for images in DataLoader(dataset, 8 * 2**epoch, shuffle=True, num_workers=2, pin_memory=True):
            step(model, optimizer, images)


def indices(model, optimizer, positives, epochs):
    """Without workers: an iterator over numbers."""
    for epoch in range(epochs):
        for some in DataLoader(range(len(positives)), 1024, shuffle=True):
            step(model, optimizer, positives[some])


def now_and_then(model, optimizer, loader, held_out, epochs):
    for epoch in range(epochs):
        for images in loader:
            step(model, optimizer, images)
        if epoch % 10 == 0:
            for images in DataLoader(held_out, 8, num_workers=2, pin_memory=True):
                print(model(images.cuda(non_blocking=True)))


def reloaded(model, optimizer, load, epochs):
    for epoch in range(epochs):
        for images in DataLoader(load(), 8, shuffle=True, num_workers=2, pin_memory=True):
            step(model, optimizer, images)


class Learner:
    def fit(self, epochs):
        for epoch in range(epochs):
            self.collect()
            for images in DataLoader(self.collected, 8, num_workers=2, pin_memory=True):
                step(self.model, self.optimizer, images)

    def collect(self):
        self.collected = [self.model.play() for _ in range(10)]
