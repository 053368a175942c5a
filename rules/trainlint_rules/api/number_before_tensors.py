"""TRN818."""

from __future__ import annotations

from collections.abc import Iterable

from trainlint.analysis.programs.proved_torch import proved_torch
from trainlint.analysis.site import Site
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.arguments import given_unpacked
from trainlint.finding import Edit, Safety
from trainlint.symptoms import Symptom
from trainlint_rules.api import switched
from trainlint_rules.api.idioms.guards import sure_if_warned
from trainlint_rules.api.idioms.leading_numbers import FUNCTIONS, METHODS, leading_number

_WARNS_SINCE = (1, 5)


class NumberBeforeTensors(CallRule):
    """`x.add_(0.1, y)`: the number before the tensors, as PyTorch before 1.5 took it

    ## Why
    `add`, `sub`, `addcmul` and `addcdiv` took the number by which a tensor is multiplied as their first argument. Since
    PyTorch 1.5 it is the keyword `alpha` or `value` behind the tensors. The old order still works, is in no
    documentation, and PyTorch warns once a process: "This overload of add_ is deprecated". Optimizers that were copied
    from one project to the next are full of it.

    By default it is reported only where the project states a PyTorch that warns of it, or that lacks it
    ([`target-torch`](../configuration.md#target-torch)); elsewhere it is possible.

    ## Example
    ```python
    import torch


    def update(p: torch.Tensor, mean: torch.Tensor, square: torch.Tensor, lr: float):
        mean.mul_(0.9).add_(0.1, p.grad)
        square.mul_(0.99).addcmul_(0.01, p.grad, p.grad)
        p.data.addcdiv_(-lr, mean, square.sqrt().add_(1e-8))
    ```

    ## Use instead
    ```python
    import torch


    def update(p: torch.Tensor, mean: torch.Tensor, square: torch.Tensor, lr: float):
        mean.mul_(0.9).add_(p.grad, alpha=0.1)
        square.mul_(0.99).addcmul_(p.grad, p.grad, value=0.01)
        p.data.addcdiv_(mean, square.sqrt().add_(1e-8), value=-lr)
    ```

    Where a tensor is made by a call, this runs before the number is read afterwards, and may change it; two draws of
    random numbers would change places. The fix is `UNSAFE` there, unless the number is a literal. So it is where
    nothing in sight proves that the method is called on a tensor.

    ## Confirmed by
    `trainlint probe` hears PyTorch's warning, and names the line of the first such call of the process; PyTorch warns
    of no other. With `torch.set_warn_always(True)` it warns of each.

    ## Gain
    None in speed: a warning less in the log of every process, and a program that outlives the old order.

    ## References
    - `Tensor.add_`: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.add_.html
    - `torch.addcmul`: https://docs.pytorch.org/docs/stable/generated/torch.addcmul.html
    """

    code = "TRN818"
    name = "number-before-tensors"
    editor_tag = "deprecated"
    confirmed_by = frozenset({Symptom.WARNING})
    warned_as = "This overload of"
    on = tuple(sorted((*FUNCTIONS, *(f".{name}" for name in METHODS))))
    in_tests = True
    unless = (given_unpacked, switched)
    message = "`{name}` takes its number behind the tensors since PyTorch 1.5, and warns of this order"
    help = "pass `{keyword}={number}` behind the tensors"
    fix_title = "Pass the number behind the tensors"
    fix_safety = Safety.SAFE

    def found(self, site: Site) -> Match | None:
        """A call with one positional argument too many, of which the number is the first."""
        leading = leading_number(site)
        if leading is None:
            return None
        fields = {"name": leading.name, "keyword": leading.keyword, "number": site.text(leading.number)}
        proved = site.origin(site.call.func) is not None or proved_torch(site.file, site.receiver, site.block)
        safety = Safety.UNSAFE if leading.order_matters or not proved else None
        sure = sure_if_warned(site, _WARNS_SINCE)
        return Match(site, sure, {**fields, "index": leading.index}, fix_safety=safety)

    def edits(self, site: Site, match: Match) -> Iterable[Edit]:
        """The number as the keyword, behind the other arguments."""
        from trainlint.fixing.keywords import move_argument_behind

        yield move_argument_behind(site.source, site.call, match["index"], match["keyword"])
