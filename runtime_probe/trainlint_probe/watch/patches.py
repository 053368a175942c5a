"""What stands in the place of PyTorch's own functions, and can be taken out again: to measure what watching costs."""

from __future__ import annotations

from typing import Any


class Patches:
    """The replaced attributes of one process."""

    def __init__(self) -> None:
        self._all: list[tuple[Any, str, Any, Any, bool]] = []
        """Owner, name, original, replacement, and whether the owner had the attribute itself."""

    def put(self, owner: Any, name: str, replacement: Any) -> None:
        """Replace an attribute."""
        self._all.append((owner, name, getattr(owner, name), replacement, name in vars(owner)))
        setattr(owner, name, replacement)

    def take_out(self) -> None:
        """Put the originals back. What the script has put over ours since then stays, and calls ours."""
        for owner, name, original, replacement, is_own in reversed(self._all):
            if getattr(owner, name, None) is not replacement:
                continue
            if is_own:
                setattr(owner, name, original)
            else:
                delattr(owner, name)

    def put_back(self) -> None:
        """Replace again what was taken out."""
        for owner, name, original, replacement, _ in self._all:
            if getattr(owner, name, None) is original:
                setattr(owner, name, replacement)
