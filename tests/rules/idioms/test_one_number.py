"""Which tensors hold a single number? Marks say `one` or `many`."""

from __future__ import annotations

import pytest

from tests.analysis.facts import file_model, marked, value_of
from trainlint_rules.distributed.idioms.one_number import is_one_number

SNIPPETS = {
    "made of a number": """
        import torch
        def f(rows, device, values):
            count = torch.tensor([rows.shape[0]], dtype=torch.int64, device=device)
            sent = count  #= one
            flag = torch.tensor(1.0).cuda()  #= one
            pair = torch.tensor([1, 2])  #= many
            nested = torch.tensor([[1, 2]])  #= many
            unpacked = torch.tensor([*values])  #= many
            unknown = torch.tensor(values)  #= many
            moved = count.to(device).view(1)  #= one
    """,
    "reduced": """
        def f(x, criterion, targets):
            total = x.sum()  #= one
            each = x.sum(dim=1)  #= many
            features = x  #= many
    """,
    "a name that changes": """
        import torch
        def f(x, ready):
            size = torch.tensor([1])
            if ready:
                size = x
            sent = size  #= many
    """,
}


@pytest.mark.parametrize("code", SNIPPETS.values(), ids=SNIPPETS.keys())
def test_single_numbers_are_known(code: str) -> None:
    model = file_model(code)
    for statement, block, said in marked(model):
        assert is_one_number(model, value_of(statement), block) is (said == "one"), statement.lineno
