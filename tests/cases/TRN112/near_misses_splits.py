"""Rows that only test the model, and a second padding to the length of the first."""

from datasets import load_dataset
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2")
questions = load_dataset("gsm8k", "main", split="test[:200]")
held_out = questions.filter(lambda row: len(row["text"]) > 20).map(
    lambda row: tokenizer(row["text"], padding="max_length", truncation=True, max_length=256), batched=True
)


def encode(rows, limit):
    inputs = tokenizer(rows["query"], padding="max_length", truncation=True, max_length=limit)  #! TRN112
    answers = tokenizer(rows["response"], padding="max_length", truncation=True, max_length=limit)  #! TRN112
    inputs["labels"] = answers["input_ids"]
    return inputs


def prepare(rows):
    return rows.map(lambda row: encode(row, 512), batched=True)
