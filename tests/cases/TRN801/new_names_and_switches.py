"""The new names, and code that chooses between old and new ones."""

import torch
from packaging import version

if version.parse(torch.__version__) < version.parse("2.4"):
    from torch.cuda.amp import custom_fwd
else:
    from torch.amp import custom_fwd

try:
    from torch.amp import GradScaler
except ImportError:
    from torch.cuda.amp import GradScaler

scaler = GradScaler()
_NEW = hasattr(torch.amp, "custom_bwd")
custom_bwd = torch.amp.custom_bwd if _NEW else torch.cuda.amp.custom_bwd


def make_scaler(device):
    try:
        return torch.amp.GradScaler(device=device)
    except (AttributeError, TypeError):
        return torch.cuda.amp.GradScaler()


def make_context(dtype):
    if version.parse(torch.__version__) >= version.parse("1.10"):
        return torch.autocast("cuda", dtype=dtype)
    return torch.cuda.amp.autocast(dtype=dtype)


def is_scaler(value) -> bool:
    """True for a `torch.cuda.amp.GradScaler`."""
    return isinstance(value, torch.cuda.amp.GradScaler)
