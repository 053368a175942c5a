"""TRN903."""

from __future__ import annotations

import ast

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.uses import call_of
from trainlint.contract.bases import ReferenceRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Severity

_OLD = "torch.autograd.profiler.profile"
_NEW_ONLY = ("activities", "schedule", "on_trace_ready", "execution_trace_observer")
"""What `torch.profiler.profile` takes and the older class does not."""


class ProfilerMixedApi(ReferenceRule):
    """`torch.autograd.profiler.profile` with the arguments of `torch.profiler.profile`

    ## Why
    PyTorch has two classes called `profile`. The older one, in `torch.autograd.profiler`, takes no `activities`,
    `schedule` or `on_trace_ready`: the call is a TypeError in every version, and examples that mix the two are copied
    all the same. `record_function` is one and the same in both modules.

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
    preview = True
    in_tests = True
    on = (_OLD,)
    message = "`torch.autograd.profiler.profile` has no argument {wrong}, and the call raises a TypeError"
    help = "use `torch.profiler.profile`"

    def found(self, site: Site) -> Match | None:
        """A call of the older class with an argument of the newer one."""
        is_class = isinstance(site.node, ast.expr) and site.origin(site.node) == _OLD
        place = call_of(site.file, site.node) if is_class else None
        if place is None or not isinstance(place.node, ast.Call):
            return None
        wrong = [f"`{item.arg}`" for item in place.node.keywords if item.arg in _NEW_ONLY]
        return Match(site.at(place.node), fields={"wrong": " and no ".join(wrong)}) if wrong else None
