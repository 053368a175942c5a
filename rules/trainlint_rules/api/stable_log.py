"""TRN811."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Severity
from trainlint_rules.api.idioms.stable_logs import formula, of_whole_numbers, rounded, shifted_by_largest


class StableLog(CallRule):
    """`log(1 + x)`, `exp(x) - 1` and `log(sum(exp(x)))`, which lose digits or overflow

    ## Why
    In float32, 1 + x is 1 for all x below 6e-8, and bfloat16 keeps 8 bits: `torch.log(1 + x)` and `torch.exp(x) - 1`
    lose most digits for small x, in the gradient too. `torch.exp` is infinite in float32 from x = 89 on, in float16
    from 11.1 on, so a log of a sum of exponentials becomes infinite where its value is small. PyTorch has one kernel
    for each of these. Sums of masked or weighted exponentials have none. NumPy and Python's `math` compute in double
    precision and are left alone.

    ## Example
    ```python
    import torch


    def terms(x, rate, scores):
        gain = torch.log(1 + rate)
        growth = torch.exp(rate) - 1
        total = torch.log(torch.sum(torch.exp(scores), dim=-1))
        return gain + growth + total + torch.log(1 + torch.exp(x))
    ```

    ## Use instead
    ```python
    import torch


    def terms(x, rate, scores):
        gain = torch.log1p(rate)
        growth = torch.expm1(rate)
        total = torch.logsumexp(scores, dim=-1)
        return gain + growth + total + torch.nn.functional.softplus(x)
    ```

    ## Confirmed by
    Cannot be measured by a probe: values are less exact, or become infinite for inputs that a run may never see.

    ## Gain
    Exactness. One kernel and one tensor in place of two or three, not measured here and nothing under `torch.compile`,
    which fuses them.

    ## References
    - `torch.log1p`: https://docs.pytorch.org/docs/stable/generated/torch.log1p.html
    - `torch.logsumexp`: https://docs.pytorch.org/docs/stable/generated/torch.logsumexp.html
    - `torch.nn.functional.softplus`:
      https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.softplus.html
    """

    code = "TRN811"
    name = "stable-log"
    severity = Severity.ADVICE
    aliases = ("TOR106", "TOR107", "TOR108")
    preview = True
    on = ("torch.log", "torch.exp")
    in_tests = True
    unless = (of_whole_numbers, rounded, shifted_by_largest)
    message = "{formula.fact}"
    help = "write `{formula.shown}`"

    def found(self, site: Site) -> Match | None:
        """One of the three forms, written in one expression."""
        unstable = formula(site)
        return Match(site.at(unstable.at), fields={"formula": unstable}) if unstable is not None else None
