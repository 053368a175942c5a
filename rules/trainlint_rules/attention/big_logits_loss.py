"""TRN713."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.analysis.site import Site
from trainlint.analysis.tables.signs import CHUNKS, COMPILES, FUSED_LOSS
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.autograd import autograd_off
from trainlint.contract.guards.names import shows
from trainlint.finding import Confidence
from trainlint_rules.attention.idioms.built import CROSS_ENTROPY, losses_at
from trainlint_rules.attention.idioms.forwards import evaluates
from trainlint_rules.attention.idioms.logits import big_logits

_FIRST_FUSED = (2, 13)
_FUSED = "use `F.linear_cross_entropy` with options on what goes into the projection"
_CHUNKED = "take projection and loss of some tokens at a time, or use a fused linear cross-entropy"


class BigLogitsLoss(CallRule):
    """Scores of all tokens over a whole vocabulary, stored for a cross-entropy alone

    ## Why
    The last layer of a language model gives a number for each token and each word of the vocabulary: 4096 tokens by
    50,257 words are 823 MB in float32. The cross-entropy keeps a log-softmax of the same size for the backward pass,
    which makes a gradient of that size; a cast to float32 and `.contiguous()` copy the scores once more. Often this is
    the peak of memory in the whole step. The loss can be taken of some tokens at a time, and of the projection and the
    loss in one, so that the whole matrix never exists. Scores that are returned or read by anything but the loss must
    exist. A literal number of classes counts as a vocabulary from 32,000 on. Where rows are chosen before the
    projection, the matrix is small.

    ## Example
    ```python
    import torch.nn.functional as F
    from torch import nn


    class LanguageModel(nn.Module):
        def __init__(self, body, width, vocab_size):
            super().__init__()
            self.body = body
            self.vocab_size = vocab_size
            self.lm_head = nn.Linear(width, vocab_size, bias=False)

        def forward(self, tokens, targets):
            hidden = self.body(tokens)
            logits = self.lm_head(hidden).float()
            return F.cross_entropy(logits.view(-1, self.vocab_size), targets.view(-1))
    ```

    ## Use instead
    ```python
    import torch.nn.functional as F
    from torch import nn


    class LanguageModel(nn.Module):
        def __init__(self, body, width, vocab_size):
            super().__init__()
            self.body = body
            self.vocab_size = vocab_size
            self.lm_head = nn.Linear(width, vocab_size, bias=False)

        def forward(self, tokens, targets):
            hidden = self.body(tokens).flatten(0, 1)
            options = nn.LinearCrossEntropyOptions()
            return F.linear_cross_entropy(hidden, self.lm_head.weight, targets.flatten(), options=options)
    ```

    `linear_cross_entropy` exists from PyTorch 2.13 on, takes inputs of two dimensions, and saves memory only where it
    is given `options`. Before that, take the loss in chunks of tokens under `torch.utils.checkpoint`, or use the
    fused losses of Liger Kernel or Cut Cross-Entropy. Where only some tokens are masked and count, select their rows
    before the projection.

    ## Confirmed by
    A peak of allocated memory at this line of several times tokens by vocabulary by four bytes.

    ## Gain
    Measured for 4096 tokens by 50,257 words in float32 on a CPU, PyTorch 2.13: the peak falls from 2368 MB to 193 MB,
    the loss differs by 1.4e-5, and the time doubles, as scores are computed twice. The authors of Liger Kernel
    report 60 % less memory for whole models (arXiv 2410.10989). Nothing where activations of the layers before are
    what fills the memory, or the vocabulary is one of characters.

    ## References
    - `linear_cross_entropy`:
      https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.linear_cross_entropy.html
    - Liger Kernel: https://arxiv.org/abs/2410.10989
    - Cut Cross-Entropy: https://arxiv.org/abs/2411.09009
    """

    code = "TRN713"
    name = "big-logits-loss"
    on = CROSS_ENTROPY
    costs_steps = True
    sure = Confidence.LIKELY
    unless = (
        shows("the file compiles, computes the loss in chunks, or names a fused loss", COMPILES, CHUNKS, FUSED_LOSS),
        autograd_off,
        evaluates,
    )
    message = "{maker} line {line} stores a score for each token and word{cast} for this loss alone"
    help = "{instead}"

    def found(self, site: Site) -> Iterator[Match]:
        """Losses of scores over a vocabulary that nothing else reads."""
        instead = _FUSED if site.has(_FIRST_FUSED) else _CHUNKED
        for loss in losses_at(site):
            scores = big_logits(site.file, loss.place)
            if scores is not None:
                maker = "the model of" if scores.by_model else "the projection in"
                fields = {"maker": maker, "line": scores.made.lineno, "cast": scores.cast, "instead": instead}
                yield Match(loss, fields=fields)
