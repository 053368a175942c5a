"""TRN904."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.programs.loops import describe_loop
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant, has_unpacked_arguments, last_name, nodes_in
from trainlint.analysis.syntax.uses import assigned_target
from trainlint.finding import Finding, Severity
from trainlint.rule import Rule, Triggers
from trainlint_rules.measuring.idioms.profiled import recorded_loop

_PROFILE = ("torch.profiler.profile", "torch.profiler.profiler.profile")


class ProfilerWithoutSchedule(Rule):
    """`torch.profiler.profile` around training without a schedule, or with one that is never stepped

    ## Why
    Without a `schedule` the profiler records from the first step to the last: events pile up in host memory, the trace
    takes longer to write than the run was, and no viewer opens it. With a schedule but without `profiler.step()` in the
    loop, it stays in the schedule's first phase, which as a rule is one of waiting: nothing is recorded at all.

    ## Example
    ```python
    from torch.profiler import ProfilerActivity, profile


    def train(model, criterion, optimizer, train_loader, device):
        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=True) as profiler:
            for inputs, targets in train_loader:
                inputs = inputs.to(device, non_blocking=True)
                targets = targets.to(device, non_blocking=True)
                loss = criterion(model(inputs), targets)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        profiler.export_chrome_trace("trace.json")
    ```

    ## Use instead
    ```python
    from torch.profiler import ProfilerActivity, profile, schedule


    def train(model, criterion, optimizer, train_loader, device, save):
        activities = [ProfilerActivity.CPU, ProfilerActivity.CUDA]
        phases = schedule(wait=10, warmup=2, active=3, repeat=1)
        with profile(activities=activities, schedule=phases, on_trace_ready=save) as profiler:
            for inputs, targets in train_loader:
                inputs = inputs.to(device, non_blocking=True)
                targets = targets.to(device, non_blocking=True)
                loss = criterion(model(inputs), targets)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                profiler.step()
    ```

    ## Stays silent
    Around single calls and loops of a literal number of rounds or with a `break`; where arguments are unpacked; where
    the profiler is handed to other code, which may step it.

    ## Confirmed by
    Host memory that grows with each step; a trace of hundreds of megabytes, or an empty one.

    ## Gain
    The recording itself: a training step on the CPU took 14.5 ms with the profiler and 11 ms without it (measured once,
    on PyTorch 2.13). Nothing once the profiler is taken out.

    ## References
    - `torch.profiler`, profile with a schedule: https://docs.pytorch.org/docs/stable/profiler.html
    - PyTorch profiler recipe: https://docs.pytorch.org/tutorials/recipes/recipes/profiler_recipe.html
    """

    code = "TRN904"
    name = "profiler-without-schedule"
    severity = Severity.WARNING
    heat_matters = False
    preview = True
    triggers = Triggers(calls=frozenset({"profile"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find profilers without phases around training, and profilers whose phases nobody steps through."""
        call = site.call
        if site.origin(call.func) not in _PROFILE or has_unpacked_arguments(call):
            return
        given = argument(call, "schedule", 1)
        if given is None or constant(given) is None:
            loop = recorded_loop(site)
            if loop is not None:
                message = (
                    f"the profiler records all of training ({describe_loop(loop)}); give it a `schedule` of a few "
                    "steps, and call its `step()` in the loop"
                )
                yield self.finding(site, message, confidence=0.85)
        elif _is_never_stepped(site, call):
            message = "nobody calls `step()` of this profiler, so it never leaves the first phase of its schedule"
            yield self.finding(site, message, confidence=0.85)


def _is_never_stepped(site: Site, call: ast.Call) -> bool:
    """Whether a profiler gets a plain name and is used by it for other things than `step` alone."""
    name = _name_given(site.statement, call)
    if name is None or not isinstance(name, ast.Name):
        return False
    function = site.function
    root: ast.AST = function.node if function is not None else site.file.tree
    uses = [node for node in nodes_in(root) if isinstance(node, ast.Name) and node.id == name.id and node is not name]
    asked = {node.value: node.attr for node in nodes_in(root) if isinstance(node, ast.Attribute)}
    # A use that asks for no attribute hands the profiler on, to code that may step it.
    return all(use in asked and asked[use] != "step" for use in uses) and (
        function is None or not _is_shared(root, name.id)
    )


def _is_shared(root: ast.AST, name: str) -> bool:
    return any(isinstance(node, ast.Global | ast.Nonlocal) and name in node.names for node in nodes_in(root))


def _name_given(statement: ast.stmt, call: ast.Call) -> ast.expr | None:
    if isinstance(statement, ast.With):
        return next((item.optional_vars for item in statement.items if item.context_expr is call), None)
    target = assigned_target(statement, call)
    return target if target is not None and last_name(target) else None
