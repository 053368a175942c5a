"""Iterable datasets that know of no workers, in loaders that have some."""

import csv

import torch
from torch.utils import data
from torch.utils.data import DataLoader


class Rows(data.IterableDataset):
    def __init__(self, paths, columns):
        super().__init__()
        self.paths = paths
        self.columns = columns

    def __iter__(self):
        for path in self.paths:
            with open(path, newline="") as file:
                for sample in csv.DictReader(file):
                    yield torch.tensor([float(sample[name]) for name in self.columns])


class Tokens(data.IterableDataset):
    def __init__(self, texts, tokenizer, length):
        self.texts, self.tokenizer, self.length = texts, tokenizer, length

    def _encode(self, text):
        return torch.tensor(text.split())

    def __iter__(self):
        held = []
        for text in self.texts:
            held.extend(self._encode(text))
            while len(held) >= self.length:
                yield held[: self.length]
                held = held[self.length :]


def loaders(paths, texts, tokenizer, workers):
    rows = Rows(paths, ["x", "y"])
    yield DataLoader(rows, batch_size=16, num_workers=4, pin_memory=True)  #! TRN106
    tokens = Tokens(texts, tokenizer, 1024)
    yield DataLoader(tokens, None, num_workers=2, pin_memory=True)  #! TRN106
