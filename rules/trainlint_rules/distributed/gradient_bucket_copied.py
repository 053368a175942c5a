"""TRN530."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.programs.wraps import wrap
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant, has_unpacked_arguments
from trainlint.analysis.syntax.uses import call_of
from trainlint.analysis.tables.parallel import DDP_ORIGINS, Wrapper
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom

_OPTION = "gradient_as_bucket_view"
_PLACE = 10
_KEEPS_GRADIENTS = lazy(
    r"\.grad\s*=\s*(?!None)|\.grad\.data\s*=|grad\.detach_\(|register_comm_hook|set_to_none\s*=\s*False|"
    r"retain_graph\s*=\s*True|create_graph\s*=\s*True|\bapex\b|autograd\.grad\(|dist_autograd|distributed\.rpc"
)
"""Code that replaces gradients, detaches them in place or keeps them, which views of a bucket do not allow."""


class GradientBucketCopied(Rule):
    """DistributedDataParallel that keeps all gradients twice, in the parameters and in its buckets

    ## Why
    DistributedDataParallel reduces gradients in buckets. By default it copies each gradient into its bucket and the
    reduced one back, and keeps both: as much memory again as all gradients, 4 bytes a parameter in float32. With
    `gradient_as_bucket_view=True` the gradients are views of the buckets: kept once.

    ## Example
    ```python
    from torch.nn.parallel import DistributedDataParallel


    def train(network, criterion, optimizer, loader, local_rank):
        model = DistributedDataParallel(network.to(local_rank), device_ids=[local_rank])
        for inputs, targets in loader:
            inputs = inputs.to(local_rank, non_blocking=True)
            targets = targets.to(local_rank, non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    from torch.nn.parallel import DistributedDataParallel


    def train(network, criterion, optimizer, loader, local_rank):
        model = DistributedDataParallel(network.to(local_rank), device_ids=[local_rank], gradient_as_bucket_view=True)
        for inputs, targets in loader:
            inputs = inputs.to(local_rank, non_blocking=True)
            targets = targets.to(local_rank, non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Stays silent
    Where the option is given or options come from elsewhere; in files that put other tensors in place of gradients,
    detach or keep them, register a communication hook, or train with a graph of gradients; where a function of the
    project's own clears them; where the file takes no backward; in tests.

    ## Fix safety
    Gradients have the same values. Code elsewhere that calls `detach_()` on them fails, and code that keeps a reference
    to one sees it change in the next step.

    ## Confirmed by
    `trainlint probe` asks DistributedDataParallel, wrapped at this line, whether its buckets hold the gradients,
    and how large they are. Else device memory after the first step, higher by the size of all gradients than with
    the option.

    ## Gain
    Memory of all gradients: the peak of RoBERTa fell from 8250 to 7183 MB and its step from 0.98 to 0.91 s; that of a
    ResNet from 3089 to 2988 MB with no change in time, as measured in the pull request below. Nothing where the peak
    comes before the first gradient.

    ## References
    - `gradient_as_bucket_view`:
      https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html
    - The change, with its measurements: https://github.com/pytorch/pytorch/pull/41954
    """

    code = "TRN530"
    name = "gradient-bucket-copied"
    severity = Severity.ADVICE
    fix_safety = Safety.UNSAFE
    preview = True
    heat_matters = False
    confirmed_by = frozenset({Symptom.GRADIENTS_KEPT_TWICE})
    triggers = Triggers(references=DDP_ORIGINS)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find wraps without the option in files that train and leave gradients alone."""
        place = call_of(site.file, site.node)
        found = wrap(site.file, place) if place is not None else None
        if found is None or found.wrapper is not Wrapper.DDP or has_unpacked_arguments(found.call):
            return
        given = argument(found.call, _OPTION, _PLACE)
        if given is not None and constant(given) is not False:
            return
        if is_test_path(site.path) or site.file.says(_KEEPS_GRADIENTS) or not _clears_plainly(site):
            return
        yield self.finding(
            site,
            "each gradient is kept twice, by the parameter and in a bucket: 4 bytes a parameter in float32; give it "
            f"`{_OPTION}=True`",
            at=found.call,
            confidence=0.8,
            fix=partial(_fix, site, found.call),
        )


def _clears_plainly(site: Site) -> bool:
    """Whether the file takes a backward, and clears gradients by methods alone: a function might detach them."""
    clearing = [place.node for place in site.file.outline.calls.get("zero_grad", ())]
    methods = all(isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) for call in clearing)
    return bool(clearing) and methods and "backward" in site.file.outline.calls


def _fix(site: Site, call: ast.Call) -> Fix | None:
    from trainlint.fixing.rewrite import attempt, set_keyword

    return attempt(
        lambda: Fix("Keep gradients in the buckets", (set_keyword(site.source, call, _OPTION, "True"),), Safety.UNSAFE)
    )
