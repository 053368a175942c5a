"""TRN531."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from trainlint.analysis.effects.collectives import collective
from trainlint.analysis.effects.parameter_loops import parameter_loop
from trainlint.analysis.programs.wraps import Wrap, wraps
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant, dotted, has_unpacked_arguments, nodes_in, position
from trainlint.analysis.tables.collectives import BROADCAST
from trainlint.analysis.tables.parallel import Wrapper
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.rule import Rule, Triggers

_IGNORES = "params_and_buffers_to_ignore"
"""The attribute, and the function that sets it, by which DistributedDataParallel leaves parameters alone."""


class BroadcastBeforeDdp(Rule):
    """Parameters broadcast one by one right before DistributedDataParallel broadcasts them itself

    ## Why
    DistributedDataParallel sends parameters and buffers of rank 0 to all others when it is built, in buckets of
    250 MB. A loop that does the same before it sends everything a second time, one parameter a message: some hundred
    collectives, each with its own start, where a handful would do.

    ## Example
    ```python
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel


    def replicate(model, local_rank):
        model = model.to(local_rank)
        for parameter in model.parameters():
            dist.broadcast(parameter.data, src=0)
        return DistributedDataParallel(model, device_ids=[local_rank])
    ```

    ## Use instead
    ```python
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel


    def replicate(model, local_rank):
        model = model.to(local_rank)
        return DistributedDataParallel(model, device_ids=[local_rank])
    ```

    ## Stays silent
    Where the broadcast comes from another rank than 0, over another group or asynchronously; where the loop does more;
    where the model is used between loop and wrap; for `init_sync=False` and parameters that DistributedDataParallel is
    told to ignore; for buffers where `broadcast_buffers` is given; where the two stand in different branches.

    ## Confirmed by
    As many `c10d::broadcast_` as the model has parameters, followed by those of DistributedDataParallel.

    ## Gain
    The time of the loop, once a run: not measured here. It is small beside a training; for tests and short jobs with
    many parameters it is not.

    ## References
    - Internal design of DistributedDataParallel: https://docs.pytorch.org/docs/stable/notes/ddp.html
    """

    code = "TRN531"
    name = "broadcast-before-ddp"
    severity = Severity.ADVICE
    fix_safety = Safety.SAFE
    preview = True
    heat_matters = False
    triggers = Triggers(calls=frozenset({BROADCAST.name}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find loops that send what the wrap right behind them sends again."""
        loop = parameter_loop(site.file.outline, site.block)
        if loop is None or not isinstance(loop.block.node, ast.For) or _IGNORES in site.source.text:
            return
        node, model = loop.block.node, _model(loop.iterated)
        if model is None or not _only_sends(node, site.statement) or not _sends_from_first(site, loop.names):
            return
        found = next((item for item in wraps(site.file) if _follows(site, item, node, model)), None)
        if found is None or (loop.of_states and argument(found.call, "broadcast_buffers", 4) is not None):
            return
        yield self.finding(
            site.at(node, loop.block.parent),
            f"DistributedDataParallel in line {found.call.lineno} sends all of `{model}` from rank 0 itself, in a few "
            "large messages; this loop does it before, parameter by parameter",
            confidence=0.9,
            fix=partial(_fix, site, node),
        )


def _model(iterated: ast.expr) -> str | None:
    """The model in `model.parameters()` and `model.state_dict().values()`."""
    while isinstance(iterated, ast.Call) and isinstance(iterated.func, ast.Attribute):
        if iterated.func.attr in ("parameters", "state_dict"):
            return dotted(iterated.func.value)
        iterated = iterated.func.value
    return None


def _only_sends(loop: ast.For, statement: ast.stmt) -> bool:
    """Whether the broadcast is all that a loop does, apart from switching gradients off."""
    body = loop.body
    while len(body) == 1 and isinstance(body[0], ast.With):
        body = body[0].body
    return body == [statement] and isinstance(statement, ast.Expr) and not loop.orelse


def _sends_from_first(site: Site, parameters: frozenset[str]) -> bool:
    """Whether the call sends one of the parameters itself from rank 0 to all others, and waits for it."""
    sent = collective(site.file, site.call, site.block)
    if sent is None or sent.group is not None or sent.returns_handle or has_unpacked_arguments(site.call):
        return False
    first = constant(argument(site.call, "src", 1)) == 0
    return first and sent.tensor is not None and _is_parameter(sent.tensor, parameters)


def _is_parameter(tensor: ast.expr, names: frozenset[str]) -> bool:
    """Whether what is sent is the loop's parameter itself: `p`, `p.data` or `p.detach()`."""
    if isinstance(tensor, ast.Call):
        tensor = tensor.func
    root, _, rest = (dotted(tensor) or "").partition(".")
    return root in names and rest in ("", "data", "detach")


def _follows(site: Site, found: Wrap, loop: ast.For, model: str) -> bool:
    """Whether a wrap of the model comes next in the same block, with nothing in between that looks at the model."""
    place, around = found.place, site.file.outline.block_of[loop]
    if place.block is not around or position(found.call) < position(loop) or not _sends_all(found, model):
        return False
    between = [
        statement
        for statement, block in site.file.outline.block_of.items()
        if block.within(around) and position(loop) < position(statement) < position(place.statement)
    ]
    inside = {part for part in nodes_in(loop) if isinstance(part, ast.stmt)}
    return not any(
        dotted(part) == model for statement in between if statement not in inside for part in nodes_in(statement)
    )


def _sends_all(found: Wrap, model: str) -> bool:
    """Whether a wrap is DDP's of a model, among all processes, and sends it from rank 0 as it does by default."""
    if found.wrapper is not Wrapper.DDP or dotted(found.module) != model or has_unpacked_arguments(found.call):
        return False
    return argument(found.call, "process_group", 6) is None and argument(found.call, "init_sync", 5) is None


def _fix(site: Site, loop: ast.For) -> Fix | None:
    from trainlint.fixing.rewrite import attempt, remove_statement

    return attempt(lambda: Fix("Leave it to DistributedDataParallel", remove_statement(site.source, loop), Safety.SAFE))
