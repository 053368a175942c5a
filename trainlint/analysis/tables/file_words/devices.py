"""Words by which a file says that tensors may lie on a device."""

from __future__ import annotations

from trainlint.patterns import lazy

_ANYWHERE = (b"cuda", b"accelerat", b"deepspeed", b"LightningModule", b"dist_util.dev", b"torch_xla")
_AS_WORDS = (
    (b"device", lazy(rb"\bdevice\b")),
    (b"Trainer", lazy(rb"Trainer\b")),
    (b"gpu", lazy(rb"\bgpu")),
    (b".to(", lazy(rb"\.to\(\w*dev")),
    (b"fabric", lazy(rb"\bfabric\b")),
    (b"xla", lazy(rb"\bxla\b")),
)
"""What all matches of a pattern begin with, and the pattern."""


NAME_OF_DEVICE = lazy(
    r"cuda|device|(^|_)dev$|(^|[^a-z])gpu|accelerat|deepspeed|lightning|Trainer|fabric|(^|_)xla($|_)|ignite|horovod"
)
"""The same for a single name or string of the code."""


def names_device(data: bytes) -> bool:
    """Whether the bytes of a source file name a device, or a framework that chooses one.

    Literal words are searched first: one pattern for all would take ten times as long.
    """
    if any(word in data for word in _ANYWHERE):
        return True
    firsts = ((data.find(word), pattern) for word, pattern in _AS_WORDS)
    return any(at >= 0 and pattern.search(data, at) is not None for at, pattern in firsts)


DEFAULT_PLACES = ("set_default_device", "set_default_tensor_type")
"""Functions that say where tensors are made if nothing else does."""
