"""TRN528."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from trainlint.analysis.effects.collectives import body_around, collective
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant, last_name
from trainlint.analysis.tables.collectives import COLLECTIVES
from trainlint.finding import Finding, Severity
from trainlint.rule import Rule, Triggers


class AsyncThenWait(Rule):
    """An asynchronous collective that is waited for at once, so that nothing overlaps with it

    ## Why
    `async_op=True` lets a collective run beside the computation that follows, until `wait()`. Where `wait()` follows at
    once, there is no such computation: the call does what the plain one does, on a stream of its own and with more to
    keep track of. Either there is work that could stand in between, or `async_op` can go.

    ## Example
    ```python
    import torch.distributed as dist


    def average(gradient):
        work = dist.all_reduce(gradient, async_op=True)
        work.wait()
        return gradient / dist.get_world_size()
    ```

    ## Use instead
    ```python
    import torch.distributed as dist


    def average(gradient):
        dist.all_reduce(gradient)
        return gradient / dist.get_world_size()
    ```

    ## Stays silent
    Where any statement stands between the call and its `wait()`; where the handle is used otherwise, kept, or returned;
    where a variable decides on `async_op`; beside a branch that makes the plain call, which chooses the stream; in
    tests and benchmarks.

    ## Confirmed by
    No kernel beside the collective's in a profile.

    ## Gain
    By itself next to nothing: plainer code. Work moved between the two hides up to the whole collective; not measured
    here. Since PyTorch 2.8 a plain collective runs on the current stream, without the waits between two streams.

    ## References
    - Synchronous and asynchronous collectives:
      https://docs.pytorch.org/docs/stable/distributed.html#synchronous-and-asynchronous-collective-operations
    - Plain collectives on the current stream: https://github.com/pytorch/pytorch/pull/150398
    """

    code = "TRN528"
    name = "async-then-wait"
    severity = Severity.ADVICE
    heat_matters = False
    preview = True
    triggers = Triggers(calls=COLLECTIVES)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find asynchronous collectives whose `wait` follows at once."""
        found = collective(site.file, site.call, site.block)
        if found is None or is_test_path(site.path) or constant(argument(site.call, "async_op")) is not True:
            return
        if _waits_at_once(site) and not _has_plain_twin(site):
            yield self.finding(
                site,
                f"`{found.name}` is started asynchronously and waited for at once, so that nothing overlaps; put work "
                "in between, or leave `async_op` out",
                confidence=0.85,
            )


def _has_plain_twin(site: Site) -> bool:
    """Whether the function makes the same call plainly, too: then it chooses the stream on purpose."""
    return any(
        other.function is site.function and other.call is not site.call and argument(other.call, "async_op") is None
        for other in site.calls(last_name(site.call.func))
    )


def _waits_at_once(site: Site) -> bool:
    statement = site.statement
    if isinstance(statement, ast.Expr):
        call = statement.value
        return _is_wait(call) and isinstance(call.func, ast.Attribute) and call.func.value is site.call
    if not isinstance(statement, ast.Assign) or statement.value is not site.call:
        return False
    target = statement.targets[0]
    body = body_around(statement, site.block)
    if not isinstance(target, ast.Name) or statement not in body[:-1]:
        return False
    following = body[body.index(statement) + 1]
    if not isinstance(following, ast.Expr):
        return False
    call = following.value
    return (
        _is_wait(call)
        and isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id == target.id
    )


def _is_wait(node: ast.expr) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "wait"
