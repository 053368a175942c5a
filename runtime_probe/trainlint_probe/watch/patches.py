"""What stands in the place of PyTorch's own functions, and can be taken out again."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType
from typing import Any

_OWN = f"{__name__.partition('.')[0]}."
DYNAMO = "torch._dynamo.eval_frame"
"""The module of torch.compile that is told what not to compile."""


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


def hide_from_dynamo() -> None:
    """Keep torch.compile from compiling replacements, and what they ask, as if they were the user's: they run between
    two of its graphs.

    What a replacement stands around is compiled as it would be without us.
    """
    for name, module in list(sys.modules.items()):
        if name.startswith(_OWN):
            for code in _codes_of(vars(module).values(), module.__name__):
                sys.modules[DYNAMO].skip_code(code)


def _codes_of(values: Iterable[object], module: str) -> Iterator[CodeType]:
    """The code of functions and methods that a module defines, and of the functions inside of them."""
    for value in values:
        if isinstance(value, CodeType):
            yield value
            yield from _codes_of(value.co_consts, module)
        elif isinstance(value, FunctionType):
            yield from _codes_of([value.__code__], module)
        elif isinstance(value, type) and value.__module__ == module:
            yield from _codes_of(vars(value).values(), module)
