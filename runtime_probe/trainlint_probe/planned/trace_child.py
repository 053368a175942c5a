"""Builds a model on the meta device and counts what autograd keeps of a forward. A process of its own runs this.

It runs code of the user, imports PyTorch, and prints one line of JSON as its last. No weight has memory: the model is
built under `torch.device("meta")`, and its forward runs on fake tensors, which have shapes and types alone.
"""

from __future__ import annotations

import importlib
import json
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext, redirect_stdout
from typing import TYPE_CHECKING

from trainlint_probe.planned.inputs import Input, read_input
from trainlint_probe.wording.errors import words_of

if TYPE_CHECKING:
    import torch
    from torch import nn

_BATCHES = (2, 4)
"""Two sizes tell what grows with the batch from what does not. Batch normalization takes no batch of one."""


class Refused(Exception):
    """What the user named cannot be planned for. The message is a sentence."""


def main(arguments: Sequence[str]) -> int:
    """Trace `package.module:callable` with inputs; the arguments are target, precision, and the inputs."""
    target, precision, *inputs = arguments
    warnings.simplefilter("ignore")  # PyTorch warns of fake tensors and of devices that are not there
    try:
        with redirect_stdout(sys.stderr):  # what the user's code prints is no part of the answer
            answer = traced(target, precision, [read_input(item) for item in inputs])
    except Refused as error:
        answer = {"error": str(error)}
    sys.stdout.write(f"\n{json.dumps(answer)}\n")
    return 0


def traced(target: str, precision: str, inputs: Sequence[Input]) -> dict[str, object]:
    """Parameters and, where inputs are given, bytes that are kept for two sizes of a batch."""
    import torch

    model = _built(target)
    if precision in ("mixed", "bf16"):
        model.to(torch.bfloat16)
    parameters = list(model.parameters())
    answer: dict[str, object] = {
        "parameters": sum(item.numel() for item in parameters),
        "trained": sum(item.numel() for item in parameters if item.requires_grad),
        "largest_unit": largest_unit(model),
    }
    if inputs:
        answer["forwards"] = [_forward(model, inputs, precision, batch) for batch in _BATCHES]
    return answer


def _built(target: str) -> nn.Module:
    """The model that a callable makes, on the meta device."""
    import torch

    module_name, _, name = target.partition(":")
    try:
        function = _attribute(importlib.import_module(module_name), name)
    except Exception as error:
        raise Refused(f"{target} cannot be imported ({words_of(error)})") from error
    if not callable(function):
        raise Refused(f"{target} is a {type(function).__name__}, which cannot be called to make a model")
    try:
        with torch.device("meta"):
            model = function()
    except Exception as error:
        raise Refused(
            f"{target} could not be built without memory for its weights ({words_of(error)}); "
            "a constructor that reads values of tensors or loads weights needs a variant that does not"
        ) from error
    if not isinstance(model, torch.nn.Module):
        raise Refused(f"{target} returned a {type(model).__name__}, not a torch.nn.Module")
    return model.to("meta").train()


def _attribute(module: object, dotted: str) -> Callable[[], object] | object:
    for name in dotted.split("."):
        module = getattr(module, name)
    return module


def largest_unit(model: nn.Module) -> int:
    """Parameters of the largest part that FSDP gathers at once: an item of a list of layers, or all that is in none."""
    from torch import nn

    units, inside = [0], set[int]()
    for module in model.modules():
        if isinstance(module, nn.ModuleList | nn.Sequential | nn.ModuleDict):
            items = module.values() if isinstance(module, nn.ModuleDict) else module
            sizes = [sum(weight.numel() for weight in item.parameters()) for item in items]
            if len(sizes) > 1 and id(module) not in inside:
                units += sizes
                inside |= {id(part) for item in items for part in item.modules()}
                inside |= {id(weight) for item in items for weight in item.parameters()}
    outside = sum(weight.numel() for weight in model.parameters() if id(weight) not in inside)
    return int(max(*units, outside))


def _forward(model: nn.Module, inputs: Sequence[Input], precision: str, batch: int) -> dict[str, float]:
    """Bytes that autograd keeps of a forward, without parameters, and bytes of the results."""
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode

    autocast = torch.autocast("cpu", dtype=torch.bfloat16) if precision == "autocast" else nullcontext()
    try:
        # Without oneDNN, whose recurrent layers keep a buffer of a size that fake tensors do not show.
        with FakeTensorMode(allow_non_fake_inputs=True), torch.backends.mkldnn.flags(enabled=False):
            states = {name: _fake(item) for name, item in (*model.named_parameters(), *model.named_buffers())}
            positional, named = _arguments(inputs, batch, torch.bfloat16 if precision in ("mixed", "bf16") else None)
            own = {_identity(item) for item in states.values()}
            with autocast:
                kept, results = saved(lambda: torch.func.functional_call(model, states, positional, named), own)
    except Exception as error:
        raise Refused(
            f"cannot trace the forward with a batch of {batch} ({words_of(error)}); a forward that reads "
            "values of tensors cannot run without them"
        ) from error
    outputs = sum(item.numel() * item.element_size() for item in _tensors(results) if item.is_floating_point())
    return {"batch": batch, "kept": kept, "outputs": outputs}


def _fake(item: torch.Tensor) -> torch.Tensor:
    import torch

    made = torch.empty_strided(item.shape, item.stride(), dtype=item.dtype, device="cpu")
    return made.requires_grad_(item.requires_grad)


def _arguments(
    inputs: Sequence[Input], batch: int, dtype: torch.dtype | None
) -> tuple[tuple[torch.Tensor, ...], dict[str, torch.Tensor]]:
    import torch

    positional, named = [], {}
    for item in inputs:
        made = torch.empty((batch, *item.sizes), dtype=torch.long if item.tokens else dtype, device="cpu")
        if item.name is None:
            positional.append(made)
        else:
            named[item.name] = made
    return tuple(positional), named


def saved(forward: Callable[[], object], own: set[int]) -> tuple[int, object]:
    """Bytes of all storages that autograd keeps of a forward, each counted once, without those in `own`."""
    import torch

    kept: dict[int, torch.UntypedStorage] = {}

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        identity = _identity(tensor)
        if identity not in own:
            kept[identity] = tensor.untyped_storage()  # held, so that no other comes to lie in its place
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        results = forward()
    return sum(storage.nbytes() for storage in kept.values()), results


def _identity(tensor: torch.Tensor) -> int:
    """The same number for all views of a storage. Fake tensors have no address."""
    from torch.multiprocessing.reductions import StorageWeakRef

    return int(StorageWeakRef(tensor.untyped_storage()).cdata)


def _tensors(results: object) -> Iterator[torch.Tensor]:
    """The tensors in what a forward returns."""
    import torch

    if isinstance(results, torch.Tensor):
        yield results
    elif isinstance(results, Mapping):
        for item in results.values():
            yield from _tensors(item)
    elif isinstance(results, list | tuple):
        for item in results:
            yield from _tensors(item)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
