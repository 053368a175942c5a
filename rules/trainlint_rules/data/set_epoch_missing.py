"""TRN108."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from trainlint.analysis.programs.steps import LoopKind
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, How
from trainlint.analysis.syntax.names import argument, constant, last_name, nodes_in, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.analysis.tables.iterables import counts_rounds
from trainlint.analysis.tables.samplers import DISTRIBUTED, DISTRIBUTED_ORIGIN
from trainlint.analysis.types.loaders import Loader
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.rule import Rule, Triggers
from trainlint_rules.data.idioms.passes import Pass, Start, passes
from trainlint_rules.data.idioms.samplers import samplers_behind

_LEAVES_EPOCHS_TO_THE_LOOP = frozenset({"deepspeed"})
"""Frameworks that are given gradients and weights, not loaders that somebody else built."""


class SetEpochMissing(Rule):
    """A shuffling DistributedSampler that is never told the epoch, so that each epoch has the same order

    ## Why
    All ranks must shuffle alike, so `DistributedSampler` shuffles by its seed and the epoch that it was told, and by
    nothing else. Without `set_epoch` that is epoch 0 for good: every epoch brings the same rows in the same order, in
    the same batches, to the same ranks. A rank never sees the rows of another, and gradients repeat their noise.

    ## Example
    ```python
    from torch.utils.data import DataLoader, DistributedSampler


    def main(model, criterion, optimizer, dataset, epochs):
        sampler = DistributedSampler(dataset)
        loader = DataLoader(dataset, 64, sampler=sampler, num_workers=8, pin_memory=True, persistent_workers=True)
        for epoch in range(epochs):
            for images, labels in loader:
                loss = criterion(model(images.cuda(non_blocking=True)), labels.cuda(non_blocking=True))
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


    if __name__ == "__main__":
        main(*prepared())
    ```

    ## Use instead
    ```python
    from torch.utils.data import DataLoader, DistributedSampler


    def main(model, criterion, optimizer, dataset, epochs):
        sampler = DistributedSampler(dataset)
        loader = DataLoader(dataset, 64, sampler=sampler, num_workers=8, pin_memory=True, persistent_workers=True)
        for epoch in range(epochs):
            sampler.set_epoch(epoch)
            for images, labels in loader:
                loss = criterion(model(images.cuda(non_blocking=True)), labels.cuda(non_blocking=True))
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


    if __name__ == "__main__":
        main(*prepared())
    ```

    The call must come before the loop over the loader begins, in every process.

    ## Stays silent
    With `shuffle=False`; for samplers that only evaluate; in programs of one epoch; where `set_epoch` is called
    anywhere on the way into the training loop or out of it; where Accelerate, Lightning or another framework drives
    the loop or prepares the loader; and where the way into the loop is not in sight.

    ## Gain
    The shuffling that was meant. What it does to the result depends on the data and on the number of epochs, and is
    not measured here; in a run of a single epoch it is nothing.

    ## Fix safety
    From the second epoch on the data comes in another order, as it was meant to: training is another run.

    ## Confirmed by
    A hash of the sampler's indices that is the same in each epoch.

    ## References
    - `torch.utils.data.distributed.DistributedSampler`:
      https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.distributed.DistributedSampler
    - The same, observed by its users: https://github.com/pytorch/pytorch/issues/31771
    """

    code = "TRN108"
    name = "set-epoch-missing"
    severity = Severity.ERROR
    fix_safety = Safety.UNSAFE
    heat_matters = False
    triggers = Triggers(calls=frozenset(DISTRIBUTED))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find samplers whose loader trains for several epochs, with no `set_epoch` around the loop."""
        file = site.file
        if not DISTRIBUTED_ORIGIN.match(site.origin(site.call.func) or "") or _sets_epoch_by_hand(file):
            return
        shuffle = argument(site.call, "shuffle", 3)
        if shuffle is not None and constant(shuffle) is not True:
            return
        for loader in file.loaders.built.values():
            trained = _trained_alike(file, site.call, loader)
            if trained:
                line = getattr(trained[0].node, "lineno", 0)
                yield self.finding(
                    site,
                    f"this sampler is never told the epoch, so that line {line} trains on the same batches in the same "
                    "order in each one; call `set_epoch(epoch)` before each",
                    confidence=min(_sure(item) for item in trained),
                    fix=partial(_fix, site, loader, trained[0]),
                )
                return


def _trained_alike(file: SemanticModel, sampler: ast.Call, loader: Loader) -> list[Pass]:
    """The repeated passes that train on a loader of a sampler, where none of them tells the sampler the epoch."""
    if file.batches.prepared(loader) or all(made is not sampler for made, _ in samplers_behind(file, loader)):
        return []
    trained = [item for item in passes(file, loader) if item.again and _trains(file, item)]
    return trained if all(_is_alone(file, item.block) for item in trained) else []


def _sets_epoch_by_hand(file: SemanticModel) -> bool:
    """Whether the file does something with the epoch of a sampler that is no call of `set_epoch`."""
    return any(
        isinstance(part, ast.Attribute) and "sampler" in last_name(part.value).lower()
        for place in file.outline.stores.get("epoch", [])
        for part in nodes_in(place.statement)
    )


def _trains(file: SemanticModel, item: Pass) -> bool:
    """Whether the batches of a pass are trained on in this file: what others do with a loader is not in sight."""
    if item.start is Start.ITERATOR:
        return bool(item.around and file.loops.kind(item.around) is LoopKind.STEP)
    body = file.outline.loop_blocks.get(item.node)
    return body is not None and file.loops.kind(body) is LoopKind.STEP


def _is_alone(file: SemanticModel, block: Block) -> bool:
    """Whether all of the way into a loop is in sight, with nothing on it that tells samplers the epoch."""
    facts = [located.fact for located in file.used_around(block, beside=True)]
    kinds = {fact.kind for fact in facts}
    frameworks = {fact.detail for fact in facts if fact.kind is FactKind.FRAMEWORK}
    return FactKind.ENTERED in kinds and FactKind.SET_EPOCH not in kinds and not frameworks - _LEAVES_EPOCHS_TO_THE_LOOP


def _sure(item: Pass) -> float:
    return 0.95 if item.start is Start.LOOP else 0.65  # a run of so many steps may not finish its first epoch


def _fix(site: Site, loader: Loader, item: Pass) -> Fix | None:
    loop = item.around.node if item.around is not None else None
    if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name) or loop.target.id == "_":
        return None
    if not isinstance(loop.iter, ast.Call) or not counts_rounds(last_name(loop.iter.func)):
        return None
    assert item.around is not None
    told = _told(site, loader, item, item.around, loop)
    if told is None:
        return None
    first, text = loop.body[0], told.format(epoch=loop.target.id)
    from trainlint.fixing.rewrite import attempt, insert_before

    return attempt(lambda: Fix("Tell the sampler the epoch", (insert_before(site.source, first, text),), Safety.UNSAFE))


def _told(site: Site, loader: Loader, item: Pass, around: Block, loop: ast.For) -> str | None:
    """The statement that tells the sampler the epoch, by what the loop can see of it."""
    given = site.file.loaders.option(loader, "sampler").value
    if given is None:
        return None
    here = site.file.outline.enclosing(around) is site.file.outline.enclosing(loader.block)
    if here and isinstance(given, ast.Name):
        bound = reaching(given.id, around, position(loop.body[0]))
        if len(bound) == 1 and bound[0].value is site.call:
            return f"{given.id}.set_epoch({{epoch}})"
    iterated = _plain_loader(site.file, loader, item)
    if iterated is None:
        return None
    # Elsewhere, or on one process, the loader may have another sampler.
    return (
        f"if isinstance({iterated}.sampler, {ast.unparse(site.call.func)}):\n"
        f"    {iterated}.sampler.set_epoch({{epoch}})"
    )


def _plain_loader(file: SemanticModel, loader: Loader, item: Pass) -> str | None:
    """The plain name of a loader that a pass goes through or hands on, where it means that loader and no other."""
    head = item.node.iter if isinstance(item.node, ast.For) else item.node
    for part in nodes_in(head):
        if isinstance(part, ast.Name):
            bound = reaching(part.id, item.block, position(part))
            if len(bound) == 1 and bound[0].how is How.ASSIGN:
                if file.batches.loaders_behind(part, item.block) == {loader}:
                    return part.id
    return None
