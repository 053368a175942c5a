"""TRN205."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from trainlint.analysis.conditions.without_cuda import runs_without_cuda
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, last_name, nodes_in
from trainlint.analysis.syntax.reaching import single_value
from trainlint.analysis.types.values import Home, Kind, Origin
from trainlint.finding import Finding, Fix, Heat, Safety, Severity
from trainlint.patterns import lazy
from trainlint.rule import IN_STEP, Rule, Triggers
from trainlint.symptoms import Symptom
from trainlint_rules.sync.idioms.copies import (
    Memory,
    cast_on_host,
    file_names_other_accelerators,
    first_name,
    host_memory_is_reused,
    in_mover,
    in_own_to,
    is_surely_tensor,
    memory_of,
)
from trainlint_rules.sync.idioms.dropped_moves import dropped_move

_BATCH = lazy(r"^(mini_?|micro_?)?batch$")
_TRAINING = 0.95
_EVALUATION = {Memory.PINNED: 0.9, Memory.UNKNOWN: 0.9, Memory.PAGEABLE: 0.8}
"""Shares that were right of what was found on labelled and read code: docs/accuracy.md."""


class BlockingBatchCopy(Rule):
    """A batch copied to the device while the host waits.

    ## Why
    `.to(device)`, `.cuda()` and `.type(torch.cuda.FloatTensor)` return only when the copy is done. Until then the host
    queues no kernel and fetches no further batch. With `non_blocking=True` the copy is queued like a kernel and the
    host goes on, if the batch lies in pinned memory; from pageable memory the argument changes nothing, so the loader
    needs `pin_memory=True` as well.

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

    Kernels that read the batch wait for its copy on the device, so the results are the same bits. The fix becomes an
    unsafe one where this is not certain: the batch may be an object of the project with a `to` of its own that takes no
    such argument, its host memory is written to after the copy, or the file may run on MPS, where asynchronous copies
    have given wrong data.

    A cast before the copy, as in `inputs.float().to("cuda")`, makes a new, pageable tensor where the type changes. Let
    the copy cast: `inputs.to("cuda", torch.float32, non_blocking=True)` sends the pinned batch as it is and converts
    it on the device.

    ## Stays silent
    For conversions of the dtype alone, modules, tensors that are on the device already, loaders that Accelerate or
    Fabric has prepared, copies that run once or now and then, and data that a simulator gives.

    ## Gain
    About 3% of a step in a published GPT-2 case; more where batches are large and steps short.

    ## Confirmed by
    `trainlint probe` times the copy at this line, notes whether it is from pinned memory, and tells from a trace of a
    GPU what a step gains without the wait. `Memcpy HtoD (Pageable -> Device)`, or a stream synchronisation right after
    the copy, at this line in each step.

    ## References
    - PyTorch tutorial on `pin_memory` and `non_blocking`:
      https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html
    - Where a copy converts types, on the host or on the device:
      https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/native/cuda/Copy.cu
    - Wrong data after asynchronous copies to MPS: https://github.com/pytorch/pytorch/issues/139550
    """

    code = "TRN205"
    name = "blocking-batch-copy"
    severity = Severity.WARNING
    fix_safety = Safety.SAFE
    confirmed_by = frozenset({Symptom.HOST_TO_DEVICE})
    triggers = Triggers(calls=frozenset({"to", "cuda", "type"}), heats=IN_STEP | {Heat.EVAL_STEP, Heat.UNKNOWN})

    def check(self, site: Site) -> Iterator[Finding]:
        """Find copies of a loader's batch to CUDA that make the host wait."""
        call = site.call
        if not isinstance(call.func, ast.Attribute):
            return
        if _says_whether_to_wait(site, call) or not _goes_to_cuda(site, call) or dropped_move(site.file, site.place):
            return
        batch = call.func.value
        memory = memory_of(site, batch)
        confidence = _confidence(site, batch, memory)
        if confidence:
            message = _message(site, call, batch, memory)
            yield self.finding(site, message, confidence=confidence, fix=partial(_fix, site, call, batch))


def _says_whether_to_wait(site: Site, call: ast.Call) -> bool:
    """Whether the call sets `non_blocking`, by name, by position, or out of sight."""
    if any(keyword.arg in ("non_blocking", "async", None) for keyword in call.keywords):
        return True
    return any(isinstance(item, ast.Starred) or site.value(item).kind is not Kind.DTYPE for item in call.args[1:])


def _goes_to_cuda(site: Site, call: ast.Call) -> bool:
    if runs_without_cuda(site.file, site.block) or site.file.creates_on_device:
        return False
    name = last_name(call.func)
    if name == "type":
        return len(call.args) == 1 and _is_cuda_type(site, call.args[0])
    if name == "cuda":
        return True
    words = [item.value for item in nodes_in(call) if isinstance(item, ast.Constant) and isinstance(item.value, str)]
    other = any(word.startswith(("mps", "xla")) for word in words)
    return not other and site.file.kinds.device_argument(call, site.block) is Home.DEVICE


def _is_cuda_type(site: Site, node: ast.expr) -> bool:
    """Whether a tensor type is one of CUDA's, also where a name holds it on machines with CUDA."""
    value = single_value(node, site.block) or node
    choices = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
    return any((site.origin(item) or "").startswith("torch.cuda.") for item in choices)


def _confidence(site: Site, batch: ast.expr, memory: Memory) -> float:
    """How sure it is that this copies a host batch, often; 0 where it surely does not."""
    heat = site.heat.heat
    if any(site.file.batches.prepared(loader) for loader in site.file.batches.sources(batch, site.block)):
        return 0.0
    known = _is_host_batch(site, batch)
    if not known:
        # In a `to` of its own, the object may as well be a result on its way to the host.
        return 0.75 if heat.in_step and in_own_to(site, batch) else 0.0
    if _follows_another(site):
        known *= 0.8
    if heat.in_step:
        return _TRAINING * known
    if heat is Heat.EVAL_STEP:
        return _EVALUATION[memory] * known
    if heat is Heat.UNKNOWN:
        return 0.7 if in_mover(site, batch) else 0.5 * known
    return 0.0


def _is_host_batch(site: Site, batch: ast.expr) -> float:
    """How sure it is that a value is a batch on the host, by its source, its name or the function around it."""
    value = site.value(batch)
    if value.is_tensor and value.origin is Origin.BATCH and value.home is Home.HOST:
        return 1.0
    if value.kind is Kind.UNKNOWN and _BATCH.match(first_name(site, batch)):
        return 0.85
    moved = in_mover(site, batch) and value.kind is not Kind.MODULE and value.home is not Home.DEVICE
    return 1.0 if moved else 0.0


def _follows_another(site: Site) -> bool:
    """Whether the target is another tensor's device, which may be the one that the batch is on already."""
    given = argument(site.call, "device", 0)
    return isinstance(given, ast.Attribute) and given.attr == "device" and site.value(given.value).is_tensor


def _message(site: Site, call: ast.Call, batch: ast.expr, memory: Memory) -> str:
    spelling = f"`.{last_name(call.func)}({'...' if call.args or call.keywords else ''})`"
    waits = f"{spelling} makes the host wait until the batch is copied to the device"
    cast = cast_on_host(site, batch)
    if cast is not None:
        return (
            f"{waits}; where `.{cast}()` changes its type, it leaves pinned memory before: let the loader pin it, and "
            "copy with `non_blocking=True` and `dtype=...`, which casts on the device"
        )
    if memory is Memory.PAGEABLE:
        return f"{waits}; give the loader `pin_memory=True` first, then pass `non_blocking=True` here"
    if memory is Memory.PINNED:
        return f"{waits}; the loader pins its memory, so pass `non_blocking=True` to go on at once"
    return f"{waits}; pass `non_blocking=True`, and let the loader pin its memory"


def _fix(site: Site, call: ast.Call, batch: ast.expr) -> Fix | None:
    from trainlint.fixing.rewrite import add_keyword, attempt

    safe = (
        is_surely_tensor(site, batch)
        and not host_memory_is_reused(site, batch)
        and not file_names_other_accelerators(site.file)
    )
    return attempt(
        lambda: Fix(
            "Copy without blocking the host",
            (add_keyword(site.source, call, "non_blocking", "True"),),
            Safety.SAFE if safe else Safety.UNSAFE,
        )
    )
