"""Patterns that reading real code showed to be judged wrongly, in our own words."""

from __future__ import annotations

from tests.analysis.facts import file_model, marked, value_of
from trainlint.analysis.types.values import Home, Kind


def test_what_a_tokenizer_returns_lies_on_the_host_until_it_is_moved() -> None:
    model = file_model("""
        import torch

        def encode(texts, device):
            batch = tokenizer(texts, return_tensors="pt")
            ids = batch["input_ids"]  #= host
            moved = batch.to("cuda")["input_ids"]  #= device
    """)
    values = [model.kinds.of(value_of(statement), block) for statement, block, _ in marked(model)]
    assert [(value.kind, value.home) for value in values] == [(Kind.TENSOR, Home.HOST), (Kind.TENSOR, Home.DEVICE)]


def test_an_annotated_number_is_one_whatever_is_stored_in_it() -> None:
    model = file_model("""
        import torch

        class Settings:
            offset: bool = unknown()

            def read(self):
                found = self.offset  #= number
    """)
    [(statement, block, _)] = marked(model)
    assert model.kinds.of(value_of(statement), block).kind is Kind.NUMBER
