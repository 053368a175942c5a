"""TRN003 unknown-code-in-ignore."""

from trainlint.finding import Severity
from trainlint.rule import EngineRule


class UnknownCodeInIgnore(EngineRule):
    """An ignore comment that names no rule

    ## Why
    A code with a slip of the pen silences nothing, or, one day, another rule than was meant. The message offers the
    nearest code or name.

    ## Example
    ```python
    import torch

    features = torch.rand(8)  # trainlint: ignore[TRN021]
    ```

    ## Use instead
    ```python
    import torch

    features = torch.rand(8)
    ```

    ## Stays silent
    - In a `# noqa`, on codes of other linters.
    - On `TOR401` and other codes that a rule declares as its old ones: they silence that rule.

    ## Confirmed by
    `trainlint rules`: it lists every code and name there is.

    ## References
    - [Flake8: `# noqa` with codes](https://flake8.pycqa.org/en/latest/user/violations.html)
    """

    code = "TRN003"
    name = "unknown-code-in-ignore"
    severity = Severity.WARNING
