"""TRN508."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import partial

from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import argument, constant, nodes_in
from trainlint.analysis.syntax.uses import call_of
from trainlint.analysis.tables.parallel import DDP_ORIGINS
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom

_OPTIONS = ("accelerate.DistributedDataParallelKwargs", "accelerate.utils.DistributedDataParallelKwargs")
_STRATEGIES = (
    "lightning.pytorch.strategies.DDPStrategy",
    "pytorch_lightning.strategies.DDPStrategy",
    "lightning.fabric.strategies.DDPStrategy",
)
_LEAVES_SOME_OUT = lazy(
    r"layer_?drop|stochastic_depth|drop_path|(^|_)moe(_|$)|expert|discriminator|value_?head|v_head|(^|_)gan(_|$)|"
    r"task_id|modalit|requires_grad_?$|freeze|frozen|unused|peft|(^|_)lora(_|$)",
    re.IGNORECASE,
)
"""Words of models and loops in which some parameters get no gradient in some steps."""


class UnusedParameterSearch(Rule):
    """`find_unused_parameters=True`, which makes DDP walk the whole autograd graph in each step

    ## Why
    With this flag DistributedDataParallel walks the graph from the outputs before each backward, on the host, to find
    parameters that will get no gradient. Most models have none: then the walk only costs, the more the smaller and the
    more numerous the layers. PyTorch itself warns after the first step that it found none. In a stress test with 300
    tiny layers on a CPU a step took 37 instead of 29 ms.

    ## Example
    ```python
    from torch.nn.parallel import DistributedDataParallel


    def wrap(model, device):
        return DistributedDataParallel(model, device_ids=[device], find_unused_parameters=True)
    ```

    ## Use instead
    ```python
    from torch.nn.parallel import DistributedDataParallel


    def wrap(model, device):
        return DistributedDataParallel(model, device_ids=[device])
    ```

    To check, run one step without the flag: if some parameter is left out, DDP raises an error in the second forward
    that names the cause, and `TORCH_DISTRIBUTED_DEBUG=INFO` adds the names of the parameters. Where the same ones are
    left out in every step, `static_graph=True` finds them once.

    ## Stays silent
    Where the value is computed or comes from an option; with `static_graph=True`; where names in the file speak of
    layers that are dropped, experts, discriminators, value heads, adapters or frozen parts; in tests.

    ## Fix safety
    The fix removes the argument. A model that does leave out parameters then stops with an error in its second step.

    ## Confirmed by
    `trainlint probe` asks DistributedDataParallel, wrapped at this line, whether its search has found any unused
    parameter. Else the warning of `reducer.cpp`, "did not find any unused parameters in the forward pass", once in
    each process.

    ## Gain
    A fifth of the step at worst (37.4 → 29.3 ms, measured on a CPU with 300 tiny layers); on a GPU not measured
    here. Nothing where the host is far ahead of the device.

    ## References
    - Internal design of DDP: https://docs.pytorch.org/docs/stable/notes/ddp.html#internal-design
    - `DistributedDataParallel`:
      https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html
    """

    code = "TRN508"
    name = "unused-parameter-search"
    severity = Severity.WARNING
    fix_safety = Safety.UNSAFE
    heat_matters = False
    preview = True
    confirmed_by = frozenset({Symptom.UNUSED_SEARCH_IN_VAIN})
    triggers = Triggers(references=(*DDP_ORIGINS, *_OPTIONS, *_STRATEGIES))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find wrappers that are told by a literal to look for unused parameters."""
        place = call_of(site.file, site.node)
        if place is None or not isinstance(place.node, ast.Call) or is_test_path(site.path):
            return
        call = place.node
        if constant(argument(call, "find_unused_parameters")) is not True:
            return
        if argument(call, "static_graph") is not None or _leaves_some_out(site.file):
            return
        yield self.finding(
            site.at(call),
            "`find_unused_parameters=True` walks the autograd graph before each backward; remove it where every "
            "parameter gets a gradient (DDP raises an error in the second step if one does not)",
            confidence=0.75,
            fix=partial(_removed, site, call),
        )


@once
def _leaves_some_out(file: SemanticModel) -> bool:
    """Whether names in the file tell of parameters that get no gradient in some steps."""
    names = {part.id for part in nodes_in(file.tree) if isinstance(part, ast.Name)}
    names |= {part.attr for part in nodes_in(file.tree) if isinstance(part, ast.Attribute)}
    return any(_LEAVES_SOME_OUT.search(name) for name in names)


def _removed(site: Site, call: ast.Call) -> Fix | None:
    from trainlint.fixing.rewrite import Unfixable, attempt, expression, replace_expression

    def make() -> Fix:
        import libcst as cst

        node = expression(site.source, call)
        assert isinstance(node, cst.Call)
        removed = [item for item in node.args if item.keyword and item.keyword.value == "find_unused_parameters"]
        if any("#" in cst.Module([]).code_for_node(item) for item in removed):
            raise Unfixable(f"a comment speaks of the argument in line {call.lineno} of {site.path}")
        kept = [item for item in node.args if item not in removed]
        if kept:
            kept[-1] = kept[-1].with_changes(comma=node.args[-1].comma)
        edit = replace_expression(site.source, call, node.with_changes(args=kept))
        return Fix("Remove the search for unused parameters", (edit,), Safety.UNSAFE)

    return attempt(make)
