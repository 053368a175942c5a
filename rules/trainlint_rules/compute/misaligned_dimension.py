"""TRN409."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant, last_name
from trainlint.analysis.syntax.reaching import single_value
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers

_HALF = lazy(r"autocast|bfloat16|float16|\.half\(|fp16|bf16|matmul_precision|allow_tf32")
_FIXED = lazy(r"from_pretrained|pretrained|load_state_dict|gpt-?2|checkpoint|torch\.compile|\.compile\(", re.IGNORECASE)
"""Where weights of others fix the size, and where the compiler pads by itself."""
_VOCABULARY = lazy(r"vocab|num_embeddings|n_?tokens", re.IGNORECASE)
_LARGE = 256
_LARGE_VOCABULARY = 1000
_UNIT = 8


class MisalignedDimension(Rule):
    """A large layer whose size is no multiple of 8, trained in 16 bits: tensor cores fill tiles in part

    ## Why
    Tensor cores multiply tiles. In 16 bits the fast kernels want sizes that are multiples of 8 (64 on an A100); for
    others cuBLAS takes slower kernels or pads. A vocabulary of 50257 rounded up to 50304 costs 47 rows that are never
    used and is faster as a whole.

    ## Example
    ```python
    import torch
    from torch import nn

    vocab_size = 50257


    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(vocab_size, 768)
            self.block = nn.TransformerEncoderLayer(768, 12)

        def forward(self, tokens):
            with torch.autocast("cuda", dtype=torch.bfloat16):
                return self.block(self.embedding(tokens)) @ self.embedding.weight.T
    ```

    ## Use instead
    ```python
    import torch
    from torch import nn

    vocab_size = 50304


    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(vocab_size, 768)
            self.block = nn.TransformerEncoderLayer(768, 12)

        def forward(self, tokens):
            with torch.autocast("cuda", dtype=torch.bfloat16):
                return self.block(self.embedding(tokens)) @ self.embedding.weight.T
    ```

    ## Stays silent
    For sizes that are not written down as a number in the file, and small ones; for numbers of classes; in float32;
    where weights are loaded, which fix the sizes, or `torch.compile` pads; in tests.

    ## Confirmed by
    A profile whose products carry no aligned kernel (`align1` or `align2` in their names).

    ## Gain
    NVIDIA's guide for matrix products shows what alignment does for each GPU; the author of nanoGPT names about 25 %
    for the vocabulary of a small GPT rounded up to a multiple of 64. Not measured here. Nothing where the layer is a
    small part of a step.

    ## References
    - Matrix multiplication, requirements of tensor cores:
      https://docs.nvidia.com/deeplearning/performance/dl-performance-matrix-multiplication/index.html
    - The vocabulary of nanoGPT: https://x.com/karpathy/status/1621578354024677377
    """

    code = "TRN409"
    name = "misaligned-dimension"
    severity = Severity.ADVICE
    heat_matters = False
    preview = True
    triggers = Triggers(calls=frozenset({"Linear", "Embedding"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find large layers with a number for a size that no tile fits."""
        origin = site.origin(site.call.func) or ""
        if not origin.startswith("torch.nn.") or is_test_path(site.path):
            return
        if not site.file.says(_HALF) or site.file.says(_FIXED):
            return
        for node, least in _sizes(site.call):
            size = _number(site, node)
            if size is not None and size >= least and size % _UNIT:
                yield self.finding(
                    site,
                    f"{size} is no multiple of {_UNIT}, so that tensor cores compute parts of tiles; round it up, to "
                    f"{-(-size // 64) * 64} for a multiple of 64",
                    at=node,
                    confidence=0.75,
                )
                return


def _sizes(call: ast.Call) -> Iterator[tuple[ast.expr, int]]:
    """The sizes that a product runs along, each with the number from which on it is large.

    The outputs of a linear layer count where they are called after a vocabulary: others may be classes.
    """
    if last_name(call.func) == "Embedding":
        rows, width = argument(call, "num_embeddings", 0), argument(call, "embedding_dim", 1)
    else:
        rows, width = argument(call, "out_features", 1), argument(call, "in_features", 0)
    if rows is not None and _VOCABULARY.search(ast.unparse(rows)):
        yield rows, _LARGE_VOCABULARY
    if width is not None:
        yield width, _LARGE


def _number(site: Site, node: ast.expr) -> int | None:
    value: ast.expr | None = single_value(node, site.block) if isinstance(node, ast.Name) else node
    number = constant(value)
    return number if isinstance(number, int) and not isinstance(number, bool) else None
