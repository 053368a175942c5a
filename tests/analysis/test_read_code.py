"""Patterns that reading real code showed to be judged wrongly, in our own words."""

from __future__ import annotations

from tests.analysis.facts import file_model, marked, value_of
from trainlint.analysis.types.values import Home, Kind
from trainlint.finding import Heat


def test_a_loop_without_gradients_trains_nothing_whatever_it_calls() -> None:
    model = file_model("""
        def step(batch):
            loss = model(batch)
            if training:
                loss.backward()

        def evaluate(loader):
            with torch.no_grad():
                for batch in loader:
                    step(batch)  #= looked at

        def train(loader):
            for batch in loader:
                step(batch)  #= looked at
    """)
    found = [model.heats.of(block).heat for _, block, _ in marked(model)]
    assert found == [Heat.EVAL_STEP, Heat.STEP]


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


def test_the_end_of_an_epoch_is_no_step() -> None:
    model = file_model("""
        for index, batch in enumerate(train_loader):
            model(batch).sum().backward()
            if end_of_epoch(train_loader, index):
                report()  #= rare
    """)
    [(_, block, _)] = marked(model)
    assert model.heats.of(block).heat is Heat.RARE


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
