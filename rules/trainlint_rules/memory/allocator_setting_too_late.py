"""TRN310."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, BlockKind
from trainlint.analysis.syntax.names import argument, constant, dotted, last_name, position
from trainlint.finding import Finding, Severity
from trainlint.rule import Rule, Triggers
from trainlint_rules.memory.idioms.allocator_settings import VARIABLES, problem


class AllocatorSettingTooLate(Rule):
    """A setting of the allocator that comes after the first use of the device, or is misspelt

    ## Why
    PyTorch reads `PYTORCH_CUDA_ALLOC_CONF` once, when the allocator is first used. A value that is set after the first
    tensor went to the device changes nothing, and no warning says so: the run fragments its memory as before. Builds of
    PyTorch with CUDA refuse a key that they do not know, and a number out of range raises at the first use of the
    device.

    ## Example
    ```python
    import os

    import torch

    os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segment:True"
    ```

    ## Use instead
    ```python
    import os

    import torch

    os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"
    ```

    Set it before `import torch`, or better in the environment of the job: then no import can come first.

    ## Stays silent
    For values that are no literal text; for keys that resemble no known one, which may be newer than the list; where
    no earlier line of the same function or module surely puts something onto the device.

    ## Confirmed by
    `torch.cuda.memory._snapshot()["allocator_settings"]` shows other settings than the code means.

    ## Gain
    What the setting was meant to bring: `expandable_segments:True` lets batches of changing size reuse memory that is
    fragmented otherwise. Not measured here. Nothing, where memory is not short.

    ## References
    - Memory management, with all settings:
      https://docs.pytorch.org/docs/stable/notes/cuda.html#optimizing-memory-usage-with-pytorch-cuda-alloc-conf
    """

    code = "TRN310"
    name = "allocator-setting-too-late"
    severity = Severity.WARNING
    heat_matters = False
    preview = True
    triggers = Triggers(calls=frozenset({"setdefault", "putenv"}), assignments=VARIABLES)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find settings of the allocator that are wrong, or that come after the first use of the device."""
        value = _value(site)
        if value is None:
            return
        settings = constant(value)
        wrong = problem(settings) if isinstance(settings, str) else None
        if wrong is not None:
            yield self.finding(site, wrong, confidence=0.95)
            return
        first = _first_use(site)
        if first is not None:
            message = (
                f"the allocator reads this once, at the first use of the device, which is line {first.lineno} already; "
                "set it before `import torch`"
            )
            yield self.finding(site, message, confidence=0.85)


def _value(site: Site) -> ast.expr | None:
    """What the environment is given for the allocator; None for other calls and stores."""
    node = site.node
    if isinstance(node, ast.Call):
        if site.origin(node.func) not in ("os.environ.setdefault", "os.putenv"):
            return None
        name = argument(node, "key", 0)
        return argument(node, "value", 1) if name is not None and constant(name) in VARIABLES else None
    statement = site.statement
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Subscript):
        return None
    return statement.value if site.origin(statement.targets[0].value) == "os.environ" else None


def _first_use(site: Site) -> ast.Call | None:
    """The first call that surely runs before this line and puts something onto the device."""
    here = site.statement
    for name in ("cuda", "to", "zeros", "ones", "empty", "full", "rand", "randn", "tensor"):
        for use in site.calls(name):
            surely = site.block.within(_unconditional(use.block)) and use.function is site.function
            if surely and position(use.call) < position(here) and _uses_device(use):
                return use.call
    return None


def _unconditional(block: Block) -> Block:
    while block.kind is BlockKind.WITH and block.parent is not None:
        block = block.parent
    return block


def _uses_device(use: Site) -> bool:
    call = use.call
    if last_name(call.func) == "cuda":
        return isinstance(call.func, ast.Attribute) and dotted(call.func.value) != "torch"
    keyword = argument(call, "device", 0 if last_name(call.func) == "to" else None)
    word = constant(keyword) if keyword is not None else None
    return isinstance(word, str) and word.startswith("cuda")
