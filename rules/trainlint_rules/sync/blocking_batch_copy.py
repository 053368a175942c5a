"""TRN205."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from trainlint.analysis.effects.fresh_batches import is_surely_left_alone
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, last_name, position
from trainlint.analysis.tables.waits.device_copies import COPIES
from trainlint.contract.declared_rule import Match, as_written
from trainlint.contract.operation_rule import OperationRule
from trainlint.finding import Edit, Safety
from trainlint.interpreter.machine.events import Happening
from trainlint.symptoms import Symptom
from trainlint_rules.data.idioms.pinned.pinning import nothing_to_pin, pin_edits, safety_of_pinning
from trainlint_rules.sync.idioms.copies import (
    Memory,
    builds_unpinned_loaders,
    cast_on_host,
    copied,
    file_names_other_accelerators,
    in_own_to,
    is_surely_tensor,
    memory_of,
    says_whether_to_wait,
    takes_non_blocking,
    unpinned_loaders,
)
from trainlint_rules.sync.idioms.dropped_moves import dropped_move

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing the run takes long, and a rule needs only its result
    from trainlint.interpreter.operations import Operation

_UNPINNED = "set `pin_memory=True` on the loader and "
_ALIKE = "copies another part of the same batch"
_UNSURE = "make sure that the loader has `pin_memory=True`, and "
_HELP = {Memory.PINNED: "", Memory.UNKNOWN: _UNSURE, Memory.PAGEABLE: _UNPINNED}


class BlockingBatchCopy(OperationRule):
    """A batch copied to the GPU while the CPU waits.

    ## Why
    `.to(device)`, `.cuda()`, `.type(torch.cuda.FloatTensor)`, `held.copy_(batch)` and `torch.as_tensor(batch,
    device=device)` return only when the copy is done. Until then the CPU queues no kernel and fetches no further batch.
    With `non_blocking=True` the copy is queued like a kernel and the CPU continues. This needs a batch in pinned
    memory, so the loader needs `pin_memory=True` as well: each of the two does little alone.

    ## Example
    ```python
    import torch
    from torch.utils.data import DataLoader


    def train(model, criterion, optimizer, dataset):
        loader = DataLoader(dataset, batch_size=64, shuffle=True, num_workers=8, pin_memory=True)
        for inputs, targets in loader:
            inputs = inputs.to("cuda")
            targets = targets.to("cuda")
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch
    from torch.utils.data import DataLoader


    def train(model, criterion, optimizer, dataset):
        loader = DataLoader(dataset, batch_size=64, shuffle=True, num_workers=8, pin_memory=True)
        for inputs, targets in loader:
            inputs = inputs.to("cuda", non_blocking=True)
            targets = targets.to("cuda", non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    Kernels that read the batch wait for its copy on the GPU, so the results are the same bits. Where the loader stands
    in the same file and pins no memory, the fix pins it, too.

    What the program computes from a pinned batch on the CPU is a new tensor in pageable memory, whose copy blocks in
    spite of `non_blocking=True`: a cast to another type, `x / 255`, an index by a mask or a list, `torch.cat`,
    `torch.stack`. So does the copy of a slice with gaps such as `x[:, 1:]`. Copy first, and compute on the GPU. Let the
    copy cast: in place of `inputs.float().to("cuda")`, write `inputs.to("cuda", torch.float32, non_blocking=True)`,
    which sends the pinned batch as it is and converts it on the GPU.

    Rows that a step picks from NumPy arrays, as a replay buffer does, are new, pageable arrays. Keep such data on the
    GPU if it fits there; else pick the rows into a pinned tensor.

    The fix is safe where these hold together:

    - A PyTorch loader stacks the batch with PyTorch's own collate function.
    - The copy takes the batch from the loader in the same function, or the file's calls pass the loader to it.
    - The code only copies the parts of the batch, or asks for their sizes (`.shape`, `len`).

    The fix is unsafe elsewhere:

    - Another use may write to the batch's CPU memory while the GPU reads it: a call of any other function, another
      name for it, a place in a container or attribute, an operator in place.
    - The loader, or a wrapper of it, is out of sight.
    - The file uses other streams of the GPU or code in texts (`exec`), or may run on MPS, where asynchronous copies
      have given wrong data.

    There is no fix where the batch may be an object whose own `to` takes no such argument (graphs, nested tensors,
    classes of the project). There is none inside of such a `to`, which may bring results to the CPU, where they are
    read at once.

    ## Confirmed by
    `trainlint probe` counts the copies at this line. On a GPU it also tells from a trace what a step gains without the
    wait. In a profile: `Memcpy HtoD (Pageable -> Device)`, or a stream synchronisation right after the copy, at this
    line in each step.

    ## Gain
    About 3% of a step in a published GPT-2 case; more where batches are large and steps short.

    ## References
    - PyTorch tutorial on `pin_memory` and `non_blocking`:
      https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html
    - Where a copy converts types, on the CPU or on the GPU:
      https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/native/cuda/Copy.cu
    - Wrong data after asynchronous copies to MPS: https://github.com/pytorch/pytorch/issues/139550
    """

    code = "TRN205"
    name = "blocking-batch-copy"
    happenings = frozenset({Happening.BATCH_COPY})
    confirmed_by = frozenset({Symptom.HOST_TO_DEVICE})
    message = "blocking copy to the GPU{often}"
    help = "{pin}pass `non_blocking=True` here"
    fix_title = "Copy without blocking the CPU"
    fix_safety = Safety.SAFE

    def of_operation(self, site: Site, operation: Operation) -> Match | None:
        """A copy of a batch during which the host waits; TRN216 tells those of which nobody takes the result."""
        if dropped_move(site.file, site.place):
            return None
        others = tuple(_alike(site, operation))
        related = tuple(site.related(other.call, _ALIKE) for other in others)
        if not _is_copy(site):
            return Match(site, fields={"pin": "", "taking": ()}, related=related)
        known = operation.certainty == "certain"
        return replace(_without_waiting(site, others, known=known), related=related)

    def edits(self, site: Site, match: Match) -> Iterable[Edit]:
        """One more keyword, in each of the copies of this batch, and pinned memory.

        None in a helper that nothing in sight calls with a batch, and where no loader of the file, or none of the
        project, pins memory: from pageable memory the keyword changes nothing, as where somebody decided against
        pinning. Nor where a copy behind one of them goes on to wait: the host waits there for the copies before it as
        well.
        """
        from trainlint.fixing.rewrite import add_keyword

        taking = match["taking"]
        if not taking:
            return
        unpinned = site.file.outside.standing.nothing_pinned or builds_unpinned_loaders(site.file)
        if not match["pinned"] and (not match["known"] or unpinned):
            return
        if _waits_behind(taking, match["others"]) or _may_go_to_host(site):
            return
        pinning = [tuple(pin_edits(loader)) for loader in match["loaders"]]
        if not all(pinning):
            return
        for copy in taking:
            yield add_keyword(copy.source, copy.call, "non_blocking", "True")
        for edits in pinning:
            yield from edits


def _without_waiting(site: Site, others: Sequence[Site], *, known: bool) -> Match:
    """What a copy that goes on needs: the keyword in all copies of the batch, and pinned memory.

    `known` says that the batch surely comes from the host, and in each step.
    """
    memory = memory_of(site, copied(site))
    cast = cast_on_host(site, copied(site))
    taking = tuple(copy for copy in (site, *filter(_is_copy, others)) if _may_go_on(copy))
    taking = taking if site in taking else ()  # else the finding would stand after the fix
    alone = max(map(_safety_without_waiting, taking or (site,)))
    unpinned = tuple(unpinned_loaders(site))
    loaders = unpinned if memory is Memory.PAGEABLE else ()
    safety = max(alone, *map(safety_of_pinning, loaders)) if loaders else alone
    if any(map(nothing_to_pin.holds, unpinned)):
        loaders, memory = (), Memory.UNKNOWN
    if memory is Memory.UNKNOWN or cast:
        safety = Safety.UNSAFE  # where the memory is not pinned, the argument changes nothing
    fields = {"pin": _HELP[memory], "taking": taking, "others": others, "loaders": loaders}
    return Match(
        site,
        fields=fields | {"pinned": memory is not Memory.UNKNOWN, "known": known},
        help=_help_text(site, cast, memory),
        fix_safety=safety,
    )


def _alike(site: Site, operation: Operation) -> Iterator[Site]:
    """Further copies of parts of the batch that an operation copies."""
    starts = {(place.line, place.column, place.end_line, place.end_column) for place in operation.alike}
    for place in site.file.outline.all_calls() if starts else ():
        node = place.node
        if isinstance(node, ast.Call):
            span = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
            if span in starts:
                yield Site(site.file, place)


def _is_copy(site: Site) -> bool:
    """Whether a call copies by a method or function of PyTorch, whose arguments are known."""
    if not isinstance(site.node, ast.Call) or last_name(site.call.func) not in COPIES:
        return False
    return isinstance(site.call.func, ast.Attribute) or bool(site.call.args)


def _help_text(site: Site, cast: str | None, memory: Memory) -> str | None:
    """What to do about a function that takes no such keyword, or a cast on the host; None for what is usual."""
    copy = COPIES[last_name(site.call.func)]
    if not copy.may_go_on:
        target = argument(site.call, "device", None if copy.of_argument else 0)
        device = as_written(site.text(target)) if target is not None else "device"
        return f"{_HELP[memory]}copy by `.to({device}, non_blocking=True)`"
    if cast:
        return f"{_HELP[memory]}pass `non_blocking=True` and `dtype=...` here instead of calling `.{cast}()` first"
    return None


def _may_go_to_host(site: Site) -> bool:
    """Whether this is in an object's own `to`, which may bring results to the host, too, where somebody reads them."""
    function = site.function
    return function is not None and function.name == "to" and in_own_to(site, copied(site))


def _waits_behind(taking: Sequence[Site], others: Sequence[Site]) -> bool:
    """Whether one of the other copies of the batch goes on to wait, behind the first that does not."""
    first, queued = min(position(copy.call) for copy in taking), {copy.call for copy in taking}
    return any(other.call not in queued and position(other.call) > first for other in others)


def _safety_without_waiting(site: Site) -> Safety:
    """Safe for what is surely a tensor, on CUDA, whose host memory is surely left alone."""
    batch = copied(site)
    if file_names_other_accelerators(site.file) or not is_surely_tensor(site, batch):
        return Safety.UNSAFE
    return Safety.SAFE if is_surely_left_alone(site.file, batch, site.place) else Safety.UNSAFE


def _may_go_on(copy: Site) -> bool:
    """Whether one of the copies of a batch takes the keyword."""
    if not COPIES[last_name(copy.call.func)].may_go_on or says_whether_to_wait(copy):
        return False
    return takes_non_blocking(copy, copied(copy))
