"""The public names, and private ones that have no other."""

import torch
from torch.utils.data import default_collate
from torch.utils.data._utils.collate import collate, default_collate_fn_map, np_str_obj_array_pattern

try:
    from torch.utils.data import default_convert
except ImportError:
    from torch.utils.data._utils.collate import default_convert


def joined(batch):
    if np_str_obj_array_pattern.search(batch[0].dtype.str):
        return batch
    return collate(batch, collate_fn_map={**default_collate_fn_map, dict: list})


def both(batch):
    return default_collate(batch), default_convert(batch), torch.utils.data.dataloader.default_collate(batch)
