"""The machine and the software of a run, and what is off with them.

`python -m trainlint_probe.environment [DIRECTORY]` prints it as JSON, for processes that do not import torch.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from trainlint.evidence.run import Environment
from trainlint.history.git import Git, GitFailed
from trainlint.project import repository_around
from trainlint_probe.watch.core_usage import available
from trainlint_probe.watch.imported import loaded

# Settings whose values change how fast a training is, and tell nothing of the user.
_SETTINGS = (
    "CUDA_DEVICE_MAX_CONNECTIONS CUDA_LAUNCH_BLOCKING CUDA_MODULE_LOADING MKL_NUM_THREADS "
    "NCCL_ALGO NCCL_ASYNC_ERROR_HANDLING NCCL_DEBUG NCCL_IB_DISABLE NCCL_NET_GDR_LEVEL "
    "NCCL_P2P_DISABLE NCCL_PROTO NCCL_SHM_DISABLE NCCL_SOCKET_IFNAME "
    "OMP_NUM_THREADS PYTORCH_ALLOC_CONF PYTORCH_CUDA_ALLOC_CONF PYTORCH_HIP_ALLOC_CONF PYTORCH_NO_CUDA_MEMORY_CACHING "
    "TORCH_DISTRIBUTED_DEBUG TORCH_NCCL_ASYNC_ERROR_HANDLING TORCH_NCCL_BLOCKING_WAIT TORCHDYNAMO_DISABLE"
).split()
_SHORT = 12
"""Digits of a commit that are shown."""
_RENAMED_IN = (2, 9)
"""PYTORCH_ALLOC_CONF is the name since; the older ones are still read."""


def collect(directory: str = "") -> Environment:
    """The environment of this process, and of the repository around a directory: by default, the working one. torch is
    asked only where it has been imported.
    """
    torch = loaded("torch")
    facts: dict[str, str] = {
        "Python": platform.python_version(),
        "system": platform.platform(),
        "CPU cores": str(available()),
    }
    driver = _driver()
    if torch is not None:
        facts |= _of_torch(torch)
    if driver:
        facts["driver"] = driver
    commit = _commit(directory or str(Path.cwd()))
    if commit:
        facts["git commit"] = commit
    if hasattr(os, "getloadavg"):
        facts["load"] = f"{os.getloadavg()[0]:.1f}"
    facts |= {name: os.environ[name] for name in _SETTINGS if name in os.environ}
    return Environment(facts, concerns(facts, os.environ, has_gpu=bool(driver)))


def concerns(facts: Mapping[str, str], environment: Mapping[str, str], *, has_gpu: bool) -> tuple[str, ...]:
    """What is off, each a sentence that says what to do."""
    said = []
    version = facts.get("torch", "")
    if version and has_gpu and facts.get("CUDA") is None and facts.get("ROCm") is None:
        said.append(
            f"This machine has an NVIDIA GPU, and torch {version} is built for the CPU alone: install a build with "
            "CUDA (https://pytorch.org/get-started/locally)."
        )
    elif has_gpu and facts.get("GPU") is None and facts.get("CUDA") is not None:
        said.append(
            f"torch {version} (CUDA {facts['CUDA']}) cannot use this machine's NVIDIA GPU: check "
            "CUDA_VISIBLE_DEVICES, and whether the driver is new enough."
        )
    cores = int(facts.get("CPU cores", "1"))
    if facts.get("CPU threads") == "1" and cores > 1 and int(environment.get("LOCAL_WORLD_SIZE") or "1") == 1:
        cause = "OMP_NUM_THREADS=1 says so" if environment.get("OMP_NUM_THREADS") == "1" else "something set it so"
        said.append(
            f"torch computes with one CPU thread, and {cores} cores are there: {cause}. Raise it unless it is meant."
        )
    said += _thread_concerns(facts, cores, environment)
    said += _allocator_concerns(_version(version), environment)
    if environment.get("CUDA_LAUNCH_BLOCKING") == "1":
        said.append("CUDA_LAUNCH_BLOCKING=1 makes the CPU wait for each kernel: unset it, but for finding a fault.")
    if environment.get("PYTORCH_NO_CUDA_MEMORY_CACHING"):
        said.append("PYTORCH_NO_CUDA_MEMORY_CACHING is set: each allocation asks the driver. Unset it.")
    return tuple(said)


def _thread_concerns(facts: Mapping[str, str], cores: int, environment: Mapping[str, str]) -> list[str]:
    """More threads that compute than cores: they take turns, and each product waits for its slowest part."""
    threads, processes = int(facts.get("CPU threads", "1")), int(environment.get("LOCAL_WORLD_SIZE") or "1")
    if threads <= 1 or threads * processes <= cores:
        return []
    each = f" in each of {processes} processes" if processes > 1 else ""
    fitting = max(cores // processes, 1)
    return [
        f"torch computes with {threads} CPU threads{each} on {cores} core{'s' * (cores > 1)}: set "
        f"OMP_NUM_THREADS={fitting}, or call torch.set_num_threads with at most that."
    ]


def _allocator_concerns(version: tuple[int, int], environment: Mapping[str, str]) -> list[str]:
    said = []
    old = environment.get("PYTORCH_CUDA_ALLOC_CONF")
    if old and version >= _RENAMED_IN:
        if environment.get("PYTORCH_ALLOC_CONF"):
            said.append("PYTORCH_CUDA_ALLOC_CONF and PYTORCH_ALLOC_CONF are both set: keep the second, its name today.")
        else:
            said.append("PYTORCH_CUDA_ALLOC_CONF is called PYTORCH_ALLOC_CONF today: rename it.")
    values = environment.get("PYTORCH_ALLOC_CONF") or old or ""
    if "max_split_size_mb" in values and "expandable_segments:True" not in values.replace(" ", ""):
        said.append(
            "The allocator is told a max_split_size_mb, the older cure for fragmentation: "
            "expandable_segments:True does more, and needs no number."
        )
    return said


def _of_torch(torch: Any) -> dict[str, str]:
    facts = {
        "torch": str(torch.__version__),
        "CPU threads": str(torch.get_num_threads()),
        "float32 products": _float32(torch),
        "deterministic algorithms": str(torch.are_deterministic_algorithms_enabled()),
    }
    if torch.version.cuda:
        facts["CUDA"] = str(torch.version.cuda)
    if getattr(torch.version, "hip", None):
        facts["ROCm"] = str(torch.version.hip)
    if torch.cuda.is_available():
        device = torch.cuda.current_device() if torch.cuda.is_initialized() else 0
        properties = torch.cuda.get_device_properties(device)
        facts["GPU"] = str(properties.name)
        facts["GPU memory"] = f"{properties.total_memory / 2**30:.1f} GiB"
        facts["GPU multiprocessors"] = str(properties.multi_processor_count)
        facts["GPUs"] = str(torch.cuda.device_count())
        facts["compute capability"] = f"{properties.major}.{properties.minor}"
        facts["allocator"] = str(torch.cuda.get_allocator_backend())
        facts["TF32"] = _tf32(torch)
        facts["cuDNN"] = str(torch.backends.cudnn.version())
        facts["cuDNN benchmark"] = str(torch.backends.cudnn.benchmark)
    return facts


def tf32_allowed(torch: Any, *, is_convolution: bool) -> bool:
    """Whether float32 may be computed as TF32, in convolutions or in matrix products.

    PyTorch 2.9 has new switches, and refuses to read the old ones once a script has set a new one.
    """
    cudnn, matmul = torch.backends.cudnn, torch.backends.cuda.matmul
    said = getattr(getattr(cudnn, "conv", None) if is_convolution else matmul, "fp32_precision", None)
    return bool((cudnn if is_convolution else matmul).allow_tf32) if said is None else said == "tf32"


def _float32(torch: Any) -> str:
    """How exactly products of float32 are computed: "highest", "high" or "medium"."""
    try:
        return str(torch.get_float32_matmul_precision())
    except RuntimeError:
        return "set by fp32_precision"  # PyTorch 2.9 refuses to read the old switch once a new one is set


def _tf32(torch: Any) -> str:
    kinds = {"matrix products": False, "convolutions": True}
    allowed = [name for name, convolutions in kinds.items() if tf32_allowed(torch, is_convolution=convolutions)]
    return " and ".join(allowed) or "nowhere"


def _driver() -> str:
    """The version of NVIDIA's driver; empty where there is none."""
    # A relative entry of PATH could lead into the repository.
    tool = shutil.which("nvidia-smi", path=os.pathsep.join(filter(os.path.isabs, os.get_exec_path())))
    if tool is not None:
        said = _output_of([tool, "--query-gpu=driver_version", "--format=csv,noheader"])
        if said:
            return said.splitlines()[0].strip()
    try:
        words = Path("/proc/driver/nvidia/version").read_text(encoding="utf-8").partition("Module")[2].split()
    except OSError:
        return ""
    return next((word for word in words if word[0].isdigit()), "unknown")


def _commit(directory: str) -> str:
    """The commit that is checked out around a directory; empty where there is none, or git does not tell.

    Whether files differ from it is not asked: to answer, git may run programs that the repository names.
    """
    repository = repository_around(directory)
    if repository is None:
        return ""
    try:
        return Git(repository).head()[:_SHORT]
    except GitFailed:
        return ""


def _output_of(command: list[str]) -> str:
    """What a program prints; empty where it is absent, fails or takes too long."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _version(text: str) -> tuple[int, int]:
    parts = text.split("+")[0].split(".")
    return (int(parts[0]), int(parts[1])) if len(parts) > 1 and parts[0].isdigit() and parts[1].isdigit() else (0, 0)


def main() -> None:
    """Print the environment as JSON."""
    import importlib.util

    from trainlint.evidence.as_json import to_json

    if importlib.util.find_spec("torch") is not None:
        importlib.import_module("torch")
    sys.stdout.write(json.dumps(to_json(collect(*sys.argv[1:2]))) + "\n")


if __name__ == "__main__":
    main()
