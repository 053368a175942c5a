"""Patterns that reading real code showed to be judged wrongly, in our own words."""

from __future__ import annotations

from tests.analysis.facts import file_model, marked, value_of
from trainlint.analysis.types.values import Kind


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
