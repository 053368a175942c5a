"""TRN713."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name
from trainlint.finding import Finding, Heat, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers
from trainlint_rules.attention.idioms.built import calls_of
from trainlint_rules.attention.idioms.logits import BigLogits, big_logits

_SAVES_ALREADY = lazy(r"torch\.compile|linear_cross_entropy|liger|chunk|cut_cross_entropy|fused_\w{0,50}cross", re.I)
"""A compiled loss needs no copies, one in chunks holds a part of the scores at a time, a fused one holds none."""
_FIRST_FUSED = (2, 13)


class BigLogitsLoss(Rule):
    """Scores of all tokens over a whole vocabulary, stored for a cross-entropy alone

    ## Why
    The last layer of a language model gives a number for each token and each word of the vocabulary: 4096 tokens by
    50,257 words are 823 MB in float32. The cross-entropy keeps a log-softmax of the same size for the backward pass,
    which makes a gradient of that size; a cast to float32 and `.contiguous()` copy the scores once more. Often this
    is the peak of memory in the whole step. The loss can be taken of some tokens at a time, and of the projection and
    the loss in one, so that the whole matrix never exists.

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

    ## Stays silent
    Where the scores are returned or read by anything but the loss; where the file compiles, takes the loss in chunks
    or names a fused one; where rows are chosen before the projection; without gradients; where nothing says that the
    classes are words; in tests and benchmarks.

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
    severity = Severity.WARNING
    heat_matters = False
    triggers = Triggers(calls=frozenset({"cross_entropy", "CrossEntropyLoss"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find losses of scores over a vocabulary that nothing else reads."""
        if not (site.origin(site.call.func) or "").startswith("torch.nn.") or is_test_path(site.path):
            return
        if site.file.says(_SAVES_ALREADY):
            return
        builds = last_name(site.call.func) == "CrossEntropyLoss"
        for place in calls_of(site.file, site.place) if builds else [site.place]:
            assert isinstance(place.node, ast.Call)
            there = site.at(place.node, place.block)
            if there.gradients_off or there.heat.heat in (Heat.EVAL_STEP, Heat.WORKER):
                continue
            found = big_logits(site.file, place)
            if found is not None:
                yield self.finding(there, _message(site, found), confidence=0.75 if found.by_model else 0.8)


def _message(site: Site, found: BigLogits) -> str:
    target = site.file.config.target_torch
    fused = target is not None and target.has(_FIRST_FUSED)
    maker = "the model of" if found.by_model else "the projection in"
    cast = ", copied to float32," if found.upcast else ""
    instead = (
        "use `F.linear_cross_entropy` with options on what goes into the projection"
        if fused
        else "take projection and loss of some tokens at a time, or use a fused linear cross-entropy"
    )
    return (
        f"{maker} line {found.made.lineno} stores a score for each token and word{cast} for this loss alone; {instead}"
    )
