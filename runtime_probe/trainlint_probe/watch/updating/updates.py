"""Each way in which an optimizer could update its parameters, tried on copies of them once the window has closed."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter_ns
from typing import Any

import torch

from trainlint_probe.environment import memory_available

_WAYS = {"for-loop": {"foreach": False}, "foreach": {"foreach": True}, "fused": {"foreach": False, "fused": True}}
_ROUNDS = 11
"""The first is left out: it makes the state."""
_ROOM = 0.25
"""The share of the free memory that the copies may take: the parameters, their gradients, and up to two moments, for
each way."""
_FEWEST = 7
"""With fewer, the rest tell too little of the median."""
_LIMIT_NS = 2_000_000_000
"""Where the first round takes longer, nothing is tried; later, no more rounds than the fewest are begun."""


def update_times(optimizer: Any) -> dict[str, tuple[float, ...]]:
    """Each way of updating that an optimizer of torch.optim has → the milliseconds of each update by it.

    All ways are tried in turn, on this machine, on tensors of the same sizes. Empty where there is nothing to choose,
    or no room for the copies.
    """
    try:
        return _measured_update_times(optimizer) if _can_be_copied(optimizer) else {}
    except RuntimeError:
        return {}  # there was less room than the driver said


def _measured_update_times(optimizer: Any) -> dict[str, tuple[float, ...]]:
    copies: dict[str, Any] = {}
    for way, chosen in _WAYS.items():
        try:
            copies[way] = _copy(optimizer, chosen)
            copies[way].step()
        except (RuntimeError, TypeError, ValueError):
            copies.pop(way, None)  # this optimizer, device or type of numbers has no such way
    times: dict[str, list[float]] = {way: [] for way in copies}
    began = perf_counter_ns()
    for done in range(1, _ROUNDS + 1):
        for way, copy in copies.items():
            times[way].append(_time_of_update(copy))
        if perf_counter_ns() - began > _LIMIT_NS and (done == 1 or done >= _FEWEST):
            break
    return {way: tuple(spent[1:]) for way, spent in times.items() if len(spent) > 1}


def _can_be_copied(optimizer: Any) -> bool:
    groups = optimizer.param_groups
    if not type(optimizer).__module__.startswith("torch.optim.") or "foreach" not in groups[0]:
        return False
    if any(group.get("differentiable") or group.get("capturable") for group in groups):
        return False
    pairs = list(_updated(optimizer))
    if not pairs or any(type(gradient) is not torch.Tensor or gradient.is_sparse for _, gradient in pairs):
        return False
    held = 4 * sum(parameter.numel() * parameter.element_size() for parameter, _ in pairs)
    return bool(len(_WAYS) * held <= _ROOM * _free(pairs[0][0].device))


def _updated(optimizer: Any) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """The parameters that have a gradient now, as the step has just used it."""
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            if parameter.grad is not None:
                yield parameter, parameter.grad


def _copy(optimizer: Any, chosen: dict[str, bool]) -> Any:
    """An optimizer of the same sort and settings, over copies, that updates in a chosen way."""
    groups = []
    for group in optimizer.param_groups:
        copies = []
        for parameter in group["params"]:
            if parameter.grad is not None:
                copy = parameter.detach().clone().requires_grad_()
                copy.grad = parameter.grad.detach().clone()
                copies.append(copy)
        if copies:
            kept = {name: value for name, value in group.items() if name not in ("params", "param_names")}
            if "fused" in chosen and "fused" not in kept:
                raise ValueError("it cannot be fused")
            kept |= {"fused": False} if "fused" in kept else {}
            groups.append({**kept, **chosen, "params": copies})
    return type(optimizer)(groups)


def _time_of_update(optimizer: Any) -> float:
    """Milliseconds, until the device is done."""
    device = optimizer.param_groups[0]["params"][0].device
    _wait_for(device)
    start = perf_counter_ns()
    optimizer.step()
    _wait_for(device)
    return (perf_counter_ns() - start) / 1e6


def _wait_for(device: torch.device) -> None:
    if device.type != "cpu":
        getattr(torch, device.type).synchronize()


def _free(device: torch.device) -> float:
    """Bytes that nobody uses; none where that cannot be known."""
    if device.type == "cuda":
        free, _ = torch.cuda.mem_get_info(device)
        return float(free)
    if device.type != "cpu":
        return 0.0
    return memory_available()
