"""TRNP101 loader-starvation."""

from trainlint.finding import Severity
from trainlint.rule import RuntimeRule


class LoaderStarvation(RuntimeRule):
    """The training waits for its batches

    ## Why
    Steps are only as fast as their batches come. Where loading a batch takes longer than the rest of a step, the
    GPU stands still for the difference in every step, however fast it is.

    Which change helps depends on what loading spends its time on: more workers where it is Python and decoding, a
    faster format or storage where it is reading, work moved to the GPU or done once beforehand where it is
    transforming.

    ## Example
    ```python
    from torch.utils.data import DataLoader


    def loader_for(images):
        return DataLoader(images, batch_size=64, shuffle=True)
    ```

    ## Use instead
    ```python
    from torch.utils.data import DataLoader


    def loader_for(images):
        return DataLoader(images, batch_size=64, shuffle=True, num_workers=8, persistent_workers=True)
    ```

    ## Confirmed by
    The time between the request for a batch and its arrival, by the CPU's clock: 5% of the mean step or more. A
    trace shows the same under `enumerate(DataLoader)#..._BaseDataLoaderIter.__next__`, and for how
    much of it the GPU had nothing to do.

    ## Gain
    At most the time that is waited. In two published traces of ResNet-50 on a V100, 69.4 of 174.6 ms a step were
    waited for batches; with four workers the step took 131.4 ms, so 43.3 ms of the 69.4 were gained.

    ## References
    - Data loading with one and with several processes:
      https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading
    - PyTorch performance tuning guide:
      https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    """

    code = "TRNP101"
    name = "loader-starvation"
    severity = Severity.WARNING
