"""TRN103."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import partial

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import BlockKind
from trainlint.analysis.syntax.names import argument, constant, dotted, last_name, nodes_in
from trainlint.analysis.tables.loaders import TORCH_CLASSES
from trainlint.analysis.types.loaders import Loader
from trainlint.finding import Finding, Fix, Heat, Safety, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom
from trainlint_rules.data.idioms.loader_purposes import Feeds, feeds
from trainlint_rules.data.idioms.passes import Pass, Start, passes
from trainlint_rules.data.idioms.samplers import passes_without_end
from trainlint_rules.data.idioms.workers import Workers, workers

_BY_WORKERS = {Workers.SOME: 0.95, Workers.LIKELY: 0.9, Workers.OPTIONAL: 0.6}
_ELSEWHERE = 0.6
"""The file builds loaders for training, and another one goes through them: most likely once an epoch."""
_UNCLEAR = 0.65
"""A call whose name says nothing of a pass is given the loader."""
_GOES_THROUGH = lazy(r"train|eval|val|test|epoch|fit|run|infer|predict|engine", re.IGNORECASE)
_OFTEN = frozenset({Heat.EPOCH, Heat.RARE, Heat.STEP, Heat.INNER, Heat.EVAL_STEP})


class LoaderRestartsWorkers(Rule):
    """A DataLoader whose worker processes are stopped and started again for each pass

    ## Why
    Without `persistent_workers=True` the workers end with the pass. The next epoch starts new processes, which import
    and unpickle everything again where processes are spawned, open their files anew, and have no batch ready when the
    first step asks for one. An evaluation loader pays for each evaluation.

    ## Example
    ```python
    from torch.utils.data import DataLoader


    def train(model, criterion, optimizer, dataset, epochs):
        loader = DataLoader(dataset, 64, shuffle=True, num_workers=8, pin_memory=True)
        for epoch in range(epochs):
            for images, labels in loader:
                images = images.cuda(non_blocking=True)
                labels = labels.cuda(non_blocking=True)
                loss = criterion(model(images), labels)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
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
    ```

    Where the number of workers is a variable, the fix writes `persistent_workers=args.workers > 0`, because the
    option is refused without workers. The workers of all such loaders stay alive side by side, with their memory.

    ## Stays silent
    For loaders that are gone through once, that are rebuilt for each epoch, or whose one pass never ends; where the
    code changes the dataset between epochs, for persistent workers keep the copy that they were started with; for
    options that come from elsewhere. Quietly, below the default confidence, where another file goes through the
    loader, and where there are no workers unless the command line asks for them.

    ## Gain
    The time to the first batch of each further epoch. Measured with two workers and a small dataset on a 2-core CPU
    machine with PyTorch 2.13: 50-99 ms with forked and about 5 s with spawned workers, against 5-8 ms with persistent
    ones. In a project with four workers and a set of 100 structures an epoch fell from 1.10 s to 0.74 s
    (metatensor/metatrain#1271). It is nothing where an epoch takes hours, and most where epochs are short or
    evaluations frequent.

    ## Fix safety
    Epochs after the first come out in another order, and workers go on with the random streams that they have: the
    run is another one with the same statistics. A dataset that other code changes between epochs
    (`loader.dataset.epoch = epoch`) is not changed in persistent workers.

    ## Confirmed by
    `trainlint probe` times the start of the workers and the wait for their first batch, spread over the batches of an
    epoch; a loader that has no workers in this run, or keeps them, refutes the finding. A long
    `enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__` at the first step of each epoch, and worker
    processes whose ids change from epoch to epoch.

    ## References
    - `torch.utils.data.DataLoader`, `persistent_workers`:
      https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader
    - Why workers may be kept: https://github.com/pytorch/pytorch/issues/15849
    - What it gained a project: https://github.com/metatensor/metatrain/pull/1271
    """

    code = "TRN103"
    name = "loader-restarts-workers"
    severity = Severity.WARNING
    fix_safety = Safety.UNSAFE
    confirmed_by = frozenset({Symptom.WORKERS_STARTED})
    triggers = Triggers(calls=TORCH_CLASSES)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find loaders with workers, without the option, that are gone through again and again."""
        file = site.file
        loader = file.loaders.built.get(site.call)
        if loader is None:
            return
        kept = file.loaders.option(loader, "persistent_workers")
        if kept.given and constant(kept.value) is not False:
            return
        confidence = _BY_WORKERS.get(workers(file, loader), 0.0)
        if not confidence or passes_without_end(file, loader) or _dataset_changes(file, loader):
            return
        found = passes(file, loader)
        again = [item for item in found if item.again]
        if again:
            confidence = min(confidence, max(_sure(item) for item in again))
            when = _describe(again)
        elif not found and feeds(file, loader) is Feeds.TRAINING_ELSEWHERE:
            confidence = min(confidence, _ELSEWHERE)
            when = "for each epoch"
        else:
            return
        # How often the loader is built says nothing of how often it is gone through.
        yield self.finding(
            site.at(site.call, file.outline.module),
            f"the workers of this loader are started anew {when}; keep them with `persistent_workers=True`",
            confidence=min(confidence, 0.5) if kept.given else confidence,
            fix=partial(_fix, site, loader),
        )


def _sure(item: Pass) -> float:
    if item.start is Start.HANDED:
        assert isinstance(item.node, ast.Call)
        return 0.9 if _GOES_THROUGH.search(last_name(item.node.func)) else _UNCLEAR
    replaces = item.start is Start.ITERATOR and any(block.kind is BlockKind.EXCEPT for block in item.block.outwards())
    return 0.65 if replaces else 0.95  # the run may end before its first pass does


def _describe(again: list[Pass]) -> str:
    first = max(again, key=_sure)
    line = getattr(first.node, "lineno", 0)
    what = "is given the loader" if first.start is Start.HANDED else "goes through the loader"
    return f"each time that line {line} {what}"


def _dataset_changes(file: SemanticModel, loader: Loader) -> bool:
    """Whether code that runs again and again changes a dataset, or calls a method of it: workers must see that."""
    dataset = argument(loader.call, "dataset", 0)
    name = dotted(dataset) if dataset is not None else None

    def is_dataset(node: ast.expr) -> bool:
        return last_name(node) == "dataset" or (name is not None and dotted(node) == name)

    for place in file.outline.all_calls():
        assert isinstance(place.node, ast.Call)
        func = place.node.func
        if isinstance(func, ast.Attribute) and is_dataset(func.value) and file.heats.of(place.block).heat in _OFTEN:
            return True
    return any(
        isinstance(target, ast.Attribute) and is_dataset(target.value)
        for places in file.outline.stores.values()
        for place in places
        if isinstance(place.statement, ast.Assign) and file.heats.of(place.block).heat in _OFTEN
        for target in place.statement.targets
    )


def _fix(site: Site, loader: Loader) -> Fix | None:
    given = site.file.loaders.option(loader, "num_workers").value
    if given is None or all(part is not given for part in nodes_in(site.call)):
        return None  # a dict of options may be another one where there are no workers
    if workers(site.file, loader) is Workers.SOME:
        value = "True"
    elif isinstance(given, ast.Name | ast.Attribute):
        value = f"{ast.unparse(given)} > 0"
    else:
        return None
    from trainlint.fixing.rewrite import attempt, set_keyword

    return attempt(
        lambda: Fix(
            "Keep the workers between passes",
            (set_keyword(site.source, site.call, "persistent_workers", value),),
            Safety.UNSAFE,
        )
    )
