"""TRN812."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.tables.versions.needed_versions import FLOOR
from trainlint.contract.declared_rule import Match
from trainlint.finding import Fix, Safety, Severity
from trainlint.rule import Triggers
from trainlint.symptoms import Symptom
from trainlint_rules.api import DeprecatedName
from trainlint_rules.api.idioms.guards import sure_if_warned
from trainlint_rules.api.idioms.saved_variables import NEW, OLD, saved_variables


class DeprecatedElsewhere(DeprecatedName):
    """A name of PyTorch that is deprecated or gone, and that no other rule is about

    ## Why
    Deprecated names warn in every process, or at each call, until the release in which they are missing; then the
    program ends with an ImportError or AttributeError, often far from what was changed. `torch._six` went with PyTorch
    2.0, the old `torch.rfft` with 1.8. The table behind this rule says for each name since when it is deprecated, since
    when it is gone and what replaces it; it is compared with the warnings in the source of the installed PyTorch.

    By default it is reported only where the project states a PyTorch that warns of it, or that lacks it
    ([`target-torch`](../configuration.md#target-torch)); elsewhere it is possible.

    ## Example
    ```python
    import torch.distributed as dist
    import torch.nn.functional as F
    from torch import nn
    from torch._six import inf
    from torch.nn.utils import clip_grad_norm


    def start(layer):
        nn.init.kaiming_normal(layer.weight, mode="fan_out")
        nn.init.constant(layer.bias, 0)


    def step(model, images, optimizer):
        loss = F.upsample(model(images), scale_factor=2).mean()
        loss.backward()
        norm = clip_grad_norm(model.parameters(), 1.0)
        dist.all_reduce(norm, op=dist.reduce_op.SUM)
        if norm < inf:
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch.distributed as dist
    import torch.nn.functional as F
    from torch import nn
    from math import inf
    from torch.nn.utils import clip_grad_norm_


    def start(layer):
        nn.init.kaiming_normal_(layer.weight, mode="fan_out")
        nn.init.constant_(layer.bias, 0)


    def step(model, images, optimizer):
        loss = F.interpolate(model(images), scale_factor=2).mean()
        loss.backward()
        norm = clip_grad_norm_(model.parameters(), 1.0)
        dist.all_reduce(norm, op=dist.ReduceOp.SUM)
        if norm < inf:
            optimizer.step()
    ```

    Where the new name takes other arguments, or returns something else, the message says what to write and there is no
    fix: `weight_norm`, `torch.rfft`, constructors such as `torch.cuda.FloatTensor`. The fix of `_register_pytree_node`
    is UNSAFE: for a type that is registered already, `register_pytree_node` raises a ValueError, while the private name
    warns and overwrites.

    ## Confirmed by
    `trainlint probe` notes the FutureWarning, UserWarning or DeprecationWarning of PyTorch at this line that names
    the function. Python shows a DeprecationWarning in the main script alone. What is gone raises an ImportError or
    AttributeError.

    ## Gain
    None in speed: fewer lines in the log of every process, and a program that still runs after the next upgrade.

    ## References
    - PyTorch, release notes: https://github.com/pytorch/pytorch/releases
    - `torch._six` removed: https://github.com/pytorch/pytorch/pull/94709
    - torch.nn.init: https://docs.pytorch.org/docs/stable/nn.init.html
    """

    code = "TRN812"
    name = "deprecated-elsewhere"
    aliases = ("TOR001", "TOR004", "TOR101", "TOR103", "TOR202")
    confirmed_by = frozenset({Symptom.WARNING})
    warned_as = "deprecated|renamed|private function|functorch|sdp_kernel|reset_peak_memory_stats"
    also = Triggers(words=frozenset({OLD}))

    @classmethod
    def places_in(cls, file: SemanticModel) -> Iterator[Place]:
        """`ctx.saved_variables` in a `backward`, which is no name that a file imports."""
        return saved_variables(file)

    def found(self, site: Site) -> Match | None:
        """The same as of other names, and `saved_variables`."""
        if isinstance(site.node, ast.Attribute) and site.node.attr == OLD:
            fact = "`{text}` has long been deprecated, and PyTorch warns of it in each backward"
            sure = sure_if_warned(site, FLOOR)
            return Match(site, sure, message=fact, help=f"write `{NEW}`", severity=Severity.WARNING)
        return super().found(site)

    def fix(self, site: Site, match: Match) -> Fix | None:
        """The new name, where it is exact."""
        if "use" in match.fields:
            return super().fix(site, match)
        from trainlint.fixing.expressions import replace_by_text
        from trainlint.fixing.rewrite import attempt

        assert isinstance(site.node, ast.Attribute)
        node, new = site.node, f"{ast.unparse(site.node.value)}.{NEW}"
        return attempt(lambda: Fix(f"Use {NEW}", (replace_by_text(site.source, node, new),), Safety.SAFE))
