"""Work that could run beside a collective."""

from __future__ import annotations

import ast

from trainlint.analysis.effects.collectives import Collective, body_around
from trainlint.analysis.programs.evaluation import model_run_by
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, last_name, names_in, nodes_in, root_name
from trainlint.analysis.tables.host_reads import TO_HOST


def work_beside(site: Site, found: Collective) -> ast.stmt | None:
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
        if any(_runs_model(site, call, statement) for call in calls):
            return statement
    return None


def _results(found: Collective) -> set[str]:
    """The names that hold what a collective writes."""
    written = {root_name(item) for item in found.call.args[:2]}
    written |= {root_name(item.value) for item in found.call.keywords if item.arg not in ("op", "group", "src", "dst")}
    given = argument(found.call, "group")
    return written - {"", root_name(given) if given is not None else "", "dist", "torch"}


def _runs_model(site: Site, call: ast.Call, statement: ast.stmt) -> bool:
    """Whether a call in a statement is a backward or runs a model."""
    name = last_name(call.func)
    places = [place for place in site.file.outline.calls.get(name, ()) if place.statement is statement]
    return any(name == "backward" or model_run_by(site.file, place) is not None for place in places)
