"""TRN002 unused-ignore."""

from trainlint.finding import Safety, Severity
from trainlint.rule import EngineRule


class UnusedIgnore(EngineRule):
    """An ignore comment that silences nothing

    ## Why
    The line was mended, or the rule became better, and the comment stayed. It would silence the next real finding on
    its statement without a word, and it tells readers of a cost that is no longer there.

    ## Example
    ```python
    import torch

    features = torch.rand(8)  # trainlint: ignore[TRN201] read at the end only
    targets = torch.rand(8)  # noqa: E501, TRN201
    ```

    ## Use instead
    ```python
    import torch

    features = torch.rand(8)
    targets = torch.rand(8)  # noqa: E501
    ```

    ## Stays silent
    - Codes of rules that did not run: deselected ones, and preview rules without `--preview`.
    - Comments without a code, and prefixes of codes such as `TRN2`, unless every rule that they silence ran.
    - A plain `# noqa`, and codes of other linters: those may need it.
    - Where TRN002 is itself named in the comment, as in `# trainlint: ignore[TRN302, TRN002]`.

    ## Confirmed by
    A run of trainlint without the comment: it finds the same.

    ## References
    - [Ruff: unused-noqa](https://docs.astral.sh/ruff/rules/unused-noqa/), the same for its own comments
    """

    code = "TRN002"
    name = "unused-ignore"
    editor_tag = "unnecessary"
    severity = Severity.ADVICE
    fix_safety = Safety.SAFE
