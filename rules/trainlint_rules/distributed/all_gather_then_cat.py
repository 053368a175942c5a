"""TRN501."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from trainlint.analysis.conditions.subjects import Subject, asks_about
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant, end_position, position, root_name
from trainlint.analysis.syntax.uses import assigned_target, mentions
from trainlint.analysis.tables.collectives import ALL_GATHER, ALL_GATHER_INTO_TENSOR, GATHERING_INTO_ONE
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom
from trainlint_rules.distributed.idioms.gathers import GatheredList, gathered_list
from trainlint_rules.distributed.idioms.one_number import is_one_number

if TYPE_CHECKING:
    import libcst as cst

_BETTER = (*sorted(GATHERING_INTO_ONE), "all_gather_tensor")
_RENAMED_IN = (2, 13)
_FIRST_WITH_ONE_TENSOR = (1, 13)
_ONE_NUMBER = 0.5
"""What is copied is a number for each rank: there is nothing to save but the line."""


class AllGatherThenCat(Rule):
    """`all_gather` into a list of equal tensors that are then concatenated

    ## Why
    NCCL gathers into one flat buffer. For a list of equal tensors PyTorch allocates that buffer, gathers, and copies
    it piece by piece into the list; `torch.cat` copies the pieces once more into a third place. Three times the
    memory and one kernel for each process, where `all_gather_into_tensor` (`all_gather_single` from PyTorch 2.13 on)
    writes the result where it is wanted.

    ## Example
    ```python
    import torch
    import torch.distributed as dist


    @torch.no_grad()
    def gather_everywhere(features):
        gathered = [torch.zeros_like(features) for _ in range(dist.get_world_size())]
        dist.all_gather(gathered, features)
        output = torch.cat(gathered, dim=0)
        return output
    ```

    ## Use instead
    ```python
    import torch
    import torch.distributed as dist


    @torch.no_grad()
    def gather_everywhere(features):
        output = features.new_empty((dist.get_world_size() * features.shape[0], *features.shape[1:]))
        dist.all_gather_into_tensor(output, features.detach().contiguous())
        return output
    ```

    `.detach()` changes nothing, since `all_gather` passes no gradient; the gloo backend asks for it. `.contiguous()`
    is needed: a tensor in another memory format would be sent as it lies, and arrive with its values permuted.

    Along another dimension than the first, the pieces of the one tensor are joined again: that saves less, so the
    rewrite is offered as an unsafe one, for a person to judge.

    Where the local tensor is put back into the list so that its gradient flows, gather the same way, and write it into
    its part of the result: `output[rank * n : (rank + 1) * n] = features`. There is no fix for this form.

    ## Stays silent
    Where the pieces are used one by one, differ in shape, or are views of one buffer already; where the template is
    another tensor than the gathered one; for asynchronous calls, for `torch.distributed.nn`, and in a branch for gloo;
    quietly, below the default confidence, for a tensor of a single number, where there is nothing to save.

    ## Confirmed by
    `trainlint probe` times the collective at this line where the host waits for it, as with gloo: the most that
    could be gained, but for the concatenation. Else `c10d::allgather_` followed by `aten::cat` of its outputs in a
    profile, and a peak of memory at this line.

    ## Gain
    By NCCL's source, peak memory of three times the gathered tensor falls to once, and a copy for each rank and one
    concatenation are saved. Over two processes on one machine with gloo, gathering 256 x 1024 numbers took 3.0 instead
    of 3.8 ms in a noisy run; with NCCL it was not measured. Nothing for tensors of a few numbers.

    ## References
    - `torch.distributed.all_gather_into_tensor`:
      https://docs.pytorch.org/docs/stable/distributed.html#torch.distributed.all_gather_into_tensor
    """

    code = "TRN501"
    name = "all-gather-then-cat"
    severity = Severity.WARNING
    fix_safety = Safety.SAFE
    confirmed_by = frozenset({Symptom.COLLECTIVE})
    confirmed_in_part = True
    triggers = Triggers(calls=frozenset({ALL_GATHER.name}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find lists that are gathered only to be joined."""
        if site.origin(site.call.func) not in ALL_GATHER.origins or _is_asynchronous(site) or _has_another_way(site):
            return
        gathered = gathered_list(site.file, site.place)
        if gathered is None:
            return
        joins = "stacks" if gathered.stacks else "concatenates"
        what = (
            f"`all_gather` copies what it received into the tensors of `{gathered.name}`, and line "
            f"{gathered.joining.statement.lineno} {joins} them into another one; gather into one tensor"
        )
        most = _ONE_NUMBER if is_one_number(site.file, gathered.tensor, site.block) else 1.0
        if gathered.spliced:
            what = f"{what}, and write the local one into its part, so that its gradient still flows"
            yield self.finding(site, what, confidence=min(0.8, most))
        else:
            single = _surely_renamed(site)
            yield self.finding(
                site,
                what,
                confidence=min(0.9, most),
                fix=partial(_fix, site, gathered, single=single),
                fix_needs=_RENAMED_IN if single else _FIRST_WITH_ONE_TENSOR,
            )


def _surely_renamed(site: Site) -> bool:
    """Whether all targeted versions have the new name, so that it can be taken."""
    target = site.file.config.target_torch
    return target is not None and target.has(_RENAMED_IN)


def _is_asynchronous(site: Site) -> bool:
    given = argument(site.call, "async_op", 3)
    return (given is not None and constant(given) is not False) or not isinstance(site.statement, ast.Expr)


def _has_another_way(site: Site) -> bool:
    """Whether this is the branch for a backend that lacks the better call, or the function makes that call too."""
    if asks_about(site.block, Subject.BACKEND):
        return True
    return any(other.function is site.function for other in site.calls(*_BETTER))


def _fix(site: Site, gathered: GatheredList, *, single: bool) -> Fix | None:
    if gathered.moved or not isinstance(site.call.func, ast.Attribute):
        return None
    if not single and _runs_on_gloo(site):
        return None
    from trainlint.fixing.rewrite import attempt

    name = ALL_GATHER_INTO_TENSOR.newest if single else ALL_GATHER_INTO_TENSOR.name
    return attempt(lambda: _rewritten(site, gathered, name))


def _runs_on_gloo(site: Site) -> bool:
    """Whether the file starts the backend that could not gather into one tensor in older versions."""
    calls = (other.call for other in site.calls("init_process_group"))
    return any("gloo" in str(constant(argument(call, "backend", 0))) for call in calls)


def _rewritten(site: Site, gathered: GatheredList, function: str) -> Fix:
    import libcst as cst

    from trainlint.fixing.rewrite import (
        Unfixable,
        expression,
        remove_statement,
        replace_expression,
        replace_simple_statement,
    )

    creation, joining = gathered.creation.node, gathered.joining
    if not isinstance(creation, ast.Assign) or len(creation.targets) != 1:
        raise Unfixable(f"line {gathered.creation.position[0]} of {site.path} gives the list more than one name")
    tensor, result = ast.unparse(gathered.tensor), _result_name(site, gathered)
    count = ast.unparse(gathered.count)
    if not isinstance(gathered.count, ast.Name | ast.Attribute | ast.Call | ast.Subscript | ast.Constant):
        count = f"({count})"
    if gathered.joins_first_dimension and not gathered.stacks:
        shape, sent = f"{count} * {tensor}.shape[0], *{tensor}.shape[1:]", f"{tensor}.detach().contiguous()"
    else:
        # What is sent has a first dimension of size one: gloo takes no other shape, and scalars need one anyhow.
        shape, sent = f"{count}, *{tensor}.shape", f"{tensor}.detach().contiguous().unsqueeze(0)"
    new = cst.parse_statement(f"{result or gathered.name} = {tensor}.new_empty(({shape}))")
    assert isinstance(new, cst.SimpleStatementLine)
    call = expression(site.source, site.call)
    assert isinstance(call, cst.Call)
    changed = _sends(call, function, result or gathered.name, sent)
    edits = [
        replace_simple_statement(site.source, creation, new.body[0]),
        replace_expression(site.source, site.call, changed),
    ]
    safety = Safety.SAFE
    assert isinstance(joining.node, ast.Call)
    if result is not None:
        line, column = end_position(joining.statement)
        if "#" in site.source.text[site.source.offset(line, column) :].partition("\n")[0]:
            raise Unfixable("the comment behind the joining would be lost")
        edits += remove_statement(site.source, joining.statement)
    elif gathered.joins_first_dimension:
        edits.append(replace_expression(site.source, joining.node, cst.Name(gathered.name)))
    else:
        safety = Safety.UNSAFE
        joined = argument(joining.node, "tensors", 0)
        assert joined is not None
        edits.append(replace_expression(site.source, joined, cst.parse_expression(f"{gathered.name}.unbind()")))
    return Fix("Gather into one tensor", tuple(sorted(edits)), safety)


def _sends(call: cst.Call, function: str, result: str, sent: str) -> cst.Call:
    """The call of `function` with the same further arguments."""
    import libcst as cst

    new = {"tensor_list": ("output_tensor", cst.Name(result)), "tensor": ("input_tensor", cst.parse_expression(sent))}
    args = []
    for given, by_position in zip(call.args, ("tensor_list", "tensor", "group", "async_op"), strict=False):
        name = given.keyword.value if given.keyword is not None else by_position
        if name in new:
            keyword, value = new[name]
            given = given.with_changes(value=value, keyword=cst.Name(keyword) if given.keyword else None)
        args.append(given)
    assert isinstance(call.func, cst.Attribute)
    return call.with_changes(func=call.func.with_changes(attr=cst.Name(function)), args=args)


def _result_name(site: Site, gathered: GatheredList) -> str | None:
    """The name that the joined tensor is given in a statement of its own, where nothing else uses it in between."""
    joining, creation = gathered.joining, gathered.creation
    statement = joining.statement
    target, start = assigned_target(statement, joining.node), creation.node
    if not isinstance(target, ast.Name) or not isinstance(start, ast.stmt) or joining.block is not creation.block:
        return None
    scope = joining.block.scope
    between = [
        node
        for node in mentions(scope.node, target.id)
        if node is not target and position(start) <= position(node) < position(statement)
    ]
    taken = target.id in scope.foreign or target.id == root_name(gathered.tensor)
    if taken or not gathered.joins_first_dimension or (between and target.id != gathered.name):
        return None
    return target.id
