"""TRN809."""

from __future__ import annotations

from trainlint.finding import Severity
from trainlint_rules.api import DeprecatedName


class PrivateCollate(DeprecatedName):
    """`default_collate` by its private path, `torch.utils.data._utils.collate`

    ## Why
    What begins with an underscore may move or change with any release, without a word. `default_collate` and
    `default_convert` are public as `torch.utils.data.default_collate` and `default_convert` since PyTorch 1.11, and
    they are the same objects.

    ## Example
    ```python
    from torch.utils.data import DataLoader
    from torch.utils.data._utils.collate import default_collate


    def collate(samples):
        return default_collate([sample for sample in samples if sample is not None])


    def loader_of(dataset):
        return DataLoader(dataset, batch_size=32, collate_fn=collate)
    ```

    ## Use instead
    ```python
    from torch.utils.data import DataLoader
    from torch.utils.data import default_collate


    def collate(samples):
        return default_collate([sample for sample in samples if sample is not None])


    def loader_of(dataset):
        return DataLoader(dataset, batch_size=32, collate_fn=collate)
    ```

    ## Confirmed by
    Cannot be measured: both names are the same function.

    ## Gain
    None in speed: a program that does not break when PyTorch rearranges its own house.

    ## References
    - `torch.utils.data.default_collate`:
      https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.default_collate
    - The pull request that made them public: https://github.com/pytorch/pytorch/pull/69862
    """

    code = "TRN809"
    name = "private-collate"
    preview = True
    severity = Severity.ADVICE
    aliases = ("TOR104", "TOR105")
