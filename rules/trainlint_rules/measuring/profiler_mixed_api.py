"""TRN903."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.uses import call_of
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.rule import Rule, Triggers

_OLD = "torch.autograd.profiler.profile"
_NEW_ONLY = ("activities", "schedule", "on_trace_ready", "execution_trace_observer")
"""What `torch.profiler.profile` takes and the older class does not."""
_BOTH = ("record_shapes", "profile_memory", "with_stack", "with_flops", "with_modules", "experimental_config")


class ProfilerMixedApi(Rule):
    """`torch.autograd.profiler.profile` with the arguments of `torch.profiler.profile`

    ## Why
    PyTorch has two classes called `profile`. The older one, in `torch.autograd.profiler`, takes no `activities`,
    `schedule` or `on_trace_ready`: the call is a TypeError in every version, and examples that mix the two are copied
    all the same.

    ## Example
    ```python
    import torch
    from torch.profiler import ProfilerActivity


    def profiled(step, batches):
        activities = [ProfilerActivity.CPU, ProfilerActivity.CUDA]
        with torch.autograd.profiler.profile(activities=activities, record_shapes=True) as trace:
            step(batches[0])
        return trace
    ```

    ## Use instead
    ```python
    import torch
    from torch.profiler import ProfilerActivity


    def profiled(step, batches):
        activities = [ProfilerActivity.CPU, ProfilerActivity.CUDA]
        with torch.profiler.profile(activities=activities, record_shapes=True) as trace:
            step(batches[0])
        return trace
    ```

    ## Stays silent
    For the older class with arguments of its own, and for `record_function`, which is one and the same in both modules.

    ## Confirmed by
    A TypeError, "got an unexpected keyword argument", when the profiler is built.

    ## Gain
    A profile instead of a TypeError.

    ## References
    - `torch.profiler`: https://docs.pytorch.org/docs/stable/profiler.html
    - `torch.autograd.profiler.profile`:
      https://docs.pytorch.org/docs/stable/generated/torch.autograd.profiler.profile.html
    """

    code = "TRN903"
    name = "profiler-mixed-api"
    severity = Severity.ERROR
    fix_safety = Safety.SAFE
    heat_matters = False
    preview = True
    triggers = Triggers(references=(_OLD,))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find calls of the older class by an argument of the newer one."""
        if not isinstance(site.node, ast.expr) or site.origin(site.node) != _OLD:
            return
        place = call_of(site.file, site.node)
        call = place.node if place is not None else None
        if not isinstance(call, ast.Call):
            return
        wrong = [f"`{item.arg}`" for item in call.keywords if item.arg in _NEW_ONLY]
        if wrong:
            message = f"`{_OLD}` takes no {' and no '.join(wrong)}: this is a TypeError; use `torch.profiler.profile`"
            yield self.finding(site, message, at=call, fix=partial(_fix, site, call))


def _fix(site: Site, call: ast.Call) -> Fix | None:
    from trainlint.fixing.rewrite import attempt, ensure_import, replace_expression

    if call.args or any(item.arg not in (*_NEW_ONLY, *_BOTH) for item in call.keywords):
        return None

    def make() -> Fix:
        import libcst as cst

        written, imports = ensure_import(site.source, site.file.tree, "torch.profiler", "profile")
        edit = replace_expression(site.source, call.func, cst.parse_expression(written))
        return Fix("Use torch.profiler.profile", (*imports, edit), Safety.SAFE)

    return attempt(make)
