"""Which softmaxes stand in an attention that is written out? A mark stands at the softmax."""

from __future__ import annotations

import ast

import pytest

from tests.analysis.facts import file_model, marked
from tests.rules.catalogue import judged
from trainlint.analysis.syntax.blocks import Place
from trainlint_rules.attention.attention_by_hand import AttentionByHand
from trainlint_rules.attention.idioms.written_attention import written_attention

SNIPPETS = {
    "how products and softmaxes are written": """
        import torch
        import torch.nn.functional as F
        from torch import einsum, nn
        def f(q, k, v, mask, drop, w):
            a = torch.softmax(q @ k.mT, dim=-1)  #= attention
            x = a @ v
            b = F.softmax(torch.bmm(q, k) / 8, 2)  #= attention
            x = torch.bmm(b, v)
            turned = k.permute(0, 2, 1)
            scores = torch.matmul(q, turned)
            scores = scores.masked_fill(mask, -1e9)
            c = scores.softmax(-1).to(v.dtype)  #= attention
            c = drop(c) if drop is not None else c
            x = einsum("bij,bjd->bid", c, v)
            d = F.softmax(q @ k, dim=-1)  #= none
            x = d @ v
            e = F.softmax(q @ k.mT, dim=1)  #= none
            x = e @ v
            g = F.softmax(q @ k.mT, dim=-1)  #= none
            x = g @ v + g.sum()
            h = F.softmax(w, dim=-1)  #= none
            x = h @ v
    """,
    "what is added": """
        import torch
        def f(q, k, v, mask, rel_pos, distances):
            masked = torch.softmax(q @ k.mT + mask, dim=-1)  #= attention
            x = masked @ v
            scores = q @ k.mT
            scores += rel_pos
            biased = torch.softmax(scores, dim=-1)  #= biased
            x = biased @ v
            other = q @ k.mT
            if distances is not None:
                other = distances(other, q)
            changed = torch.softmax(other, dim=-1)  #= biased
            x = changed @ v
    """,
    "cosines": """
        import torch.nn.functional as F
        def f(q, k, v, t):
            a = (F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).mT * t).softmax(dim=-1)  #= cosine
            return a @ v
    """,
}


@pytest.mark.parametrize("snippet", SNIPPETS.values(), ids=SNIPPETS)
def test_attentions_are_told_from_other_softmaxes(snippet: str) -> None:
    model = file_model(snippet)
    for statement, block, said in marked(model):
        places = (place for place in model.outline.calls["softmax"] if place.statement is statement)
        place = next(places)
        assert isinstance(place, Place)
        found = written_attention(model, place)
        meaning = "none" if found is None else "biased" if found.biased else "cosine" if found.cosine else "attention"
        assert meaning == said, ast.unparse(statement)
        assert place.block is block


ATTENDING = """
import torch.nn.functional as F


def attend(q, k, v, mask):
    scores = q @ k.transpose(-2, -1)
    masked = scores.masked_fill(mask, float("-inf"))
    attended = F.softmax(masked, dim=-1) @ v
    return {}
"""


@pytest.mark.parametrize(
    ("returned", "scores"),
    [("attended, scores", "scores"), ("attended.flatten(2), masked.detach()", "masked")],
)
def test_scores_that_are_returned_are_named(returned: str, scores: str) -> None:
    (finding,) = judged(ATTENDING.format(returned), AttentionByHand).findings
    assert f"does not need `{scores}`" in (finding.help or "")


@pytest.mark.parametrize("returned", ["attended", "attended, mask", "attended.flatten(2), attended"])
def test_an_output_alone_needs_no_scores(returned: str) -> None:
    (finding,) = judged(ATTENDING.format(returned), AttentionByHand).findings
    assert finding.help == "use `torch.nn.functional.scaled_dot_product_attention`"
