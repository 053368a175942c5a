"""TRN107."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.analysis.conditions.subjects import Subject, asks_about, is_about
from trainlint.analysis.programs.steps import LoopKind
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant, last_name, names_in, nodes_in
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.analysis.tables.loaders import TORCH_CLASSES
from trainlint.analysis.types.loaders import Loader
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers
from trainlint_rules.data.idioms.datasets import origins
from trainlint_rules.data.idioms.passes import Pass, Start, passes

_RANKS = (Subject.RANK, Subject.SHARES)
"""What code is about that gives each process its own part of the data."""
_MADE_UP = lazy(r"random|dummy|fake|synthetic|toy|mock|bench", re.IGNORECASE)
"""Functions whose data is drawn anew in each process, or means nothing."""
_SEEDS = ("manual_seed", "manual_seed_all", "seed", "seed_everything", "set_seed", "set_random_seed", "default_rng")
_LEAVES_LOADERS_ALONE = frozenset({"deepspeed"})
"""Frameworks that give a loader to each process only where they are asked to build it."""


class DistributedSamplerMissing(Rule):
    """A loader in DDP or FSDP training from which each process draws the whole dataset

    ## Why
    DDP and FSDP share out the work of a step, not the data: that is the sampler's part. Without one that knows the
    rank, each process goes through the whole dataset. Shuffled by the same seed, or not at all, all processes compute
    the same gradient, and eight devices do what one would; shuffled by different seeds, one epoch counts as eight.

    ## Example
    ```python
    import torch
    from torch.nn.parallel import DistributedDataParallel
    from torch.utils.data import DataLoader
    from torchvision.datasets import ImageFolder


    def main(model, criterion, optimizer, device):
        model = DistributedDataParallel(model.cuda(), device_ids=[device])
        images = ImageFolder("data/train")
        loader = DataLoader(images, 64, shuffle=True, num_workers=8, pin_memory=True)
        for inputs, targets in loader:
            loss = criterion(model(inputs.cuda(non_blocking=True)), targets.cuda(non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


    main(*prepared())
    ```

    ## Use instead
    ```python
    import torch
    from torch.nn.parallel import DistributedDataParallel
    from torch.utils.data import DataLoader, DistributedSampler
    from torchvision.datasets import ImageFolder


    def main(model, criterion, optimizer, device):
        model = DistributedDataParallel(model.cuda(), device_ids=[device])
        images = ImageFolder("data/train")
        loader = DataLoader(images, 64, sampler=DistributedSampler(images), num_workers=8, pin_memory=True)
        for inputs, targets in loader:
            loss = criterion(model(inputs.cuda(non_blocking=True)), targets.cuda(non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


    main(*prepared())
    ```

    `shuffle=True` and a sampler exclude each other: `DistributedSampler` shuffles by itself, and wants to be told the
    epoch. There is no fix, since the length of an epoch and of the learning rate's schedule change with it.

    ## Stays silent
    Where anything around the loop or the data speaks of ranks, shards or a sampler for them, or seeds each process
    differently; where Accelerate, Lightning, Transformers or another framework prepares the loader; for samplers of
    any kind, made-up data, and loops whose way into them is not in sight. Quietly, below the default confidence, where
    the dataset itself comes from elsewhere.

    ## Gain
    With the same seed in each process, as many times less work for an epoch as there are processes. Not measured
    here: it follows from what each process reads. It is nothing where each process reads files of its own.

    ## Confirmed by
    A hash of the first batch's indices that is the same on all ranks, and `len(loader)` that does not fall with the
    number of processes.

    ## References
    - `torch.utils.data.distributed.DistributedSampler`:
      https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.distributed.DistributedSampler
    - DDP tutorial, distributing input data:
      https://docs.pytorch.org/tutorials/beginner/ddp_series_multigpu.html#distributing-input-data
    """

    code = "TRN107"
    name = "distributed-sampler-missing"
    severity = Severity.WARNING
    heat_matters = False
    triggers = Triggers(calls=TORCH_CLASSES)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find loaders without a sampler that train a model which is wrapped for several processes."""
        file = site.file
        loader = file.loaders.built.get(site.call)
        dataset = argument(site.call, "dataset", 0)
        if loader is None or dataset is None or file.batches.prepared(loader) or _has_sampler(file, loader):
            return
        trained = [item for item in passes(file, loader) if _trains(file, item)]
        if not trained or not all(_is_shared_out(file, item) for item in trained):
            return
        made = [node for node, _ in origins(file, dataset, loader.block)]
        if _knows_ranks(file, loader, made):
            return
        in_sight = all(isinstance(node, ast.Call) for node in made)
        yield self.finding(
            site,
            f"each process draws the whole dataset from this loader, and line {getattr(trained[0].node, 'lineno', 0)} "
            "trains on it in all of them; give it a `DistributedSampler`",
            confidence=0.8 if in_sight else 0.6,
        )


def _has_sampler(file: SemanticModel, loader: Loader) -> bool:
    options = (file.loaders.option(loader, name) for name in ("sampler", "batch_sampler"))
    return any(option.given and constant(option.value) is not None for option in options)


def _trains(file: SemanticModel, item: Pass) -> bool:
    body = file.outline.loop_blocks.get(item.node)
    return item.start is Start.LOOP and body is not None and file.loops.kind(body) is LoopKind.STEP


def _is_shared_out(file: SemanticModel, item: Pass) -> bool:
    """Whether several processes train in a loop, all of the way into it is in sight, and nothing shares the data."""
    facts = [located.fact for located in file.used_around(item.block, beside=True)]
    kinds = {fact.kind for fact in facts}
    frameworks = {fact.detail for fact in facts if fact.kind is FactKind.FRAMEWORK}
    return (
        bool(kinds & {FactKind.DDP, FactKind.FSDP})
        and FactKind.ENTERED in kinds
        and FactKind.DISTRIBUTED_SAMPLER not in kinds
        and not frameworks - _LEAVES_LOADERS_ALONE
    )


def _knows_ranks(file: SemanticModel, loader: Loader, made: list[ast.expr]) -> bool:
    """Whether the code that makes a dataset or its loader speaks of ranks, or draws the data in each process."""
    names = [name for node in made for name in names_in(node)]
    if any(is_about(name, *_RANKS) for name in names) or asks_about(loader.block, *_RANKS):
        return True
    function = file.outline.enclosing(loader.block)
    if any(_shares_out(node) for node in nodes_in(function.node if function is not None else file.tree)):
        return True
    makers = {last_name(node.func) for node in made if isinstance(node, ast.Call)}
    if any(_MADE_UP.search(name) for name in (*makers, function.name if function is not None else "")):
        return True
    return any(is_about(name, Subject.RANK) for name in _names_in_seeds(file))


def _shares_out(node: ast.AST) -> bool:
    """Whether a node speaks of shares of the data, or takes an item by the rank."""
    if isinstance(node, ast.Name | ast.Attribute):
        return is_about(last_name(node), Subject.SHARES)
    return isinstance(node, ast.Subscript) and any(is_about(name, Subject.RANK) for name in names_in(node.slice))


def _names_in_seeds(file: SemanticModel) -> Iterator[str]:
    """The names in what the file seeds random numbers with."""
    for word in _SEEDS:
        for place in file.outline.calls.get(word, []):
            if isinstance(place.node, ast.Call):
                yield from (name for item in place.node.args for name in names_in(item))
