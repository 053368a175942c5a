"""Rows that are padded to the limit of the model, when they are prepared or collated."""

from torch.utils.data import Dataset
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("t5-small")


def tokenize(rows, limit=1024):
    inputs = tokenizer(rows["text"], max_length=limit, truncation=True, padding="max_length")  #! TRN112
    inputs["labels"] = inputs["input_ids"].copy()
    return inputs


def encode(row):
    return tokenize(row, 2048)


def prepare(rows):
    rows.map(encode, remove_columns=["text"])
    return rows.map(
        lambda row: tokenizer(row["text"], padding="max_length", truncation=True),  #! TRN112
        batched=True,
    )


class Summaries(Dataset):
    def __init__(self, rows, tokenizer, length):
        self.rows, self.tokenizer, self.length = rows, tokenizer, length

    def __getitem__(self, index):
        return self.tokenizer.batch_encode_plus(  #! TRN112
            [self.rows[index]], max_length=self.length, padding="max_length", truncation=True, return_tensors="pt"
        )


class Collator:
    """Called by the loader."""

    def __call__(self, features):
        return tokenizer.pad(features, padding="longest", return_tensors="pt")
