"""`with model.no_sync():` and what runs in it."""

from __future__ import annotations

import ast

from trainlint.analysis.programs.fact_names import ACCELERATOR
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name, nodes_in, position
from trainlint.analysis.tables.clipping import clips_gradients
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.analysis.tables.host_reads import ITEM, SYNCHRONIZE
from trainlint.analysis.tables.iterables import counts_rounds
from trainlint.contract.guard import guard
from trainlint_rules.distributed.idioms.data_parallel import ddp_call

_AROUND_BACKWARD = frozenset({ITEM.name, SYNCHRONIZE.name}) | frozenset(
    "backward scale scale_loss detach print update append add sum mean step zero_grad float div len "
    "time perf_counter write record".split()
)
"""Calls that may stand beside a backward and run no model, besides those that count or clip."""


def called_inside(site: Site) -> set[str]:
    """The last names of all calls in the `with` block of a call of `no_sync`; empty where there is none."""
    parts = (part for statement in _body(site) for part in nodes_in(statement))
    return {last_name(part.func) for part in parts if isinstance(part, ast.Call)}


def _body(site: Site) -> list[ast.stmt]:
    """The statements that run under the call's context: of its own `with`, or of the one that is given its name."""
    statement = site.statement
    match statement:
        case ast.With(items=items, body=body):
            return body if any(site.call in nodes_in(item.context_expr) for item in items) else []
        case ast.Assign(targets=[ast.Name(id=name), *_]):
            block_of = site.file.outline.block_of
            found = [
                other
                for other, block in block_of.items()
                if isinstance(other, ast.With)
                and block.scope is site.block.scope
                and position(other) > position(statement)
                and any(
                    isinstance(item.context_expr, ast.Name) and item.context_expr.id == name for item in other.items
                )
            ]
            return found[0].body if len(found) == 1 else []
    return []


@guard
def may_run_model(site: Site) -> bool:
    """Something in the `with` block may run the model."""
    harmless = (
        name in _AROUND_BACKWARD or counts_rounds(name) or clips_gradients(name) for name in called_inside(site)
    )
    return not all(harmless)


@guard
def reads_switch_in_backward(site: Site) -> bool:
    """The weights may be sharded, and FSDP reads the switch in the backward."""
    return FactKind.FSDP in _kinds(site) and ddp_call(site.file, site.receiver, site.block) is None


@guard
def of_something_else(site: Site) -> bool:
    """Trainlint does not see that DDP wraps the model: `no_sync` may belong to an engine."""
    if FactKind.DDP in _kinds(site) or ACCELERATOR.search(last_name(site.receiver)):
        return False
    return ddp_call(site.file, site.receiver, site.block) is None


def _kinds(site: Site) -> set[FactKind]:
    return {item.fact.kind for item in site.file.used_around(site.block, beside=True)}
