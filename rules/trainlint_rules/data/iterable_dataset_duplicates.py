"""TRN106."""

from __future__ import annotations

import ast
import re

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument
from trainlint.contract.declared_rule import Match
from trainlint.finding import Severity
from trainlint.patterns import lazy
from trainlint_rules.data import LoaderRule
from trainlint_rules.data.idioms.datasets import origins
from trainlint_rules.data.idioms.preparations import prepared
from trainlint_rules.data.idioms.workers import SURE_OF_WORKERS, has_one_worker, starts_workers_itself, workers

_BASES = (["torch.utils.data.IterableDataset"], ["torch.utils.data.dataset.IterableDataset"])
_DIFFERS = lazy(
    r"worker|rank|shard|world_?size|replica|split_(by|data)|itertools|partition|queue|socket|subscribe|"
    r"\b(rand|shuffle|permut|choice|sampler|multinomial)|(\b|_)envs?\b|agent|replay|rollout|episode|while True",
    re.IGNORECASE,
)
"""Words of datasets whose workers yield different rows, or rows without end."""


class IterableDatasetDuplicates(LoaderRule):
    """An IterableDataset that each worker of its loader goes through from beginning to end

    ## Why
    A map-style dataset is shared out by its indices. An iterable one is copied to each worker, and each copy yields
    everything it has, unless its `__iter__` asks `get_worker_info()` which part is its own. With 8 workers each row
    comes 8 times in an epoch, which is 8 times as long as meant, and evaluations count each row 8 times.
    Only datasets whose whole class is in the file are judged.

    ## Example
    ```python
    import json
    from torch.utils.data import DataLoader, IterableDataset


    class Lines(IterableDataset):
        def __init__(self, path):
            self.path = path

        def __iter__(self):
            with open(self.path) as lines:
                for line in lines:
                    yield json.loads(line)["text"]


    def make_loader(path):
        return DataLoader(Lines(path), batch_size=64, num_workers=8)
    ```

    ## Use instead
    ```python
    import json
    from itertools import islice
    from torch.utils.data import DataLoader, IterableDataset, get_worker_info


    class Lines(IterableDataset):
        def __init__(self, path):
            self.path = path

        def __iter__(self):
            info = get_worker_info()
            first, step = (info.id, info.num_workers) if info is not None else (0, 1)
            with open(self.path) as lines:
                for line in islice(lines, first, None, step):
                    yield json.loads(line)["text"]


    def make_loader(path):
        return DataLoader(Lines(path), batch_size=64, num_workers=8)
    ```

    With several training processes the rank counts too: worker `rank * workers + id` of `ranks * workers`. There is
    no fix, since only the author knows what the rows are.

    ## Gain
    As many times less work for an epoch as there are workers; and an evaluation that is right. An iterable dataset of
    8 rows yields 8, 8 and 16 of them with 0, 1 and 2 workers (PyTorch 2.13).

    ## Confirmed by
    Hashes of the first samples of each worker that are the same.

    ## References
    - `torch.utils.data.IterableDataset`, with the warning and two ways to share the data out:
      https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset
    """

    code = "TRN106"
    name = "iterable-dataset-duplicates"
    severity = Severity.ERROR
    preview = True
    in_tests = True
    unless = (starts_workers_itself, has_one_worker, prepared)
    message = "each DataLoader worker yields all rows of `{dataset}`: every row comes once per worker"
    help = "share the rows out in `__iter__` with `torch.utils.data.get_worker_info()`"

    def found(self, site: Site) -> Match | None:
        """A loader with workers over an iterable dataset that says nothing of shares, chance or an end."""
        sure = SURE_OF_WORKERS.get(workers(site.file, self.loader(site)))
        dataset = argument(site.call, "dataset", 0)
        if sure is None or dataset is None:
            return None
        for node, block in origins(site.file, dataset, site.block):
            cls = site.file.graph.instance_class(node, block)
            if cls is not None and [site.file.outline.imported(base, cls.outside) for base in cls.node.bases] in _BASES:
                differs = _DIFFERS.search(ast.unparse(cls.node))
                return None if differs else Match(site, sure, {"dataset": cls.name})
        return None
