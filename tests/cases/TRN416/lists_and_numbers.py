"""Lists, numbers, arrays, fields that may hold lists, and names that are turned into tensors."""

import numpy as np
import torch


def collate(items, batch, labels, output):
    lengths = torch.tensor([len(item) for item in items])
    wanted = torch.tensor(batch["label"], dtype=torch.bool)
    drawn = torch.tensor(np.random.randn(3))
    labels = torch.tensor(labels)
    if not isinstance(output, torch.Tensor):
        output = torch.tensor(output)
    rate = torch.tensor(0.1)
    shape = torch.tensor(wanted.shape)
    return lengths, wanted, drawn, labels, output, rate, shape
