"""TRN506."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.effects.collectives import Collective, body_around, collective_of
from trainlint.analysis.programs.evaluation import model_run_by
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, last_name, names_in, nodes_in, root_name
from trainlint.analysis.tables.collectives import OVERLAPPING
from trainlint.analysis.tables.host_reads import TO_HOST
from trainlint.finding import Finding, Severity
from trainlint.rule import IN_STEP, Rule, Triggers
from trainlint.symptoms import Symptom


class CollectiveNotOverlapped(Rule):
    """A collective in each step that work which does not need its result could run beside

    ## Why
    A plain collective holds up the current stream: what follows starts when all ranks have sent and received. A forward
    or backward that does not need the result could run meanwhile. With `async_op=True` the collective runs on a stream
    of its own, and `wait()`, right before the result is needed, lets the current stream wait for it.

    ## Example
    ```python
    import torch.distributed as dist


    def train(model, critic, optimizer, loader):
        for batch in loader:
            statistics = batch.mean(dim=0)
            dist.all_reduce(statistics)
            output = model(batch)
            loss = critic(output, statistics)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch.distributed as dist


    def train(model, critic, optimizer, loader):
        for batch in loader:
            statistics = batch.mean(dim=0)
            work = dist.all_reduce(statistics, async_op=True)
            output = model(batch)
            work.wait()
            loss = critic(output, statistics)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Stays silent
    Where the next statements need the result or run no model; outside of steps; for collectives that are asynchronous
    already.

    ## Confirmed by
    `trainlint probe` times the collective at this line where the host waits for it, as with gloo: what work beside
    it could hide at most. Else a gap in the compute stream of a profile, as long as the collective.

    ## Gain
    At most the time of the collective in each step: little for a few numbers, much for large tensors between machines.
    Not measured here. Nothing with one process.

    ## References
    - Synchronous and asynchronous collectives:
      https://docs.pytorch.org/docs/stable/distributed.html#synchronous-and-asynchronous-collective-operations
    """

    code = "TRN506"
    name = "collective-not-overlapped"
    severity = Severity.ADVICE
    preview = True
    confirmed_by = frozenset({Symptom.COLLECTIVE})
    confirmed_in_part = True
    triggers = Triggers(calls=OVERLAPPING, heats=IN_STEP)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find plain collectives of a step that are followed by a model which does not use the result."""
        if not site.heat.heat.in_step or is_test_path(site.path):
            return
        found = collective_of(site.file, site.statement, site.block)
        if found is None or found.call is not site.call or found.returns_handle:
            return
        beside = _runs_beside(site, found)
        if beside is not None:
            yield self.finding(
                site,
                f"line {beside.lineno} runs a model that does not need the result of this `{found.name}`; start it "
                "with `async_op=True` and wait for it where the result is needed",
                confidence=0.75,
            )


def _results(found: Collective) -> set[str]:
    """The names that hold what a collective writes."""
    written = {root_name(item) for item in found.call.args[:2]}
    written |= {root_name(item.value) for item in found.call.keywords if item.arg not in ("op", "group", "src", "dst")}
    given = argument(found.call, "group")
    return written - {"", root_name(given) if given is not None else "", "dist", "torch"}


def _runs_beside(site: Site, found: Collective) -> ast.stmt | None:
    """The first statement after a collective that runs a model or a backward, before any that needs the result."""
    body = body_around(site.statement, site.block)
    if site.statement not in body:
        return None
    results = _results(found)
    for statement in body[body.index(site.statement) + 1 :]:
        if not isinstance(statement, ast.Assign | ast.Expr | ast.AugAssign) or not results.isdisjoint(
            names_in(statement)
        ):
            return None
        calls = [part for part in nodes_in(statement) if isinstance(part, ast.Call)]
        if any(last_name(call.func) in TO_HOST for call in calls):
            return None
        for place in (item for call in calls for item in site.file.outline.calls.get(last_name(call.func), ())):
            if place.statement is statement and (
                last_name(_func(place.node)) == "backward" or model_run_by(site.file, place) is not None
            ):
                return statement
    return None


def _func(node: ast.AST) -> ast.expr:
    assert isinstance(node, ast.Call)
    return node.func
