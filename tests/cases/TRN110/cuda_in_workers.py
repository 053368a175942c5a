"""CUDA where workers run."""

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Tokens(Dataset):
    def __init__(self, data, length):
        self.data, self.length = data, length

    def __len__(self):
        return len(self.data) // self.length

    def __getitem__(self, index):
        start = torch.randint(0, len(self.data) - self.length, (1,))
        return self.data[start : start + self.length].long().cuda()  #! TRN110


class Rows(IterableDataset):
    def __init__(self, paths):
        self.paths = paths
        self.device = "cuda:0"

    def __iter__(self):
        for path in self.paths[torch.utils.data.get_worker_info().id :: 2]:
            yield torch.tensor(np.load(path), device=self.device)  #! TRN110


def collate(rows):
    inputs = torch.stack([row[0] for row in rows]).to(device)  #! TRN110
    return inputs, torch.stack([row[1] for row in rows])


def loaders(data, paths, pairs):
    yield DataLoader(Tokens(data, 128), batch_size=8, num_workers=2)
    yield DataLoader(Rows(paths), batch_size=8, num_workers=2)
    yield DataLoader(pairs, batch_size=8, num_workers=2, collate_fn=collate)
