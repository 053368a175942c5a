"""Names of today, reads, and versions that need the old way."""

import os

import torch
from packaging import version

os.environ["TORCH_NCCL_ASYNC_ERROR_HANDLING"] = "1"
os.environ["NCCL_DEBUG"] = "WARN"
os.environ["NCCL_P2P_DISABLE"] = "1"

if version.parse(torch.__version__) < version.parse("2.8"):
    os.environ["TORCH_NCCL_AVOID_RECORD_STREAMS"] = "1"

settings = {"NCCL_BLOCKING_WAIT": "1"}
settings["NCCL_BLOCKING_WAIT"] = "0"


def is_blocking():
    os.environ.pop("NCCL_ASYNC_ERROR_HANDLING", None)
    return os.environ.get("NCCL_BLOCKING_WAIT") == "1" or os.environ["NCCL_BLOCKING_WAIT"] == "1"
