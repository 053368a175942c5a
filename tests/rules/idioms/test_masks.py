"""Which values are boolean masks? Marks say `mask`, `named` for what only its name tells, or `other`."""

from __future__ import annotations

import pytest

from tests.analysis.facts import file_model, marked, value_of
from trainlint_rules.sync.idioms.masks import mask_confidence

SNIPPETS = {
    "comparisons and what combines them": """
        def f(x, y):
            above = x > 0  #= mask
            both = above & (y != 0)  #= mask
            neither = ~both  #= mask
            left, right = (above & both).T
            each = left  #= mask
            stacked = torch.stack((left, ~right)).view(-1)  #= mask
            kept = stacked[:, None].cuda()  #= mask
            number = above.sum()  #= other
            whole = above.long()  #= other
            order = x.argsort()  #= other
            identity = x is y  #= other
            cast = x.to(torch.float32)  #= other
            truth = x.to(torch.bool)  #= mask
            made = torch.zeros(4, dtype=torch.bool)  #= mask
    """,
    "names": """
        def f(mask, mask_indices, batch, lengths=None):
            given = mask  #= named
            chosen = batch["loss_mask"]  #= named
            places = mask_indices  #= other
            sizes = lengths  #= other
            mask = torch.randperm(4)
            drawn = mask  #= other
    """,
    "what a function of the file returns": """
        import torch
        def padding(lengths):
            return torch.arange(8) >= lengths[:, None]
        def f(lengths):
            hidden = padding(lengths)  #= mask
    """,
    "a name that means two things": """
        def f(x, flag):
            chosen = x > 0
            if flag:
                chosen = x.nonzero()
            used = chosen  #= other
            empty = None
            if flag:
                empty = x < 0
            later = empty  #= mask
    """,
}
MEANING = {1.0: "mask", 0.8: "named", 0.0: "other"}


@pytest.mark.parametrize("snippet", SNIPPETS.values(), ids=SNIPPETS)
def test_masks_are_told_from_other_indices(snippet: str) -> None:
    model = file_model("import torch\n" + "\n".join(line[8:] for line in snippet.split("\n")))
    for statement, block, said in marked(model):
        assert MEANING[mask_confidence(model, value_of(statement), block)] == said, model.source.line(statement.lineno)
