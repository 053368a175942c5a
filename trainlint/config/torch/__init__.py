"""The PyTorch versions that a project targets, read from the files in which it declares or locks what it needs.

`find` says which files are asked and which of them wins; the other modules read one format each and execute nothing.
"""

from trainlint.config.torch.find import TargetTorch, find_target_torch
from trainlint.config.torch.formats import is_read

__all__ = ["TargetTorch", "find_target_torch", "is_read"]
