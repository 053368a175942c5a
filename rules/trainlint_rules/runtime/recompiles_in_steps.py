"""TRNP404 recompiles-in-steps."""

from trainlint.finding import Severity
from trainlint.rule import RuntimeRule


class RecompilesInSteps(RuntimeRule):
    """A compiled function is compiled again because what it assumed has changed

    ## Why
    `torch.compile` guards what it assumed: shapes, types, Python values. A call that breaks a guard compiles the
    function anew, for seconds. After eight times (`torch._dynamo.config.recompile_limit`) it runs uncompiled.

    A size or number that changes among the arguments is compiled once more, as one that may change. A number kept in a
    module, or a text, is compiled for each of its values.

    ## Example
    ```python
    import torch
    from torch import nn


    class Decay(nn.Module):
        def __init__(self):
            super().__init__()
            self.steps = 0

        def forward(self, features):
            self.steps += 1
            return features * 0.99**self.steps


    def decay_for(device):
        return torch.compile(Decay().to(device))
    ```

    ## Use instead
    ```python
    import torch
    from torch import nn


    class Decay(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("steps", torch.zeros(()))

        def forward(self, features):
            self.steps += 1
            return features * 0.99**self.steps


    def decay_for(device):
        return torch.compile(Decay().to(device))
    ```

    ## Confirmed by
    torch.compile's own record of compilations (`torch._dynamo.utils.get_compilation_metrics`): those with a reason to
    recompile, at the function's first line, where one of them falls into the steps that are measured, or where they
    have come to the limit.

    ## Gain
    The time of the compilations, which the record tells, and where the limit is reached, what compiled code gains. With
    PyTorch 2.13 twelve calls of the example compile it nine times and then no more, those of the cure once.

    ## References
    - torch.compile:
      https://docs.pytorch.org/docs/stable/generated/torch.compile.html
    - Recompilation:
      https://docs.pytorch.org/docs/stable/user_guide/torch_compiler/compile/programming_model.recompilation.html
    """

    code = "TRNP404"
    name = "recompiles-in-steps"
    severity = Severity.WARNING
