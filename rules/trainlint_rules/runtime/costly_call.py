"""TRNP306 costly-call."""

from trainlint.finding import Severity
from trainlint.rule import RuntimeRule


class CostlyCall(RuntimeRule):
    """A call that is seldom needed in each step takes a noticeable part of the steps

    ## Why
    `gc.collect()` looks at every Python object, `copy.deepcopy` of a model copies all its memory, a checkpoint is
    written to the disk while the training waits. Few trainings need any of them in each step.

    ## Example
    ```python
    import gc


    def train(model, batches, optimizer):
        for batch in batches:
            loss = model(batch).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            gc.collect()
    ```

    ## Use instead
    ```python
    def train(model, batches, optimizer):
        for batch in batches:
            loss = model(batch).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
    ```

    ## Confirmed by
    A run in which calls of one line take 1% of the steps' time or more: `gc.collect`, `copy.deepcopy`, or a
    save of a checkpoint. Where a finding in the code says the same of the line, the two are shown as one.

    ## Gain
    At most the time of the calls. What of it is needed, such as a checkpoint every thousand steps, stays.

    ## References
    - gc.collect:
      https://docs.python.org/3/library/gc.html#gc.collect
    """

    code = "TRNP306"
    name = "costly-call"
    severity = Severity.WARNING
