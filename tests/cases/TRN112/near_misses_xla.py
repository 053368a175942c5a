"""Tokens of one shape for a compiler of whole graphs."""

import torch_xla.core.xla_model as xm
from datasets import load_dataset
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2")
device = xm.xla_device()


def tokenize(rows):
    return tokenizer(rows["text"], padding="max_length", max_length=512, truncation=True)


rows = load_dataset("wikitext", split="train").map(tokenize, batched=True)
