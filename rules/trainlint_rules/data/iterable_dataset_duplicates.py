"""TRN106."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.analysis.conditions.loop_heads import never_ends
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Class, Function
from trainlint.analysis.syntax.names import argument, constant, last_name, names_in, nodes_in, root_name
from trainlint.analysis.tables.loaders import TORCH_CLASSES
from trainlint.analysis.types.loaders import Loader
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers
from trainlint_rules.data.idioms.datasets import origins
from trainlint_rules.data.idioms.workers import Workers, workers

_BASES = frozenset({"torch.utils.data.IterableDataset", "torch.utils.data.dataset.IterableDataset"})
_SHARES = lazy(
    r"worker|rank|shard|world_?size|replica|split_(by|data)|islice|partition|queue|socket|subscribe", re.IGNORECASE
)
"""Words of a dataset that may give each worker its own part, or that reads from where no row comes twice."""
_DRAWS = lazy(r"^(rand|shuffle|permut|choice|sampler|multinomial|normal|uniform|default_rng)|rng|random")
"""Words of a dataset whose workers may each go their own way, by the seed that each of them has."""
_LIVE = lazy(r"(^|_)envs?($|_)|agent|replay|experience|generat|rollout|episode", re.IGNORECASE)
"""Words of a dataset that makes its rows while it runs."""
_BY_WORKERS = {Workers.SOME: 0.9, Workers.LIKELY: 0.75, Workers.OPTIONAL: 0.5}


class IterableDatasetDuplicates(Rule):
    """An IterableDataset that each worker of its loader goes through from beginning to end

    ## Why
    A map-style dataset is shared out by its indices. An iterable one is copied to each worker, and each copy yields
    everything it has, unless its `__iter__` asks `get_worker_info()` which part is its own. With 8 workers each row
    comes 8 times in an epoch, which is 8 times as long as meant, and evaluations count each row 8 times.

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

    ## Stays silent
    For datasets that speak of workers, ranks or shards anywhere in their class; that draw at random, or never end; for
    loaders with a `worker_init_fn`, which may share the data out; for datasets whose class the file does not show.
    Quietly, below the default confidence, where there are no workers unless the command line asks for them.

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
    heat_matters = False
    preview = True
    triggers = Triggers(calls=TORCH_CLASSES)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find loaders with several workers over iterable datasets that do not know of them."""
        file = site.file
        loader = file.loaders.built.get(site.call)
        dataset = argument(site.call, "dataset", 0)
        if loader is None or dataset is None or file.batches.prepared(loader) or _starts_workers_itself(file, loader):
            return
        confidence = _BY_WORKERS.get(workers(file, loader), 0.0)
        if not confidence or constant(file.loaders.option(loader, "num_workers").value) == 1:
            return
        for node, block in origins(file, dataset, loader.block):
            cls = file.graph.instance_class(node, block)
            if cls is not None and _repeats_itself(file, cls):
                yield self.finding(
                    site,
                    f"each worker of this loader yields the whole of `{cls.name}`, so that every row comes once for "
                    "each of them; share it out with `get_worker_info()`",
                    confidence=confidence,
                )
                return


def _starts_workers_itself(file: SemanticModel, loader: Loader) -> bool:
    return file.loaders.option(loader, "worker_init_fn").given


def _repeats_itself(file: SemanticModel, cls: Class) -> bool:
    """Whether a class is an iterable dataset, all in sight, that yields the same rows in each worker."""
    family = _family(file, cls)
    if family is None:
        return False
    iterate = file.graph.method(cls, "__iter__")
    if iterate is None or any(never_ends(node) for node in nodes_in(iterate.node)):
        return False
    words = {name for member in family for name in _words(member.node)}
    if any(pattern.search(word) for pattern in (_SHARES, _DRAWS, _LIVE) for word in words):
        return False
    return not _asks_what_it_was_given(file, iterate, cls)


def _asks_what_it_was_given(file: SemanticModel, iterate: Function, cls: Class) -> bool:
    """Whether the rows come from calling something that the dataset holds, of which the class shows nothing."""
    return any(
        isinstance(part, ast.Call)
        and isinstance(part.func, ast.Attribute)
        and root_name(part.func) == "self"
        and file.graph.method(cls, part.func.attr) is None
        for part in nodes_in(iterate.node)
    )


def _family(file: SemanticModel, cls: Class) -> list[Class] | None:
    """A class and its bases down to PyTorch's; None if it is no iterable dataset or has a base out of sight."""
    found: list[Class] = []
    current: Class | None = cls
    while current is not None and current not in found:
        found.append(current)
        if len(current.node.bases) != 1:
            return None
        base = current.node.bases[0]
        if file.outline.imported(base.value if isinstance(base, ast.Subscript) else base, current.outside) in _BASES:
            return found
        current = file.outline.classes.get(last_name(base))
    return None


def _words(node: ast.ClassDef) -> Iterator[str]:
    yield from names_in(node)
    for part in nodes_in(node):
        if isinstance(part, ast.arg | ast.keyword):
            yield part.arg or ""
