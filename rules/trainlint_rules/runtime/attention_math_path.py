"""TRNP402 attention-math-path."""

from trainlint.finding import Severity
from trainlint.rule import RuntimeRule


class AttentionMathPath(RuntimeRule):
    """Attention is computed operator by operator

    ## Why
    `scaled_dot_product_attention` has kernels that never write the matrix of scores to memory. Where they are
    switched off, or where none of them takes the inputs (float64, 16 bits with heads whose size is no multiple of 8),
    it computes a product, a softmax and a product instead, whose memory grows with the square of the sequence.

    ## Example
    ```python
    import torch.nn.functional as F
    from torch.nn.attention import SDPBackend, sdpa_kernel


    def attend(query, key, value):
        with sdpa_kernel(SDPBackend.MATH):
            return F.scaled_dot_product_attention(query, key, value, is_causal=True)
    ```

    ## Use instead
    ```python
    import torch.nn.functional as F


    def attend(query, key, value):
        return F.scaled_dot_product_attention(query, key, value, is_causal=True)
    ```

    ## Confirmed by
    `aten::_scaled_dot_product_attention_math` in a trace, with kernels that take 1% of a step or more in the forward
    pass. Those of the backward pass come on top.

    ## Gain
    At most the time of these kernels, and the memory of the scores. Under `torch.nn.attention.sdpa_kernel` with one
    of the other backends, PyTorch warns why it does not take the inputs. Not measured here.

    ## References
    - scaled_dot_product_attention:
      https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html
    - FlashAttention (Dao et al., 2022):
      https://arxiv.org/abs/2205.14135
    """

    code = "TRNP402"
    name = "attention-math-path"
    severity = Severity.WARNING
