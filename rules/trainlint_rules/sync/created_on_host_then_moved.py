"""TRN207."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from trainlint.analysis.effects.creations import ALL, LEGACY, Content, Creation, holds_nothing
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name, position
from trainlint.analysis.tables.waits.device_copies import MOVING_METHODS
from trainlint.contract.bases import CallRule
from trainlint.contract.confidence import doubted
from trainlint.contract.declared_rule import EACH_STEP, Match
from trainlint.contract.guards.conditions import made_where_missing
from trainlint.finding import Confidence, Edit, Heat, Safety
from trainlint.interpreter.machine.events import Happening
from trainlint.rule import Triggers
from trainlint.symptoms import Symptom
from trainlint_rules.sync.idioms.host_lists import host_index, same_index
from trainlint_rules.sync.idioms.moved.creations import (
    device_of_move,
    doubts,
    draws_permutation,
    factory_keywords,
    for_export,
    in_sight,
    is_range,
    is_surely_alike,
    made_and_moved,
    made_anew,
    once_per_sequence,
    removal,
    stored_on_device,
)
from trainlint_rules.sync.idioms.moved.results import is_attribute, is_moved_result, moved_beside
from trainlint_rules.sync.idioms.reads.read_guards import needs_no_cuda

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing the run takes long, and a rule needs only its result
    from trainlint.interpreter.operations import Operation

_SAFETY = {  # for contents that a factory can make on the device; values of Python are copied there in any case
    Content.EXACT: Safety.SAFE,
    Content.ROUNDED: Safety.NUMERICS,
    Content.RANDOM: Safety.UNSAFE,
}
_COPIED = "make the tensor once, before the loop, or with the batch"
_HELP = {
    Content.CONSTANT: "make the constant once, as a buffer or before the loop",
    Content.DATA: _COPIED,
    Content.NUMBERS: "reuse the tensor while the numbers stay the same, or fill one on the GPU",
    Content.TABLE: "copy the array once, as a buffer or before the loop",
    Content.DRAWN: "draw them on the GPU: `torch.randn` or `torch.rand` with `device={device}`",
    Content.NUMBER: "write `torch.full((), number, device={device})`, which needs no copy",
}
_PERMUTED = "draw them on the GPU: `torch.randperm` with `device={device}`, cut to the number that is needed"
_OF_SIZES = "make it with `torch.empty(..., device={device})` in its dtype: the old constructor takes no device"
_INDEXED = "indexing by {what} copies it from the CPU to the GPU and forces a sync{often}"
_INDEX = "compute the index on the GPU (`torch.arange`, `torch.argsort`), or copy it once, before the loop"
_COPIED_AS_INDEX = "`{text}` copies a CPU tensor to the GPU{often} and forces a sync"
_ALIKE = "copies the same index"
_MADE_ELSEWHERE = "the CPU creates this tensor and copies it to the GPU{often}, which forces a sync"
_MAKE_ON_DEVICE = (
    "create it on the GPU, or once before the loop; if only the CPU can compute it, do so in the loader, or copy it "
    "from pinned memory with `non_blocking=True`"
)
_KEPT = "`{text}` copies a tensor that stays on the CPU to the GPU{often} and forces a sync"
_KEEP_ON_DEVICE = "keep it on the GPU: with `register_buffer`, it moves with the module"
_MOVED_TOO = "made on the CPU and copied, too"
_CONSTANT_INDEX = "create the index once, as a buffer, or use `flip`, `roll` or a slice"
_ANEW = "`{text}` copies values from the CPU to the GPU and forces a sync{often}"
_RANGE = "use `torch.arange(..., device=...)`"


class CreatedOnHostThenMoved(CallRule):
    """A tensor made on the host in each step, then moved to the device.

    ## Why
    `torch.zeros(...).to(device)` fills memory on the host and copies it to the device, and the host waits for the copy.
    `torch.zeros(..., device=device)` queues one small kernel and goes on. Indexing a device tensor by a list, an array
    or a tensor of the host (`x[:, [2, 1, 0]]`, `x[torch.arange(n), ids]`) copies the index in the same way, and so
    does `x.new_tensor(values)`. A tensor that a function makes on the host for its caller, or that an attribute of a
    module keeps there, is copied each time that it is moved.

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

    A constant is better still as a buffer (`register_buffer`) or made once before the loop, and so is a NumPy table
    that stays the same (`torch.from_numpy(self.table).to(device)`). A single Python number needs no copy at all:
    `torch.full((), number, device=device)`. What NumPy draws (`np.random`), torch can draw on the device.

    The fix is safe for fill values and whole numbers; for fractions (`linspace`, `arange` with a fractional step) it
    changes the last bit at most and needs `--numeric-fixes`; for random numbers it draws from the device's generator
    instead of the host's, gives other numbers for the same seed, and needs `--unsafe-fixes`. There is none for
    `torch.tensor(values).to(device)`: `torch.tensor(values, device=device)` makes the same copy. It is unsafe as well
    where it is not certain that the device gets the same tensor: the move may be given a dtype (a parameter `device`
    that nothing in sight passes or declares), the tensor is expanded or cut before the move, which makes it dense, a
    range has a type that rounds its numbers, or the project sets a default device. Nor is there one for
    `.cuda(rank)` where `rank` may be `None`, which is the present GPU there, and the CPU for a factory.

    ## Confirmed by
    `trainlint probe` counts the copies at this line, and tells from a trace of a GPU what a step gains
    without the waits. A small `Memcpy HtoD (Pageable -> Device)` at this line in each step of a profile.

    ## Gain
    The allocation on the host, the copy and the wait: tens of microseconds for small tensors, more with their size.
    Nothing outside of the step. Not measured here.

    ## References
    - PyTorch performance tuning guide, "Create tensors directly on the target device":
      https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    """

    code = "TRN207"
    name = "created-on-host-then-moved"
    happenings = frozenset({Happening.MADE_ON_HOST, Happening.DATA_COPY, Happening.INDEX_COPY})
    confirmed_by = frozenset({Symptom.HOST_TO_DEVICE})
    on = (*MOVING_METHODS, *ALL, ".new_tensor")
    also = Triggers(subscripts=True)
    when = EACH_STEP | {Heat.UNKNOWN: Confidence.CERTAIN, Heat.EVAL_STEP: Confidence.POSSIBLE}
    unless = (made_where_missing, needs_no_cuda, for_export, once_per_sequence)
    message = "`torch.{factory}` creates this tensor on the CPU and copies it to the GPU{often}"
    help = "pass `device={device}`"
    fix_title = "Create the tensor on the device"
    fix_safety = Safety.SAFE

    def of_operation(self, site: Site, operation: Operation) -> Match | None:
        """A tensor that the device could have made, or that was made of the host's numbers."""
        if operation.source == "number":
            return None
        if operation.happening is Happening.INDEX_COPY:
            return Match(site, message=_COPIED_AS_INDEX, help=_INDEX)
        found = self.found(site) if isinstance(site.node, ast.Call) else None
        return found if found is not None else Match(site, message=_MADE_ELSEWHERE, help=_MAKE_ON_DEVICE)

    def found(self, site: Site) -> Match | None:
        """A factory whose result is moved to the device at once, or stored into a tensor there; or an index."""
        if isinstance(site.node, ast.Subscript):
            return _indexed(site, site.node)
        if last_name(site.call.func) == "new_tensor":
            sure = made_anew(site)
            return Match(site, sure, message=_ANEW, help=_RANGE if is_range(site) else _COPIED) if sure else None
        made, stored = made_and_moved(site), last_name(site.call.func) not in MOVING_METHODS
        if made is None and not stored and is_moved_result(site):
            return _made_elsewhere(site)
        if made is None or (not stored_on_device(site) if stored else holds_nothing(made)):
            return None
        sure = doubted(doubts(site, made, stored=stored))
        fields = {"factory": made.factory, "device": device_of_move(site), "made": made}
        of_sizes = made.factory in LEGACY and made.content in (Content.EXACT, Content.RANDOM)
        instead = (
            _OF_SIZES if of_sizes else _PERMUTED if draws_permutation(made, site.block) else _HELP.get(made.content)
        )
        return Match(site, sure, fields, help=instead, fix_safety=_safety(site, made, stored=stored))

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


def _safety(site: Site, made: Creation, *, stored: bool) -> Safety | None:
    """How safe it is to create the tensor on the device; None where there is no fix."""
    safety = _SAFETY.get(made.content)
    return safety if safety is None or stored or is_surely_alike(site, made) else Safety.UNSAFE


def _made_elsewhere(site: Site) -> Match | None:
    """A tensor that other lines make on the host, moved here."""
    others = moved_beside(site)
    if any(position(other) < position(site.call) for other in others):
        return None  # told at the first of them
    related = tuple(site.related(other, _MOVED_TOO) for other in others)
    if is_attribute(site):
        return Match(site, Confidence.LIKELY, message=_KEPT, help=_KEEP_ON_DEVICE, related=related)
    return Match(site, Confidence.LIKELY, message=_MADE_ELSEWHERE, help=_MAKE_ON_DEVICE, related=related)


def _indexed(site: Site, node: ast.Subscript) -> Match | None:
    """An index on the host into a tensor on the device."""
    index = host_index(site.file, node, site.block)
    if index is None or not in_sight(site):
        return None
    others = same_index(site.file, index, site.place)
    if any(position(name) < position(index.node) and site.block.within(block) for name, block in others):
        return None  # told at the first of them
    return Match(
        site.at(index.node),
        Confidence.LIKELY,
        {"what": index.what},
        message=_INDEXED,
        help=_CONSTANT_INDEX if index.is_constant else _INDEX,
        related=tuple(site.related(name, _ALIKE) for name, _ in others),
    )
