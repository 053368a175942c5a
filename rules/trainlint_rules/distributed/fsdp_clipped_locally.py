"""TRN525."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from trainlint.analysis.programs.wraps import Wrap, wrap_of
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, has_unpacked_arguments, names_in
from trainlint.analysis.syntax.reaching import single_value
from trainlint.analysis.tables.clipping import CLIP_GRAD_NORM
from trainlint.analysis.tables.parallel import Wrapper
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.rule import Rule, Triggers

_KEYWORDS = frozenset({"parameters", "max_norm", "norm_type"})
"""What the method of FullyShardedDataParallel takes too, but for the parameters."""
_TAKEN = 3
"""So many of them by position."""


class FsdpClippedLocally(Rule):
    """Gradients of a FullyShardedDataParallel model clipped by the norm of the local piece

    ## Why
    Each process holds a piece of the gradients, and `torch.nn.utils.clip_grad_norm_` knows nothing of the others: it
    takes the norm of the piece for that of the whole. The norm is too small, so clipping comes too late and too weak,
    and each process scales its piece by another factor: the update points in another direction than the gradient. The
    model's own method sums the norms over all processes first.

    ## Example
    ```python
    import torch
    from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


    def train(model, policy, criterion, loader):
        model = FSDP(model, auto_wrap_policy=policy)
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
        for inputs, targets in loader:
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch
    from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


    def train(model, policy, criterion, loader):
        model = FSDP(model, auto_wrap_policy=policy)
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
        for inputs, targets in loader:
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            model.clip_grad_norm_(1.0)
            optimizer.step()
    ```

    ## Stays silent
    For `fully_shard`, whose DTensors know of all pieces; for `ShardingStrategy.NO_SHARD`; where the model is not surely
    wrapped, as in a function that others call, or where only one branch wraps it; for `clip_grad_value_`, which looks
    at each number by itself.

    ## Fix safety
    Gradients are clipped by their true norm, so runs go another way than before: that is the point of it.

    ## Confirmed by
    `clip_grad_norm_` returns another norm on each rank, smaller than that of the same model on one device.

    ## Gain
    Training that clips as configured, and the same for any number of devices. For two linear
    layers in two processes, on the CPU with PyTorch 2.13, the local norms were 52.9 and 48.2, and that of the whole
    71.5. No time is gained.

    ## References
    - `FullyShardedDataParallel.clip_grad_norm_`:
      https://docs.pytorch.org/docs/stable/fsdp.html#torch.distributed.fsdp.FullyShardedDataParallel.clip_grad_norm_
    """

    code = "TRN525"
    name = "fsdp-clipped-locally"
    severity = Severity.ERROR
    fix_safety = Safety.UNSAFE
    preview = True
    heat_matters = False
    triggers = Triggers(calls=frozenset({CLIP_GRAD_NORM.name}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find the clipping function of plain modules on the parameters of a model that is surely sharded by FSDP."""
        if site.origin(site.call.func) not in CLIP_GRAD_NORM.origins:
            return
        parameters = argument(site.call, "parameters", 0)
        if isinstance(parameters, ast.Name):
            parameters = single_value(parameters, site.block)
        model = _owner(parameters)
        found = wrap_of(site.file, model, site.block) if model is not None else None
        if model is None or found is None or found.wrapper is not Wrapper.FSDP1 or _is_whole(found):
            return
        name = ast.unparse(model)
        yield self.finding(
            site,
            f"`{name}` is sharded by FullyShardedDataParallel, and this clips by the norm of the local piece, another "
            f"one on each rank; call `{name}.clip_grad_norm_(...)`",
            confidence=0.9,
            fix=partial(_fix, site, model),
        )


def _owner(parameters: ast.expr | None) -> ast.expr | None:
    """The model in `model.parameters()`."""
    if isinstance(parameters, ast.Call) and isinstance(parameters.func, ast.Attribute) and not parameters.args:
        return parameters.func.value if parameters.func.attr == "parameters" else None
    return None


def _is_whole(found: Wrap) -> bool:
    """Whether each rank may keep all of the model all the same."""
    strategy = argument(found.call, "sharding_strategy", 2)
    return has_unpacked_arguments(found.call) or (strategy is not None and not _shards(strategy))


def _shards(strategy: ast.expr) -> bool:
    return any(name in ("FULL_SHARD", "SHARD_GRAD_OP", "HYBRID_SHARD") for name in names_in(strategy))


def _fix(site: Site, model: ast.expr) -> Fix | None:
    call = site.call
    named = {keyword.arg for keyword in call.keywords}
    if has_unpacked_arguments(call) or len(call.args) > _TAKEN or not named <= _KEYWORDS:
        return None
    import libcst as cst

    from trainlint.fixing.rewrite import attempt, expression, replace_expression

    def make() -> Fix:
        old = expression(site.source, call)
        assert isinstance(old, cst.Call)
        method = cst.parse_expression(f"{ast.unparse(model)}.clip_grad_norm_")
        args = [item for item in old.args if item.keyword is None or item.keyword.value != "parameters"]
        new = old.with_changes(func=method, args=args[1:] if len(args) == len(old.args) else args)
        return Fix("Clip by the norm of the whole", (replace_expression(site.source, call, new),), Safety.UNSAFE)

    return attempt(make)
