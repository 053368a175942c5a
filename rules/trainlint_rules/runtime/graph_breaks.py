"""TRNP403 graph-breaks."""

from trainlint.finding import Severity
from trainlint.rule import RuntimeRule


class GraphBreaks(RuntimeRule):
    """A compiled function breaks into several graphs

    ## Why
    Where `torch.compile` meets what it cannot trace, it compiles what came before, runs the line in Python, and
    begins a new graph. Nothing is fused across the break, and each piece is entered from Python.

    ## Example
    ```python
    import torch


    @torch.compile
    def scaled(x):
        if x.sum().item() > 0:
            return x * 2
        return x
    ```

    ## Use instead
    ```python
    import torch


    @torch.compile
    def scaled(x):
        return torch.where(x.sum() > 0, x * 2, x)
    ```

    ## Confirmed by
    torch.compile's own record of breaks since the start (`torch._dynamo.utils.graph_break_reasons`), with your line
    and the reason.

    ## Gain
    What fusing across the line would bring, and the launches of the pieces. Not measured here.

    ## References
    - Working with graph breaks:
      https://docs.pytorch.org/docs/stable/user_guide/torch_compiler/compile/programming_model.graph_breaks_index.html
    """

    code = "TRNP403"
    name = "graph-breaks"
    severity = Severity.ADVICE
