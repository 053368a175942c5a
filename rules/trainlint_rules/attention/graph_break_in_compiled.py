"""TRN706."""

from __future__ import annotations

import ast
import re

from trainlint.analysis.conditions.around import guards_around, mentioned_in_tests
from trainlint.analysis.effects.python_reads import python_reads
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name
from trainlint.contract.bases import ReadRule
from trainlint.contract.confidence import level
from trainlint.contract.declared_rule import Match
from trainlint.contract.guard import guard
from trainlint.contract.guards.conditions import made_where_missing
from trainlint.contract.guards.files import lacks_word, says
from trainlint.finding import Confidence
from trainlint.patterns import lazy
from trainlint.symptoms import Symptom
from trainlint_rules.attention.idioms.compiled import compiled_around

_ALLOWED = lazy(r"capture_scalar_outputs|reorderable_logging_functions|suppress_errors")
_NOT_COMPILING = lazy(r"is_compiling|is_dynamo_compiling|is_fx_tracing|is_exporting|debug|verbose", re.IGNORECASE)


@guard("it does not run while compiling, or in debugging only")
def _is_left_out(site: Site) -> bool:
    return mentioned_in_tests(site.block, _NOT_COMPILING)


@guard("an argument of the function decides whether it runs, and its other value may be what is compiled")
def _decided_by_argument(site: Site) -> bool:
    given = {parameter.arg for parameter in site.function.parameters} if site.function is not None else set()
    tests = (guard.expression for guard in guards_around(site.block))
    asked = (test.operand if isinstance(test, ast.UnaryOp) else test for test in tests)
    return any(isinstance(test, ast.Name) and test.id in given for test in asked)


class GraphBreakInCompiled(ReadRule):
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
    preview = True
    confirmed_by = frozenset({Symptom.GRAPH_BREAK})
    on = (".item", ".tolist")
    sure = Confidence.LIKELY
    unless = (
        lacks_word("the file does not use torch.compile", lazy("compile")),
        says("the file sets `capture_scalar_outputs`, `reorderable_logging_functions` or `suppress_errors`", _ALLOWED),
        made_where_missing,
        _is_left_out,
        _decided_by_argument,
    )
    message = "`{text}` ends the compiled graph (line {line} compiles it)"
    help = "keep it on the device, or do it outside of what is compiled"

    def found(self, site: Site) -> Match | None:
        """A print, or a read of a tensor as a Python value, in a function that the file compiles."""
        compiled = compiled_around(site.file, site.function)
        if compiled is None or compiled.whole or not _breaks(site):
            return None
        return Match(site, fields={"line": compiled.by.lineno})


def _breaks(site: Site) -> bool:
    """Whether a place surely breaks the graph."""
    name = last_name(site.node.func) if isinstance(site.node, ast.Call) else ""
    if name == "print":
        return isinstance(site.call.func, ast.Name)
    if name in ("item", "tolist"):
        value = site.value(site.receiver)
        return not site.call.args and value.is_tensor and value.confidence > 0.5
    read = next(python_reads(site), None) if name in ("", "float", "int", "bool") else None
    return read is not None and level(read[1]) >= Confidence.LIKELY
