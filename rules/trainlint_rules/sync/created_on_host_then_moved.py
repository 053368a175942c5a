"""TRN207."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from trainlint.analysis.effects.creations import LEGACY, Content, Creation
from trainlint.analysis.site import Site
from trainlint.contract.declared_rule import Match
from trainlint.contract.operation_rule import OperationRule
from trainlint.finding import Edit, Safety
from trainlint.interpreter.machine.events import Happening
from trainlint.symptoms import Symptom
from trainlint_rules.sync.idioms.dropped_moves import dropped_move
from trainlint_rules.sync.idioms.moved import (
    device_of_move,
    factory_keywords,
    is_surely_alike,
    made_and_moved,
    removal,
)

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing the run takes long, and a rule needs only its result
    from trainlint.interpreter.operations import Operation

_SAFETY = {  # for contents that a factory can make on the device; values of Python are copied there in any case
    Content.EXACT: Safety.SAFE,
    Content.ROUNDED: Safety.NUMERICS,
    Content.RANDOM: Safety.UNSAFE,
}
_HELP = {
    Content.CONSTANT: "make the constant once, as a buffer or before the loop",
    Content.DATA: (
        "make the tensor once, before the loop, or in the batch; copy data that is new in each step from pinned memory "
        "with `non_blocking=True`"
    ),
    Content.NUMBERS: "reuse the tensor while the numbers stay the same, or fill one on the GPU",
    Content.NUMBER: "write `torch.full((), number, device={device})`, which needs no copy",
}
_OF_SIZES = "make it with `torch.empty(..., device={device})` in its dtype: the old constructor takes no device"
_INDEX = "compute the index on the GPU (`torch.arange`, `torch.argsort`), or copy it once, before the loop"
_COPIED_AS_INDEX = "`{text}` copies a CPU tensor to the GPU{often} and forces a sync"
_MADE_ELSEWHERE = "the CPU creates a tensor and copies it to the GPU{often}, which forces a sync"
_MAKE_ON_DEVICE = (
    "create it on the GPU, or once before the loop; if only the CPU can compute it, do so in the loader, or copy it "
    "from pinned memory with `non_blocking=True`"
)


class CreatedOnHostThenMoved(OperationRule):
    """A tensor made on the CPU in each step, then moved to the GPU.

    ## Why
    `torch.zeros(...).to(device)` fills memory on the CPU, copies it to the GPU and waits for the copy.
    `torch.zeros(..., device=device)` queues one small kernel and continues. The same copy and wait happen

    - where a list, an array or a CPU tensor indexes a GPU tensor: `x[:, [2, 1, 0]]`, `x[torch.arange(n), ids]`;
    - in `x.new_tensor(values)`;
    - each time the code moves a tensor that a function makes on the CPU for its caller, or that an attribute of a
      module keeps there

    ## Example
    ```python
    import torch
    from torch import nn


    class Encoder(nn.Module):
        def __init__(self, width, length):
            super().__init__()
            self.token = nn.Embedding(1000, width)
            self.place = nn.Embedding(length, width)

        def forward(self, tokens):
            places = torch.arange(tokens.shape[1]).to(tokens.device)
            return self.token(tokens) + self.place(places)
    ```

    ## Use instead
    ```python
    import torch
    from torch import nn


    class Encoder(nn.Module):
        def __init__(self, width, length):
            super().__init__()
            self.token = nn.Embedding(1000, width)
            self.place = nn.Embedding(length, width)

        def forward(self, tokens):
            places = torch.arange(tokens.shape[1], device=tokens.device)
            return self.token(tokens) + self.place(places)
    ```

    A constant is better still as a buffer (`register_buffer`), or made once before the loop; so is a NumPy table that
    stays the same (`torch.from_numpy(self.table).to(device)`). A single Python number needs no copy: `torch.full((),
    number, device=device)`.

    Instead of NumPy (`np.random`), let the GPU draw random numbers: `torch.randn`, `torch.rand` or `torch.randperm`
    with `device=device` queues one small kernel. NumPy draws on one core of the CPU, the step waits for the copy, and
    the generator needs a seed of its own.

    The fix is safe for fill values and whole numbers, with these exceptions:

    - Fractions (`linspace`, `arange` with a fractional step) may change in the last bit: the fix needs
      `--numeric-fixes`.
    - Random numbers come from the GPU's generator, so the same seed gives other ones: the fix needs `--unsafe-fixes`.
    - The fix is also unsafe where the GPU may get another tensor: the move may be given a dtype (a parameter `device`
      without an annotation), the tensor is expanded or cut before the move, which makes it dense, a range has a type
      that rounds its numbers, or the project sets a default device.

    There is no fix for `torch.tensor(values).to(device)`, as `torch.tensor(values, device=device)` makes the same copy.
    Nor is there one for `.cuda(rank)` where `rank` may be `None`: that means the current GPU there, and the CPU in
    `device=None`.

    ## Confirmed by
    `trainlint probe` counts the copies at this line. On a GPU it also tells from a trace what a step gains without
    them. In a profile: a small `Memcpy HtoD (Pageable -> Device)` at this line in each step.

    ## Gain
    The allocation on the CPU, the copy and the wait: tens of microseconds for small tensors, more for larger ones.
    Nothing outside of the step. Not measured here; `trainlint probe` measures it on your run.

    ## References
    - PyTorch performance tuning guide, "Create tensors directly on the target device":
      https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    """

    code = "TRN207"
    name = "created-on-host-then-moved"
    happenings = frozenset({Happening.MADE_ON_HOST, Happening.DATA_COPY, Happening.INDEX_COPY})
    confirmed_by = frozenset({Symptom.HOST_TO_DEVICE})
    message = "`torch.{factory}` creates a tensor on the CPU and copies it to the GPU{often}"
    help = "pass `device={device}`"
    fix_title = "Create the tensor on the GPU"
    fix_safety = Safety.SAFE

    def of_operation(self, site: Site, operation: Operation) -> Match | None:
        """A tensor that the device could have made, or that was made of the host's numbers."""
        if operation.source == "number" or dropped_move(site.file, site.place):
            return None  # TRN208 tells a number, TRN216 a move without effect
        if operation.happening is Happening.INDEX_COPY:
            return Match(site, message=_COPIED_AS_INDEX, help=_INDEX)
        made = made_and_moved(site) if isinstance(site.node, ast.Call) else None
        if made is None:
            return Match(site, message=_MADE_ELSEWHERE, help=_MAKE_ON_DEVICE)
        fields = {"factory": made.factory, "device": device_of_move(site), "made": made}
        of_sizes = made.factory in LEGACY and made.content in (Content.EXACT, Content.RANDOM)
        instead = _OF_SIZES if of_sizes else _HELP.get(made.content)
        return Match(site, fields=fields, help=instead, fix_safety=_safety(site, made))

    def edits(self, site: Site, match: Match) -> Iterable[Edit]:
        """The move goes, and its device becomes a keyword of the factory."""
        from trainlint.fixing.rewrite import add_keyword

        made: Creation | None = match.fields.get("made")
        if (
            made is None
            or not made.is_direct
            or made.factory in LEGACY
            or made.content not in _SAFETY
            or not made.exact_after
            or made.call is site.call
        ):
            return
        yield removal(site)
        for name, value in factory_keywords(site, made):
            yield add_keyword(site.source, made.call, name, value, keyword_only=True)


def _safety(site: Site, made: Creation) -> Safety | None:
    """How safe it is to create the tensor on the device; None where there is no fix."""
    safety = _SAFETY.get(made.content)
    return safety if safety is None or is_surely_alike(site, made) else Safety.UNSAFE
