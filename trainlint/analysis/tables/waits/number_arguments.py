"""Functions and methods of PyTorch whose arguments are Python numbers: a tensor that is given for one is read.

PyTorch takes a tensor of one element for a number and calls `.item()` on it, so that the host waits for the device.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple


class NumberArguments(NamedTuple):
    """The arguments of one function that are numbers, or lists of numbers."""

    name: str
    first: int = 0
    """The place of the first one in a call of the method. A function of PyTorch takes the tensor before."""
    last: int | None = 0
    """The place of the last one; None where all that follow the first are numbers."""
    keywords: tuple[str, ...] = ()
    is_method: bool = True
    """Whether tensors have it as a method."""
    origin: str = "torch"
    """The module that has it as a function; empty for methods only."""
    makes: bool = False
    """Whether it makes a tensor of numbers alone, so that no tensor stands before them."""
    mixed: bool = False
    """Whether all of them may be tensors: only a tensor beside a number is read."""
    factor: bool = False
    """Whether the number is a factor in arithmetic, and given by its keyword alone: no size, bound or count."""


_SIZE = ("size",)
_ROWS = (
    NumberArguments("view", last=None, origin=""),
    NumberArguments("reshape", last=None, keywords=("shape",)),
    NumberArguments("expand", last=None, origin=""),
    NumberArguments("repeat", last=None, origin=""),
    NumberArguments("tile", last=None, keywords=("dims",)),
    NumberArguments("new_zeros", last=None, keywords=_SIZE, origin=""),
    NumberArguments("new_ones", last=None, keywords=_SIZE, origin=""),
    NumberArguments("new_empty", last=None, keywords=_SIZE, origin=""),
    NumberArguments("new_full", last=1, keywords=("size", "fill_value"), origin=""),
    NumberArguments("roll", keywords=("shifts",)),
    NumberArguments("narrow", first=1, last=2, keywords=("start", "length")),
    NumberArguments("topk", keywords=("k",)),
    NumberArguments("chunk", keywords=("chunks",)),
    NumberArguments("unfold", first=1, last=2, keywords=("size", "step"), origin=""),
    NumberArguments("masked_fill", first=1, last=1, keywords=("value",)),
    NumberArguments("masked_fill_", first=1, last=1, keywords=("value",), origin=""),
    NumberArguments("clamp", last=1, keywords=("min", "max"), mixed=True),
    NumberArguments("clamp_", last=1, keywords=("min", "max"), origin="", mixed=True),
    NumberArguments("clip", last=1, keywords=("min", "max"), mixed=True),
    NumberArguments("repeat_interleave", first=9, last=9, keywords=("output_size",)),
    *(
        NumberArguments(
            f"{name}{ending}", first=9, last=9, keywords=(keyword,), origin="" if ending else "torch", factor=True
        )
        for keyword, names in (("alpha", ("add", "sub")), ("value", ("addcmul", "addcdiv")))
        for name in names
        for ending in ("", "_")
    ),
    NumberArguments("pad", keywords=("pad", "value"), is_method=False, origin="torch.nn.functional"),
    NumberArguments("one_hot", keywords=("num_classes",), is_method=False, origin="torch.nn.functional"),
    # A tensor for `scale_factor` is refused.
    NumberArguments("interpolate", keywords=("size",), is_method=False, origin="torch.nn.functional"),
    *(
        NumberArguments(name, last=last, keywords=keywords, is_method=False, makes=True)
        for name, last, keywords in (
            ("zeros", None, _SIZE),
            ("ones", None, _SIZE),
            ("empty", None, _SIZE),
            ("rand", None, _SIZE),
            ("randn", None, _SIZE),
            ("full", 1, ("size", "fill_value")),
            ("eye", 1, ("n", "m")),
            ("arange", 2, ("start", "end", "step")),
            ("linspace", 2, ("start", "end", "steps")),
            ("randint", 2, ("low", "high", "size")),
            ("randperm", 0, ("n",)),
        )
    ),
)
_BY_NAME = {row.name: row for row in _ROWS}
WANTED = tuple(
    notation
    for row in _ROWS
    for notation in ((f".{row.name}",) if row.is_method else ()) + ((f"{row.origin}.{row.name}",) if row.origin else ())
)
"""All of them, in the notation of `CallRule.on`."""


@lru_cache(maxsize=1024)
def number_arguments(name: str, origin: str | None) -> NumberArguments | None:
    """The row of a call by its last name and, for an imported function, its dotted origin; None for any other call."""
    row = _BY_NAME.get(name)
    if row is None:
        return None
    return row if (row.is_method if origin is None else origin == f"{row.origin}.{name}") else None
