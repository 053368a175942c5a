"""TRN104."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.analysis.conditions.loop_heads import names_in_head
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, BlockKind
from trainlint.analysis.tables.loaders import TORCH_CLASSES
from trainlint.analysis.types.loaders import Loader
from trainlint.finding import Finding, Heat, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom
from trainlint_rules.data.idioms.unchanging import unchanging
from trainlint_rules.data.idioms.workers import Workers, workers

_BY_WORKERS = {Workers.SOME: 0.9, Workers.LIKELY: 0.85}
_AGAIN = frozenset({Heat.EPOCH, Heat.STEP, Heat.INNER, Heat.EVAL_STEP})
_COUNTS = lazy(r"epoch|(^|_)step|iter", re.IGNORECASE)
_OPTIONS = ("dataset", "sampler", "batch_sampler", "batch_size", "collate_fn", "num_workers")
"""What makes a loader another one in the next round."""


class LoaderBuiltInLoop(Rule):
    """A DataLoader with workers that is built anew in each epoch or step, from what stays the same

    ## Why
    A loader in the loop starts its workers in each round and ends them with it: they are forked or spawned, import and
    unpickle the dataset, open its files and fill their queues, and the loop waits for the first batch. Nothing that
    they have warmed up is left for the next round, and `persistent_workers` cannot help.

    ## Example
    ```python
    from torch.utils.data import DataLoader


    def train(model, criterion, optimizer, dataset, epochs):
        for epoch in range(epochs):
            loader = DataLoader(dataset, 64, shuffle=True, num_workers=8, pin_memory=True)
            for images, labels in loader:
                images = images.cuda(non_blocking=True)
                labels = labels.cuda(non_blocking=True)
                loss = criterion(model(images), labels)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


    train(*prepared())
    ```

    ## Use instead
    ```python
    from torch.utils.data import DataLoader


    def train(model, criterion, optimizer, dataset, epochs):
        loader = DataLoader(dataset, 64, shuffle=True, num_workers=8, pin_memory=True, persistent_workers=True)
        for epoch in range(epochs):
            for images, labels in loader:
                images = images.cuda(non_blocking=True)
                labels = labels.cuda(non_blocking=True)
                loss = criterion(model(images), labels)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


    train(*prepared())
    ```

    There is no fix: what the loop's rounds share must move out of it together.

    ## Stays silent
    Where the dataset, its sampler or the batch size depends on the round: folds, curricula, data that was collected or
    chosen in the loop; behind an interval; for loaders without workers, which cost nothing to build; where the file
    does not show that nothing changes.

    ## Gain
    As for workers that restart: measured with two workers and a small dataset on a 2-core CPU machine with PyTorch
    2.13, the first batch of a round takes 50-99 ms with new forked workers and about 5 s with spawned ones, against
    5-8 ms with persistent ones. It is nothing where a round takes hours.

    ## Confirmed by
    `trainlint probe` measures how long steps wait for this loader, the start of its workers included. Worker processes
    whose ids change from round to round, and a long `enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__` at
    the start of each.

    ## References
    - `torch.utils.data.DataLoader`: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader
    """

    code = "TRN104"
    name = "loader-built-in-loop"
    severity = Severity.WARNING
    preview = True
    confirmed_by = frozenset({Symptom.DATA_WAIT})
    triggers = Triggers(calls=TORCH_CLASSES, heats=_AGAIN)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find loaders with workers that a loop over epochs or steps builds again from the same things."""
        file = site.file
        loader = file.loaders.built.get(site.call)
        if loader is None or site.heat.heat not in _AGAIN or not _counts_rounds(file, site.block):
            return
        confidence = _BY_WORKERS.get(workers(file, loader), 0.0)
        if confidence and _stays_the_same(file, loader):
            yield self.finding(
                site,
                "this loader, and its workers with it, is built anew in each round of the loop although nothing about "
                "it changes; build it once, before the loop, with `persistent_workers=True`",
                confidence=confidence,
            )


def _stays_the_same(file: SemanticModel, loader: Loader) -> bool:
    given = [file.loaders.option(loader, name) for name in _OPTIONS]
    if any(option.given and option.value is None for option in given):
        return False
    return all(unchanging(file, option.value, loader.block) for option in given if option.value is not None)


def _counts_rounds(file: SemanticModel, block: Block, depth: int = 3) -> bool:
    """Whether the loop that repeats a block counts epochs or steps, rather than folds or models."""
    for outer in block.outwards():
        if isinstance(outer.node, ast.For | ast.While):
            return any(_COUNTS.search(word) for word in names_in_head(outer.node))
        if outer.kind is BlockKind.FUNCTION:
            break
    function = file.outline.enclosing(block)
    edges = file.graph.callers.get(function, []) if function is not None and depth else []
    return any(_counts_rounds(file, edge.place.block, depth - 1) for edge in edges if not edge.passed)
