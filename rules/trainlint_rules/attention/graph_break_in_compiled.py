"""TRN706."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.analysis.tables.host_reads import TO_PYTHON
from trainlint.analysis.tables.signs import BREAKS_ALLOWED
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.conditions import made_where_missing
from trainlint.contract.guards.names import shows
from trainlint.finding import Confidence
from trainlint.symptoms import Symptom
from trainlint_rules.attention.idioms.compiled import compiled_around, compiles_nothing
from trainlint_rules.attention.idioms.graph_breaks import breaks_graph, decided_by_argument, left_out_of_compiling


class GraphBreakInCompiled(CallRule):
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
    on = (*(f".{name}" for name in sorted(TO_PYTHON)), "print", "float", "int", "bool")
    sure = Confidence.LIKELY
    unless = (
        compiles_nothing,
        shows(
            "the file sets `capture_scalar_outputs`, `reorderable_logging_functions` or `suppress_errors`",
            BREAKS_ALLOWED,
        ),
        made_where_missing,
        left_out_of_compiling,
        decided_by_argument,
    )
    message = "`{text}` ends the compiled graph (line {line} compiles it)"
    help = "keep it on the device, or do it outside of what is compiled"

    def found(self, site: Site) -> Match | None:
        """A print, or a read of a tensor as a Python value, in a function that the file compiles."""
        compiled = compiled_around(site.file, site.function)
        if compiled is None or compiled.whole or not breaks_graph(site):
            return None
        return Match(site, fields={"line": compiled.by.lineno})
