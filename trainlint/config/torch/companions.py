"""Packages that are built for one version of torch each, so that their version tells which one is installed."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.config.torch_range import TorchRange, Version

COMPANIONS = ("torchvision", "torchaudio")
_VISION_BEFORE_TWO = {3: (1, 1), 4: (1, 2)}
"""torchvision 0.3 and 0.4. From 0.5 on, which came with torch 1.4, both count up together."""


def range_by_companion(package: str, found: TorchRange) -> TorchRange | None:
    """The versions of torch that go with a range of versions of a companion; None where it names none that is known.

    Each release of a companion requires exactly one release of torch.
    """
    from trainlint.config.torch_range import TorchRange

    minimum, maximum = (bound and _torch_of(package, bound) for bound in (found.minimum, found.maximum))
    return TorchRange(minimum, maximum, implied=True) if minimum or maximum else None


def _torch_of(package: str, version: Version) -> Version | None:
    major, minor = version
    if package == "torchaudio":
        # 0.4 came with torch 1.4, and so on to 0.13; from 2.0 on the numbers are the same.
        return version if major >= 2 else (1, minor) if major == 0 and 4 <= minor <= 13 else (2, 0) if minor else None
    if major != 0:
        return None
    if minor >= 15:
        return (2, minor - 15)
    return (1, minor - 1) if minor >= 5 else _VISION_BEFORE_TWO.get(minor)
