"""TRN104."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.contract.declared_rule import EACH_STEP, Match
from trainlint.finding import Confidence, Heat
from trainlint.symptoms import Symptom
from trainlint_rules.data import LoaderRule
from trainlint_rules.data.idioms.rounds import changes_between_rounds, repeated_otherwise
from trainlint_rules.data.idioms.workers import SURE_OF_WORKERS, workers


class LoaderBuiltInLoop(LoaderRule):
    """A DataLoader with workers that is built anew in each epoch or step, from what stays the same

    ## Why
    A loader in the loop starts its workers in each round and ends them with it: they are forked or spawned, import and
    unpickle the dataset, open its files and fill their queues, and the loop waits for the first batch. Nothing that
    they have warmed up is left for the next round, and `persistent_workers` cannot help.
    A loader without workers costs nothing to build.

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
    preview = True
    confirmed_by = frozenset({Symptom.DATA_WAIT})
    when = EACH_STEP | {Heat.EPOCH: Confidence.CERTAIN, Heat.EVAL_STEP: Confidence.CERTAIN}
    unless = (repeated_otherwise, changes_between_rounds)
    message = "the loop builds the same DataLoader again in every round and restarts its workers"
    help = "build it once, before the loop, with `persistent_workers=True`"

    def found(self, site: Site) -> Match | None:
        """A loader with workers."""
        sure = SURE_OF_WORKERS.get(workers(site.file, self.loader(site)))
        return Match(site, sure) if sure else None
