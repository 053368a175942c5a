"""Which losses are given scores over a vocabulary that nothing else reads?"""

from __future__ import annotations

import ast

import pytest

from tests.analysis.facts import file_model
from trainlint_rules.attention.idioms.logits import BigLogits, big_logits

HEAD = """
        import torch.nn.functional as F
        from torch import nn
        class Network(nn.Module):
            def forward(self, x, y, vocab_size=None):
"""

ONLY_THE_LOSS = {
    "through names and casts": """
                scores = self.decoder(x)
                flat = scores.float().view(-1, self.vocab_size)
                return F.cross_entropy(flat, y)
    """,
    "in one line": """
                return F.cross_entropy(self.lm_head(x).transpose(1, 2), y)
    """,
    "asked for its shape alone": """
                scores = self.lm_head(x)
                return F.cross_entropy(scores.view(-1, scores.size(-1)), y) / scores.shape[0]
    """,
    "returned where there is no loss": """
                scores = self.lm_head(x)
                if y is None:
                    return scores
                return F.cross_entropy(scores.flatten(0, 1), y)
    """,
    "of a model": """
                logits = self.model(x).logits
                return F.cross_entropy(logits.view(-1, vocab_size), y)
    """,
}
OTHERS = {
    "returned, too": """
                scores = self.lm_head(x)
                return F.cross_entropy(scores.flatten(0, 1), y), scores
    """,
    "given by the caller": """
                return F.cross_entropy(x.view(-1, vocab_size), y)
    """,
    "of few classes": """
                scores = self.decoder(x)
                return F.cross_entropy(scores.view(-1, 21), y)
    """,
    "of chosen rows": """
                scores = self.lm_head(x[masked_indices])
                return F.cross_entropy(scores, y)
    """,
    "one of two": """
                scores = self.lm_head(x) if y is None else self.other(x)
                return F.cross_entropy(scores.view(-1, vocab_size), y)
    """,
}


def found(body: str) -> BigLogits | None:
    file = file_model(HEAD.rstrip() + body)
    return big_logits(file, file.outline.calls["cross_entropy"][0])


@pytest.mark.parametrize("body", ONLY_THE_LOSS.values(), ids=ONLY_THE_LOSS)
def test_scores_for_the_loss_alone(body: str) -> None:
    assert found(body) is not None


@pytest.mark.parametrize("body", OTHERS.values(), ids=OTHERS)
def test_other_scores(body: str) -> None:
    assert found(body) is None


def test_what_is_said_of_them() -> None:
    through_names, of_model = found(ONLY_THE_LOSS["through names and casts"]), found(ONLY_THE_LOSS["of a model"])
    assert through_names is not None
    assert ast.unparse(through_names.made) == "self.decoder(x)"
    assert (through_names.upcast, through_names.by_model) == (True, False)
    assert of_model is not None
    assert (of_model.upcast, of_model.by_model) == (False, True)
