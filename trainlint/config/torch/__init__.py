"""The PyTorch versions that a project states in the files that declare, lock or explain what it needs.

`find` says which files are asked and which statement counts; `formats` reads one file. Nothing is executed.
"""

from trainlint.config.torch.find import TargetTorch, find_target_torch
from trainlint.config.torch.formats import is_read

__all__ = ["TargetTorch", "find_target_torch", "is_read"]
