"""Text as numbers: windows of characters to learn from, and pairs of windows that stand side by side."""

from __future__ import annotations

import random

import torch
from torch import Tensor
from torch.utils.data import Dataset

ALPHABET = " abcdefghijklmnopqrstuvwxyz.,\n"
SENTENCE = "the loss falls while the device waits for a batch that the host has yet to read from disk"


def make_text(words: int, seed: int) -> str:
    """Sentences of random words: enough to watch a loss fall, and nothing to download."""
    chooser = random.Random(seed)
    vocabulary = SENTENCE.split()
    sentences = (" ".join(chooser.choices(vocabulary, k=12)) for _ in range(words // 12))
    return ".\n".join(sentences)


def encode(text: str) -> Tensor:
    """One number for each character."""
    return torch.tensor([ALPHABET.index(character) for character in text])


class TextWindows(Dataset[tuple[Tensor, Tensor]]):
    """A window of text, and the same window one character further on."""

    def __init__(self, text: str, length: int) -> None:
        self.text = text
        self.length = length

    def __len__(self) -> int:
        return (len(self.text) - 1) // self.length

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        start = index * self.length
        window = encode(self.text[start : start + self.length + 1])
        return window[:-1], window[1:]


class TextPairs(Dataset[tuple[Tensor, Tensor]]):
    """Two neighbouring windows of text, which a contrastive model learns to recognise as neighbours."""

    def __init__(self, text: str, length: int) -> None:
        self.text = text
        self.length = length

    def __len__(self) -> int:
        return len(self.text) // (2 * self.length)

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        start = 2 * index * self.length
        pair = encode(self.text[start : start + 2 * self.length])
        return pair[: self.length], pair[self.length :]
