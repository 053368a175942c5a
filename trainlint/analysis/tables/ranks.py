"""How code asks for the rank of its process and the size of the job: functions of PyTorch, and people's own names."""

from __future__ import annotations

import re

from trainlint.patterns import lazy

NUMBER_FUNCTIONS = ("get_rank", "get_world_size")
"""Functions of torch.distributed that return a number of the host."""
FLAGS = ("is_main_process", "is_local_main_process", "is_world_process_zero", "is_global_zero")
"""Flags of Accelerate, transformers and Lightning that hold in one process only."""
NAMES = (*NUMBER_FUNCTIONS, *FLAGS)
RANK_NAME = lazy(
    r"(^|_)(global_|local_|world_|data_parallel_|dp_|ddp_|node_)?rank($|_)|^rank\d?$|"
    r"(^|_)(is_|on_|am_)?(main|master|chief|primary|rank_?zero|rank_?0|global_zero|world_process_zero|local_main)"
    r"(_process|_rank|_proc|_worker)?($|_)|^is_(last|first)_rank$|^is_logging_process$|^get_(global_|local_)?rank$",
    re.IGNORECASE,
)
"""Names of whatever depends on the rank of the process."""
