"""TRN706."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.conditions.questions import runs_where_missing
from trainlint.analysis.conditions.subjects import Subject, asks_about
from trainlint.analysis.conditions.tested_values import decided_by_argument
from trainlint.analysis.effects.python_reads import python_reads
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name
from trainlint.analysis.tables.host_reads import TO_PYTHON
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom
from trainlint_rules.attention.idioms.compiled import compiled_around

_CONVERSIONS = frozenset({"float", "int", "bool"})
_COMPILES = lazy(r"compile")
_ALLOWED = lazy(r"capture_scalar_outputs|reorderable_logging_functions|suppress_errors")
_SURE = 0.7


class GraphBreakInCompiled(Rule):
    """Compiled code prints, or reads a tensor on the host, and is cut in two there

    ## Why
    `torch.compile` cannot look behind a value that only the running program knows, nor run `print` in a kernel. It
    ends the graph there, goes back to Python for this line, and starts another graph behind it. Nothing is fused
    across the cut, memory is not planned across it, CUDA graphs are cut as well, and a read waits for the device.

    ## Example
    ```python
    import torch


    @torch.compile
    def limited(loss, limit):
        value = loss.item()
        if value > limit:
            loss = loss * (limit / value)
        return loss
    ```

    ## Use instead
    ```python
    import torch


    @torch.compile
    def limited(loss, limit):
        return loss * (limit / loss.detach()).clamp(max=1.0)
    ```

    ## Stays silent
    Under `fullgraph=True`, which keeps the read in the graph or raises; where `capture_scalar_outputs` or
    `reorderable_logging_functions` is set; behind `torch.compiler.is_compiling()`, a debugging switch, a failure or
    an argument, whose other value may be what is compiled; in functions that are kept out by
    `torch.compiler.disable`; for numbers; where a module of another file is compiled; in tests and benchmarks.

    ## Confirmed by
    `trainlint probe` finds this line, with the reason, in torch.compile's own record of graph breaks.
    `TORCH_LOGS=graph_breaks` names the line.

    ## Gain
    That of fusing across the line and of waiting for the device no more. Not measured here; next to nothing where
    the cut lies between large products of matrices, and nothing is read from the device.

    ## References
    - Graph breaks:
      https://docs.pytorch.org/docs/stable/user_guide/torch_compiler/compile/programming_model.graph_breaks_index.html
    """

    code = "TRN706"
    name = "graph-break-in-compiled"
    severity = Severity.WARNING
    heat_matters = False
    preview = True
    confirmed_by = frozenset({Symptom.GRAPH_BREAK})
    triggers = Triggers(calls=TO_PYTHON | _CONVERSIONS | {"print"}, reads=True)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find prints and reads of tensors in functions that the file compiles."""
        if not site.file.says(_COMPILES) or site.file.says(_ALLOWED) or is_test_path(site.path):
            return
        if runs_where_missing(site.conditions) or _is_left_out(site):
            return
        compiled = compiled_around(site.file, site.function)
        if compiled is None or compiled.whole:
            return
        how = _breaks(site)
        if how:
            yield self.finding(
                site,
                f"{how}, which ends the compiled graph here (line {compiled.by.lineno} compiles it); keep it on the "
                "device, or do it outside of what is compiled",
                confidence=0.85,
            )


def _is_left_out(site: Site) -> bool:
    """Whether the place is left out while compiling, or an argument decides, which the compiler takes as it is."""
    if decided_by_argument(site.block, site.function):
        return True
    return asks_about(site.block, Subject.COMPILATION, Subject.DEBUGGING)


def _breaks(site: Site) -> str:
    """What breaks the graph at a site, in words; empty where nothing surely does."""
    node = site.node
    if isinstance(node, ast.Call):
        name = last_name(node.func)
        if name == "print":
            return "this prints" if isinstance(node.func, ast.Name) else ""
        if name in TO_PYTHON:
            if not isinstance(node.func, ast.Attribute) or node.args:
                return ""
            value = site.value(node.func.value)
            return f"`{name}` reads a tensor as a Python value" if value.is_tensor and value.confidence > 0.5 else ""
    found = next(python_reads(site), None)
    return f"{found[2]} reads a tensor as a Python value" if found is not None and found[1] >= _SURE else ""
