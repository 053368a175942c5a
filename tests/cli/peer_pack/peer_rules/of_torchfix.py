"""What TorchFix finds, too: TOR003, TOR102 and TOR401."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import libcst as cst
import libcst.matchers as m

from trainlint.contract.cst_rule import CstRule, origin
from trainlint.contract.declared_rule import EACH_STEP, Match
from trainlint.finding import Safety
from trainlint.fixing.rewrite import add_keyword

if TYPE_CHECKING:
    from trainlint.analysis.site import Site
    from trainlint.finding import Edit


def without(keyword: str) -> list[Any]:
    """Arguments of which none is this keyword, and none may hide it."""
    hiding = m.Arg(keyword=m.Name(keyword)) | m.Arg(star="**")
    return [m.ZeroOrMore(~hiding)]


def with_keyword(call: cst.Call, keyword: str, value: str) -> cst.Call:
    """The call with one more argument."""
    tight = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    added = cst.Arg(cst.parse_expression(value), cst.Name(keyword), tight)
    return call.with_changes(args=[*call.args, added])


class CheckpointWithoutUseReentrant(CstRule):
    """`torch.utils.checkpoint` without `use_reentrant`

    ## Why
    The default is to change.

    ## Example
    ```python
    from torch.utils.checkpoint import checkpoint as save_memory

    y = save_memory(block, x)
    ```

    ## Use instead
    ```python
    from torch.utils.checkpoint import checkpoint as save_memory

    y = save_memory(block, x, use_reentrant=False)
    ```

    ## Fix safety
    Hooks may run at other times.

    ## Confirmed by
    A warning.

    ## References
    TorchFix, TOR003.
    """

    code = "PEER003"
    name = "peer-checkpoint-without-use-reentrant"
    pattern = m.Call(func=origin("torch.utils.checkpoint.checkpoint"), args=without("use_reentrant"))
    message = "`{text}` leaves `use_reentrant` to a default that is to change"
    help = "pass `use_reentrant=False`"
    fix_title = "Pass use_reentrant=False"
    fix_safety = Safety.UNSAFE

    def replacement(self, node: cst.Call, match: Match) -> cst.Call:
        """One more argument."""
        return with_keyword(node, "use_reentrant", "False")


class LoadWithoutWeightsOnly(CstRule):
    """`torch.load` without `weights_only`

    ## Why
    Unpickling runs code.

    ## Example
    ```python
    import torch

    state = torch.load(
        "model.pt",  # ours
        map_location="cpu",
    )
    ```

    ## Use instead
    ```python
    import torch

    state = torch.load(
        "model.pt",  # ours
        map_location="cpu",
        weights_only=True,
    )
    ```

    ## Fix safety
    Files with other objects are refused.

    ## Confirmed by
    A warning.

    ## References
    TorchFix, TOR102.
    """

    code = "PEER102"
    name = "peer-load-without-weights-only"
    pattern = m.Call(func=origin("torch.load"), args=without("weights_only"))
    message = "`torch.load` may run code from the file"
    help = "pass `weights_only=True`"
    fix_title = "Pass weights_only=True"
    fix_safety = Safety.UNSAFE

    def edits(self, site: Site, match: Match) -> Iterator[Edit]:
        """One more argument, laid out as the others are."""
        yield add_keyword(site.source, site.call, "weights_only", "True")


class CreatedThenMoved(CstRule):
    """A tensor that is created on the CPU and moved to the GPU

    ## Why
    Each copy takes time.

    ## Example
    ```python
    import torch as t


    def train(model, loader, optimizer):
        for x in loader:
            loss = model(x, t.ones(3).cuda())
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch as t


    def train(model, loader, optimizer):
        for x in loader:
            loss = model(x, t.ones(3, device="cuda"))
            loss.backward()
            optimizer.step()
    ```

    ## Confirmed by
    Copies in a trace.

    ## References
    TorchFix, TOR401.
    """

    code = "PEER401"
    name = "peer-created-then-moved"
    made = m.Call(func=origin("torch.ones", "torch.zeros", "torch.eye"), args=without("device"))
    pattern = m.Call(func=m.Attribute(value=m.SaveMatchedNode(made, "made"), attr=m.Name("cuda")), args=[])
    when = EACH_STEP
    message = "`{made}` is created on the CPU and copied to the GPU{often}"
    help = 'pass `device="cuda"`'
    fix_title = "Create the tensor on the GPU"
    fix_safety = Safety.SAFE

    def replacement(self, node: cst.Call, match: Match) -> cst.Call:
        """The inner call with a device."""
        return with_keyword(match["made"].node, "device", '"cuda"')
