"""How code asks for the rank of its process and the size of the job: functions of PyTorch, and people's own names."""

from __future__ import annotations

NUMBER_FUNCTIONS = ("get_rank", "get_world_size")
"""Functions of torch.distributed that return a number of the host."""
FLAGS = ("is_main_process", "is_local_main_process", "is_world_process_zero", "is_global_zero")
"""Flags of Accelerate, transformers and Lightning that hold in one process only."""
NAMES = (*NUMBER_FUNCTIONS, *FLAGS)
