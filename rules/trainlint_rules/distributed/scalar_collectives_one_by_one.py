"""TRN503."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.effects.accumulation import loop_around
from trainlint.analysis.effects.collectives import (
    SCALAR_NAME,
    Collective,
    body_around,
    collective_of,
    same_operation,
)
from trainlint.analysis.effects.parameter_loops import parameter_loop
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import has_name_in, last_name, nodes_in
from trainlint.analysis.syntax.reaching import single_value
from trainlint.analysis.tables.collectives import REDUCTIONS
from trainlint.finding import Finding, Severity
from trainlint.rule import IN_STEP, Rule, Triggers
from trainlint.symptoms import Symptom
from trainlint_rules.distributed.idioms.one_number import REDUCING


class ScalarCollectivesOneByOne(Rule):
    """Several numbers that are reduced in each step, one collective for each

    ## Why
    A reduction of one number costs what a reduction of a thousand does: a launch on every rank, and the wait for the
    slowest of them. Two in a row cost twice that. Stacked into one tensor they travel together.

    ## Example
    ```python
    import torch.distributed as dist


    def train(model, optimizer, loader):
        for batch in loader:
            loss, num_tokens = model(batch)
            optimizer.zero_grad()
            loss.backward()
            running_loss = loss.detach()
            dist.all_reduce(num_tokens)
            dist.all_reduce(running_loss)
            scale_gradients(model, num_tokens)
            optimizer.step()
            record(running_loss / num_tokens)
    ```

    ## Use instead
    ```python
    import torch
    import torch.distributed as dist


    def train(model, optimizer, loader):
        for batch in loader:
            loss, num_tokens = model(batch)
            optimizer.zero_grad()
            loss.backward()
            totals = torch.stack([num_tokens.float(), loss.detach()])
            dist.all_reduce(totals)
            num_tokens, running_loss = totals.unbind()
            scale_gradients(model, num_tokens)
            optimizer.step()
            record(running_loss / num_tokens)
    ```

    Values of different types must be brought to one: float32 counts exactly up to 16 million, float64 to 9 quadrillion.

    ## Stays silent
    For reductions with different operations or groups; for tensors that may be large; for reductions that hand back
    work to wait for; behind an interval, and once an epoch.

    ## Confirmed by
    `trainlint probe` times the collective at this line where the host waits for it, as with gloo. What the rank
    that comes last spends there is surely gained, the wait of the others at most. Else several `c10d::allreduce_`
    of a few bytes one after the other in each step of a profile.

    ## Gain
    One round of latency for each reduction saved: tens of microseconds on one machine, more across machines, and each
    waits for the slowest rank. Ten numbers took 1.75 ms stacked and 2.1 ms one by one (gloo, one machine). Nothing
    with one process.

    ## References
    - Collective functions: https://docs.pytorch.org/docs/stable/distributed.html#collective-functions
    """

    code = "TRN503"
    name = "scalar-collectives-one-by-one"
    preview = True
    severity = Severity.WARNING
    confirmed_by = frozenset({Symptom.COLLECTIVE})
    triggers = Triggers(calls=REDUCTIONS, heats=IN_STEP)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find the second of two like reductions of numbers, and reductions in a loop over numbers."""
        if not site.heat.heat.in_step or is_test_path(site.path):
            return
        found = collective_of(site.file, site.statement, site.block)
        if found is None or found.call is not site.call or found.returns_handle or not _is_number(site, found):
            return
        before = _before(site, found)
        if before is not None:
            yield self.finding(
                site,
                f"`{found.name}` of another number right after that of line {before.call.lineno}, at the same cost; "
                "stack both and reduce once",
                confidence=0.85,
            )
        elif _in_loop_over_numbers(site, found):
            yield self.finding(
                site,
                f"one `{found.name}` for each number of a collection in every step; stack them and reduce once",
                confidence=0.85,
            )


def _is_number(site: Site, found: Collective) -> bool:
    """Whether what is reduced is one number, or a few: by its name, or by what it was computed with."""
    tensor = found.tensor
    if tensor is None:
        return False
    value = single_value(tensor, site.block)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in REDUCING:
        return not value.args and not value.keywords
    return bool(SCALAR_NAME.search(last_name(tensor))) or _in_loop_over_numbers(site, found)


def _before(site: Site, found: Collective) -> Collective | None:
    """The like reduction of a number in the statement before, if that is the first of its row."""
    body = body_around(site.statement, site.block)
    index = body.index(site.statement) if site.statement in body else 0
    alike: list[Collective] = []
    for statement in reversed(body[max(0, index - 2) : index]):
        other = collective_of(site.file, statement, site.block)
        if other is None or not same_operation(found, other) or not _is_number(site, other) or other.returns_handle:
            break
        alike.append(other)
    return alike[0] if len(alike) == 1 else None


def _in_loop_over_numbers(site: Site, found: Collective) -> bool:
    """Whether the loop around runs over a collection of metrics and reduces each."""
    loop = loop_around(site.block)
    if loop is None or not isinstance(loop.node, ast.For) or parameter_loop(site.file.outline, site.block) is not None:
        return False
    targets = {part.id for part in nodes_in(loop.node.target) if isinstance(part, ast.Name)}
    assert found.tensor is not None
    if not has_name_in(found.tensor, targets):
        return False
    words = [part.attr if isinstance(part, ast.Attribute) else part.id for part in _named(loop.node.iter)]
    return any(SCALAR_NAME.search(word) for word in words)


def _named(node: ast.expr) -> Iterator[ast.Name | ast.Attribute]:
    for part in nodes_in(node):
        if isinstance(part, ast.Name | ast.Attribute):
            yield part
