"""The edits that turn an `all_gather` into a list, and the joining of that list, into a gathering into one tensor."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant, end_position, position, root_name
from trainlint.analysis.syntax.uses import assigned_target, mentions
from trainlint.analysis.tables.collectives import ALL_GATHER_INTO_TENSOR
from trainlint.finding import Edit
from trainlint_rules.distributed.idioms.gathers import GatheredList

if TYPE_CHECKING:
    import libcst as cst


_RENAMED_IN = (2, 13)
_FIRST_WITH_ONE_TENSOR = (1, 13)


def newest_function(site: Site) -> tuple[str, tuple[int, int]]:
    """The newest name of the function that all targeted versions surely have, and the first version that has it."""
    if site.has(_RENAMED_IN):
        return ALL_GATHER_INTO_TENSOR.newest, _RENAMED_IN
    return ALL_GATHER_INTO_TENSOR.name, _FIRST_WITH_ONE_TENSOR


def into_one_tensor(site: Site, gathered: GatheredList, function: str) -> Iterator[Edit]:
    """The edits. Raises Unfixable where a copy of the tensor is sent, and where gloo may lack the function."""
    import libcst as cst

    from trainlint.fixing.rewrite import Unfixable, expression, replace_expression, replace_simple_statement

    creation = gathered.creation.node
    if gathered.moved or not isinstance(site.call.func, ast.Attribute):
        raise Unfixable(f"line {site.call.lineno} of {site.path} gathers another tensor, or by another name")
    if function == ALL_GATHER_INTO_TENSOR.name and _runs_on_gloo(site):
        raise Unfixable(f"gloo, which {site.path} starts, could not gather into one tensor in older versions")
    if not isinstance(creation, ast.Assign) or len(creation.targets) != 1:
        raise Unfixable(f"line {gathered.creation.position[0]} of {site.path} gives the list more than one name")
    result = _result_name(gathered)
    shape, sent = _shape_and_sent(gathered)
    new = cst.parse_statement(f"{result or gathered.name} = {ast.unparse(gathered.tensor)}.new_empty(({shape}))")
    assert isinstance(new, cst.SimpleStatementLine)
    call = expression(site.source, site.call)
    assert isinstance(call, cst.Call)
    yield replace_simple_statement(site.source, creation, new.body[0])
    yield replace_expression(site.source, site.call, _sends(call, function, result or gathered.name, sent))
    yield from _without_joining(site, gathered, result)


def _runs_on_gloo(site: Site) -> bool:
    """Whether the file starts the backend that could not gather into one tensor in older versions."""
    calls = (other.call for other in site.calls("init_process_group"))
    return any("gloo" in str(constant(argument(call, "backend", 0))) for call in calls)


def _shape_and_sent(gathered: GatheredList) -> tuple[str, str]:
    """The shape of the one tensor, and what each rank sends."""
    tensor, count = ast.unparse(gathered.tensor), ast.unparse(gathered.count)
    if not isinstance(gathered.count, ast.Name | ast.Attribute | ast.Call | ast.Subscript | ast.Constant):
        count = f"({count})"
    if gathered.joins_first_dimension and not gathered.stacks:
        return f"{count} * {tensor}.shape[0], *{tensor}.shape[1:]", f"{tensor}.detach().contiguous()"
    # What is sent has a first dimension of size one: gloo takes no other shape, and scalars need one anyhow.
    return f"{count}, *{tensor}.shape", f"{tensor}.detach().contiguous().unsqueeze(0)"


def _without_joining(site: Site, gathered: GatheredList, result: str | None) -> Iterator[Edit]:
    """No joining any more, or along another dimension than the first that of the pieces of the one tensor."""
    import libcst as cst

    from trainlint.fixing.rewrite import Unfixable, remove_statement, replace_expression

    joining = gathered.joining
    assert isinstance(joining.node, ast.Call)
    if result is not None:
        line, column = end_position(joining.statement)
        if "#" in site.source.text[site.source.offset(line, column) :].partition("\n")[0]:
            raise Unfixable("the comment behind the joining would be lost")
        yield from remove_statement(site.source, joining.statement)
    elif gathered.joins_first_dimension:
        yield replace_expression(site.source, joining.node, cst.Name(gathered.name))
    else:
        joined = argument(joining.node, "tensors", 0)
        assert joined is not None
        yield replace_expression(site.source, joined, cst.parse_expression(f"{gathered.name}.unbind()"))


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


def _result_name(gathered: GatheredList) -> str | None:
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
