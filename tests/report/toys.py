"""A small training script, findings in it, and the rules that they could come from."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Confidence, Edit, Failure, Finding, Fix, Heat, Report, Safety, Severity, Span
from trainlint.report import Settings, Style
from trainlint.rule import Rule, Triggers
from trainlint.source import SourceFile, source_from_text

TRAIN = """\
import torch


def train(model, train_loader, optimizer, device):
    total = 0.0
    for batch in train_loader:
        loss = model(batch.to(device))
        loss.backward()
        total += loss.item()
        optimizer.step()
    return total
"""

SOURCE = source_from_text("src/train.py", TRAIN)


class ItemInTrainingStep(Rule):
    """`.item()` on a device tensor in a training step

    Reading a number makes the host wait for the device.

    ## Why
    The host queues work ahead of the device. `.item()` waits until **all** of it is done, so the device
    then stands idle until the host has queued more:

    - it costs most where steps are short;
    - see [CUDA semantics](https://docs.pytorch.org/docs/stable/notes/cuda.html).

    ## Example
    ```python
    for batch in loader:
        total += model(batch).item()
    ```

    ## Use instead
    ```python
    for batch in loader:
        total += model(batch).detach()
    ```

    ## Fix safety
    The sum becomes a tensor.

    ## Confirmed by
    A synchronisation at this line in each profiled step.

    ## References
    - [torch.Tensor.item](https://docs.pytorch.org/docs/stable/)
    """

    code = "TRN201"
    name = "item-in-training-step"
    severity = Severity.WARNING
    triggers = Triggers(calls=frozenset({"item"}))
    fix_safety = Safety.UNSAFE
    aliases = ("TOR999",)

    def check(self, site: object) -> Iterator[Finding]:
        """Toys find nothing."""
        yield from ()


class BlockingBatchCopy(Rule):
    """A batch copied to the device without `non_blocking`

    ## Why
    The host waits for the copy.

    ## Example
    ```python
    batch = batch.to(device)
    ```

    ## Use instead
    ```python
    batch = batch.to(device, non_blocking=True)
    ```

    ## Confirmed by
    A blocking copy at this line.

    ## References
    - PyTorch's page on pinned memory.
    """

    code = "TRN205"
    name = "blocking-batch-copy"
    severity = Severity.ADVICE
    triggers = Triggers(calls=frozenset({"to"}))
    fix_safety = Safety.SAFE
    preview = True

    def check(self, site: object) -> Iterator[Finding]:
        """Toys find nothing."""
        yield from ()


class VisitorsRule(Rule):
    """A pattern of another pack

    ## Why
    It costs.

    ## Example
    ```python
    slow()
    ```

    ## Use instead
    ```python
    fast()
    ```

    ## Confirmed by
    Nothing.

    ## References
    - None.
    """

    code = "ACME001"
    name = "slow-call"
    severity = Severity.ERROR
    triggers = Triggers(calls=frozenset({"slow"}))

    def check(self, site: object) -> Iterator[Finding]:
        """Toys find nothing."""
        yield from ()


RULES: tuple[type[Rule], ...] = (ItemInTrainingStep, BlockingBatchCopy)


def span_of(words: str, source: SourceFile = SOURCE) -> Span:
    """The span of these words where they first stand."""
    start = source.text.index(words)
    return source.span(start, start + len(words))


def edit_of(words: str, text: str, source: SourceFile = SOURCE) -> Edit:
    """An edit that puts `text` in the place of these words."""
    start = source.text.index(words)
    return Edit(start, start + len(words), text)


ITEM = Finding(
    code="TRN201",
    name="item-in-training-step",
    path="src/train.py",
    span=span_of("loss.item()"),
    message="`.item()` makes the host wait for the device in each training step.",
    severity=Severity.WARNING,
    heat=Heat.STEP,
    chain=("line 6: loop over train_loader", "Trainer.step"),
    fix=Fix(
        "keep a detached sum and read it once",
        (
            edit_of("total = 0.0", "total = torch.zeros((), device=device)"),
            edit_of("loss.item()", "loss.detach()"),
            edit_of("return total", "return total.item()"),
        ),
        Safety.UNSAFE,
    ),
)

COPY = Finding(
    code="TRN205",
    name="blocking-batch-copy",
    path="src/train.py",
    span=span_of("batch.to(device)"),
    message="The host waits for this copy.",
    severity=Severity.ADVICE,
    heat=Heat.STEP,
    confidence=Confidence.LIKELY,
    fix=Fix("copy without waiting", (edit_of(".to(device)", ".to(device, non_blocking=True)"),), Safety.SAFE),
)

BROKEN = Failure("src/broken.py", "line 3 is no valid Python; mend it or exclude it")
CRASHED = Failure("src/train.py", "the rule TRN205 failed with IndexError; please report it", rule="TRN205")

REPORT = Report((COPY, ITEM), (), files=12)


def settings(width: int = 80, **changes: bool) -> Settings:
    """Settings for a terminal of this width, in the folder of a project."""
    return Settings(Style(width=width, **changes), directory="/projects/toy")


def sources(path: str) -> SourceFile | None:
    """The toy script, whatever else is asked for."""
    return SOURCE if path == SOURCE.path else None
