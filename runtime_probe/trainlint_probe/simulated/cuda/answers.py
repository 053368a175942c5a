"""`torch.cuda` and `torch.accelerator` as they answer on a machine with GPUs."""

from __future__ import annotations

import sys
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch

from trainlint.planning.hardware import Gpu
from trainlint_probe.simulated.copies import Copies
from trainlint_probe.simulated.cuda import streams
from trainlint_probe.simulated.cuda.tensor_types import tensor_types
from trainlint_probe.simulated.events import Kind, Log, What
from trainlint_probe.simulated.places import Memory
from trainlint_probe.watch.patches import Patches

Function = Callable[..., Any]
_CAPABILITIES = {
    "v100": (7, 0),
    "t4": (7, 5),
    "a100": (8, 0),
    "a10": (8, 6),
    "l4": (8, 9),
    "h100": (9, 0),
    "h200": (9, 0),
}
"""Beginnings of the names of GPUs → the compute capability (NVIDIA's table "CUDA GPU Compute Capability")."""
_MULTIPROCESSORS = {"v100": 80, "t4": 40, "a100": 108, "a10": 72, "l4": 58, "h100": 132, "h200": 132}
"""Likewise, by the makers' data sheets."""

_OF_ACCELERATORS = (
    "is_available device_count memory_allocated max_memory_allocated memory_reserved max_memory_reserved "
    "reset_peak_memory_stats reset_accumulated_memory_stats"
).split()
"""Functions that `torch.accelerator` has as `torch.cuda` has them."""


def install(patches: Patches, gpu: Gpu, copies: Copies) -> None:
    """Put the answers in place of PyTorch's own."""
    log = copies.log
    answers = {**_answers(gpu, copies), **_of_memory(gpu, copies), **_of_chance()}
    for name, answer in answers.items():
        _replace(patches, name, answer)
    for module in (torch, torch.cuda):
        patches.put(module, "Stream", streams.Stream)
        patches.put(module, "Event", streams.Event)
    patches.put(torch.cuda, "ExternalStream", streams.Stream)
    for name in ("stream", "StreamContext"):
        patches.put(torch.cuda, name, streams.StreamContext)
    for name in ("current_stream", "default_stream", "set_stream"):
        patches.put(torch.cuda, name, getattr(streams, name))
    for name, context in _device_contexts(copies).items():
        patches.put(torch.cuda, name, context)
    patches.put(torch.cuda, "synchronize", _waiting(log, "torch.cuda.synchronize"))
    patches.put(torch.cuda.nvtx, "range_push", lambda *_: 0)
    patches.put(torch.cuda.nvtx, "range_pop", lambda *_: 0)
    patches.put(torch.cuda.nvtx, "mark", lambda *_: None)
    for name, kind in tensor_types(copies).items():
        patches.put(torch.cuda, name, kind)
    if torch.version.cuda is None:
        patches.put(torch.version, "cuda", "12.8")
    patches.put(torch.backends.cudnn, "is_available", lambda: True)
    patches.put(torch.backends.cudnn, "is_acceptable", _suits_cudnn)
    patches.put(torch.backends.cudnn, "version", lambda: 91000)
    patches.put(torch.backends.cuda, "is_built", lambda: True)
    _accelerator(patches, answers, log)


def _answers(gpu: Gpu, copies: Copies) -> dict[str, Function]:
    capability = _by_name(_CAPABILITIES, gpu.name, (9, 0))
    properties = SimpleNamespace(
        name=f"NVIDIA {gpu.device}",
        major=capability[0],
        minor=capability[1],
        total_memory=int(gpu.memory),
        multi_processor_count=_by_name(_MULTIPROCESSORS, gpu.name, 132),
        L2_cache_size=50 << 20,
        max_threads_per_multi_processor=2048,
        regs_per_multiprocessor=65536,
        shared_memory_per_block=49152,
        shared_memory_per_block_optin=232448,
        warp_size=32,
        gcnArchName="",
        is_integrated=0,
        is_multi_gpu_board=0,
        uuid="GPU-00000000-0000-0000-0000-000000000000",
    )

    def set_device(device: Any) -> None:
        copies.current = _asked(copies, device)

    return {
        "is_available": lambda: True,
        "is_initialized": lambda: True,
        **dict.fromkeys(("init", "_lazy_init", "ipc_collect"), lambda: None),
        "device_count": lambda: len(copies.places.memory),
        "current_device": lambda: copies.current,
        "set_device": set_device,
        "get_device_name": lambda device=None: f"NVIDIA {gpu.device}",
        "get_device_capability": lambda device=None: (_asked(copies, device), capability)[1],
        "get_device_properties": lambda device=None: (_asked(copies, device), properties)[1],
        "can_device_access_peer": lambda device, peer: True,
        "is_bf16_supported": lambda including_emulation=True: including_emulation or capability[0] >= 8,
        "is_tf32_supported": lambda: capability[0] >= 8,
        "get_arch_list": lambda: [f"sm_{capability[0]}{capability[1]}"],
        "get_gencode_flags": lambda: "",
        "utilization": lambda device=None: 0,
        "set_sync_debug_mode": lambda mode: None,
        "get_sync_debug_mode": lambda: 0,
    }


def _asked(copies: Copies, device: Any) -> int:
    """The index of the device that is asked for; that of the current one where a number below 0 or none is. Raises
    RuntimeError where there is no such device.
    """
    index = None if isinstance(device, int) and device < 0 else copies.index(device)
    return copies.current if index is None else index


def _of_memory(gpu: Gpu, copies: Copies) -> dict[str, Function]:
    def of(device: Any = None) -> Memory:
        return copies.places.memory[_asked(copies, device)]

    def reset_peak(device: Any = None) -> None:
        of(device).peak = of(device).live

    def statistics(device: Any = None) -> dict[str, int]:
        held = of(device)
        return defaultdict(
            int,
            {
                "allocated_bytes.all.current": held.live,
                "allocated_bytes.all.peak": held.peak,
                "reserved_bytes.all.current": held.live,
                "reserved_bytes.all.peak": held.peak,
                "allocation.all.allocated": held.allocations,
            },
        )

    kinds = ("allocated", "reserved", "cached")
    return {
        "empty_cache": _waiting(copies.log, "torch.cuda.empty_cache"),
        **{f"memory_{kind}": lambda device=None: of(device).live for kind in kinds},
        **{f"max_memory_{kind}": lambda device=None: of(device).peak for kind in kinds},
        **{f"reset_{what}": reset_peak for what in ("peak_memory_stats", "max_memory_allocated", "max_memory_cached")},
        "reset_accumulated_memory_stats": lambda device=None: None,
        "memory_stats": statistics,
        "memory_summary": lambda device=None, abbreviated=False: "",
        "mem_get_info": lambda device=None: (int(gpu.memory) - of(device).live, int(gpu.memory)),
        "set_per_process_memory_fraction": lambda fraction, device=None: None,
    }


def _of_chance() -> dict[str, Function]:
    """Devices draw from the generator of the CPU, so that a run gives what it gives on a CPU. What seeds the device
    alone changes nothing, as on a machine without one.
    """
    return {
        **dict.fromkeys(("manual_seed", "manual_seed_all"), lambda seed: None),
        **dict.fromkeys(("seed", "seed_all"), lambda: None),
        "initial_seed": torch.initial_seed,
        "get_rng_state": lambda device="cuda": torch.get_rng_state(),
        "get_rng_state_all": lambda: [torch.get_rng_state()],
        "set_rng_state": lambda state, device="cuda": torch.set_rng_state(state),
        "set_rng_state_all": lambda states: [torch.set_rng_state(state) for state in states] and None,
    }


def _suits_cudnn(tensor: Any) -> bool:
    """As `torch.backends.cudnn.is_acceptable`, of a machine that has cuDNN."""
    types = (torch.float16, torch.float32, torch.float64)
    return bool(tensor.is_cuda and torch.backends.cudnn.enabled and tensor.dtype in types)


def _accelerator(patches: Patches, of_cuda: dict[str, Function], log: Log) -> None:
    module = getattr(torch, "accelerator", None)
    if module is None:
        return
    answers: dict[str, Function] = {
        **{name: of_cuda[name] for name in _OF_ACCELERATORS},
        "current_accelerator": lambda check_available=False: torch.device("cuda"),
        "current_device_index": of_cuda["current_device"],
        "current_device_idx": of_cuda["current_device"],
        "set_device_index": of_cuda["set_device"],
        "set_device_idx": of_cuda["set_device"],
        "current_stream": streams.current_stream,
        "set_stream": streams.set_stream,
        "synchronize": _waiting(log, "torch.accelerator.synchronize"),
        "empty_cache": _waiting(log, "torch.accelerator.empty_cache"),
        "memory_stats": lambda device=None: OrderedDict(of_cuda["memory_stats"](device)),
    }
    for name, answer in answers.items():
        if hasattr(module, name):
            patches.put(module, name, answer)


def _replace(patches: Patches, name: str, answer: Function) -> None:
    """Wherever PyTorch itself keeps a function of torch.cuda by this name."""
    for module in ("torch.cuda", "torch.cuda.memory", "torch.cuda.random"):
        owner = sys.modules.get(module)
        if owner is not None and hasattr(owner, name):
            patches.put(owner, name, answer)


def _waiting(log: Log, name: str) -> Function:
    def wait(*_: Any, **__: Any) -> None:
        log.note(What(Kind.WAIT, name))

    return wait


def _device_contexts(copies: Copies) -> dict[str, type]:
    class Device:
        """As `torch.cuda.device`: an index, a name or a device; negative for nothing."""

        def __init__(self, device: Any) -> None:
            self.device = device

        def __enter__(self) -> None:
            self.before = copies.current
            copies.current = _asked(copies, self.device)

        def __exit__(self, *_: object) -> None:
            copies.current = self.before

    class DeviceOf(Device):
        """As `torch.cuda.device_of`: a tensor; one of the host changes nothing."""

        def __init__(self, tensor: Any) -> None:
            super().__init__(tensor.get_device() if isinstance(tensor, torch.Tensor) else -1)

    return {"device": Device, "device_of": DeviceOf}


def _by_name(table: dict[str, Any], name: str, otherwise: Any) -> Any:
    found = [key for key in table if name.startswith(key)]
    return table[max(found, key=len)] if found else otherwise
