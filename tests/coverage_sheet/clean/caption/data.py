"""Datasets of pictures with captions, and their loaders."""

import json
from itertools import islice

import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset, IterableDataset, default_collate, get_worker_info
from torchvision import transforms
from transformers import AutoTokenizer

MEAN, STD = (0.481, 0.458, 0.408), (0.269, 0.261, 0.276)
MAX_TOKENS = 128

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")


def picture_transform(size):
    return transforms.Compose(
        [
            transforms.RandomResizedCrop(size),
            transforms.RandomHorizontalFlip(),
            transforms.ToTensor(),
            transforms.Normalize(MEAN, STD),
        ]
    )


def read_rows(path):
    with open(path) as lines:
        return [json.loads(line) for line in lines]


class Captions(Dataset):
    """Pictures with one caption each."""

    def __init__(self, path, size=224):
        self.rows = read_rows(path)
        self.transform = picture_transform(size)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        row = self.rows[index]
        with Image.open(row["image"]) as picture:
            pixels = self.transform(picture.convert("RGB"))
        return pixels, row["caption"]


class WebCaptions(IterableDataset):
    """Captions without pictures, read as a stream, of which each worker takes its share."""

    def __init__(self, path):
        self.path = path

    def __iter__(self):
        info = get_worker_info()
        first, step = (info.id, info.num_workers) if info is not None else (0, 1)
        with open(self.path) as lines:
            for line in islice(lines, first, None, step):
                yield json.loads(line)["caption"]


def collate_captions(rows):
    """A batch whose captions are as long as the longest of them."""
    rows = [row for row in rows if row is not None]
    tokens = tokenizer(
        [caption for _, caption in rows], truncation=True, max_length=MAX_TOKENS, padding=True, return_tensors="pt"
    )
    return default_collate([pixels for pixels, _ in rows]), tokens["input_ids"]


def collate_boxes(rows):
    boxes = [np.load(path) for path, _ in rows]
    labels = [label for _, label in rows]
    return torch.from_numpy(np.stack(boxes)), torch.tensor(labels)


def validation_loader(path, batch_size):
    return DataLoader(
        Captions(path), batch_size, num_workers=4, pin_memory=True, persistent_workers=True, collate_fn=collate_captions
    )


def box_loader(rows, batch_size):
    return DataLoader(rows, batch_size, num_workers=4, pin_memory=True, collate_fn=collate_boxes)


def web_loader(path, batch_size):
    return DataLoader(WebCaptions(path), batch_size, num_workers=8, pin_memory=True)
