"""Collate functions by their private path."""

import torch.utils.data._utils
from torch.utils.data import DataLoader
from torch.utils.data._utils.collate import default_collate, default_convert


def collate(batch):
    images, boxes = zip(*batch)
    return default_collate(images), list(boxes)  #! TRN809


def unbatched(dataset):
    return DataLoader(dataset, batch_size=None, collate_fn=default_convert, num_workers=2, pin_memory=True)  #! TRN809


def padded(samples):
    return torch.utils.data._utils.collate.default_collate(samples)  #! TRN809
