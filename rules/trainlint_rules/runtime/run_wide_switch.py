"""TRNP405 run-wide-switch."""

from trainlint.finding import Severity
from trainlint.rule import RuntimeRule


class RunWideSwitch(RuntimeRule):
    """A switch that slows each step is on while the training runs

    ## Why
    Anomaly detection stores a traceback for each operation of the forward pass, and looks for NaN after each operation
    of the backward pass. PyTorch's profiler records each operator. Both are made for a few steps in which a fault or a
    cost is looked for, and both slow all steps in which they are on.

    ## Example
    ```python
    import torch


    def train(model, batches, optimizer):
        torch.autograd.set_detect_anomaly(True)
        for batch in batches:
            loss = model(batch).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
    ```

    ## Use instead
    ```python
    import torch


    def train(model, batches, optimizer, *, debug=False):
        torch.autograd.set_detect_anomaly(debug)
        for batch in batches:
            loss = model(batch).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
    ```

    ## Confirmed by
    Anomaly detection is on when backward is called, or the profiler runs when a step ends. The line is the one that
    turned it on.

    ## Gain
    The time that PyTorch spends on recording: it grows with the number of operators, and is largest for models of many
    small ones.

    ## References
    - Anomaly detection:
      https://docs.pytorch.org/docs/stable/autograd.html#anomaly-detection
    - Disable debugging APIs:
      https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html#disable-debugging-apis
    """

    code = "TRNP405"
    name = "run-wide-switch"
    severity = Severity.WARNING
