"""Loaders that want no workers, or whose workers are decided elsewhere."""

import os
from functools import partial

import torch
from mnemosyne.data import DataLoader as RecordLoader
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset
from torchvision import datasets


class Windows(Dataset):
    """Cut out of a tensor that is in memory already."""

    def __init__(self, series, length):
        self.series, self.length = series, length

    def __len__(self):
        return len(self.series) - self.length

    def __getitem__(self, index):
        window = self.series[index : index + self.length]
        return window[:-1], torch.as_tensor(window[-1])


def loaders(series, images, args, extra, rollout_buffer, *positional):
    in_memory = DataLoader(TensorDataset(series, series), batch_size=32, shuffle=True, pin_memory=True)
    windows = DataLoader(Windows(series, 24), batch_size=32, shuffle=True, pin_memory=True)
    numbers = DataLoader(list(range(1000)), batch_size=10, pin_memory=True)
    buffered = DataLoader(rollout_buffer, batch_size=256, shuffle=True, pin_memory=True)
    batched = DataLoader(images, batch_size=None, pin_memory=True)
    meant = DataLoader(images, batch_size=1, num_workers=0, pin_memory=True)
    hidden = DataLoader(images, pin_memory=True, **extra)
    starred = DataLoader(*positional)
    flagged = DataLoader(images, num_workers=args.workers, pin_memory=args.pin)
    records = RecordLoader(images, batch_size=4)
    return in_memory, windows, numbers, buffered, batched, meant, hidden, starred, flagged, records


def by_dict(images, use_cuda, batch_size):
    options = dict(batch_size=batch_size)
    if use_cuda:
        options.update({"num_workers": os.cpu_count(), "pin_memory": True})
    more = {"shuffle": True}
    more["num_workers"] = 4
    more["pin_memory"] = True
    make = partial(DataLoader, num_workers=4, pin_memory=True)
    return DataLoader(images, **options), DataLoader(images, **more), make(images)


def tokenised(load_dataset, tokenize, collate):
    import datasets as tables

    rows = tables.load_dataset("text").map(tokenize, batched=True)
    return DataLoader(rows["train"], batch_size=8, collate_fn=collate, pin_memory=True)


def train(model, optimizer, series, images, args, extra, rollout_buffer):
    criterion = nn.MSELoss()
    model.cuda()
    for inputs, targets in loaders(series, images, args, extra, rollout_buffer)[0]:
        optimizer.zero_grad()
        criterion(model(inputs.cuda(non_blocking=True)), targets.cuda(non_blocking=True)).backward()
        optimizer.step()


def look_at_a_few(root):
    """One batch for a picture, once."""
    folder = datasets.ImageFolder(root)
    images, _ = next(iter(DataLoader(folder, batch_size=16, pin_memory=True)))
    return images.cuda(non_blocking=True)


def sample_by_index(graph, model, device):
    train_idx = graph.split("train")
    for seeds in DataLoader(train_idx, batch_size=1024, shuffle=True, pin_memory=True):
        nodes = graph.neighbours(seeds)
        model(nodes.to(device, non_blocking=True)).sum().backward()
