"""Devices, dtypes and flags among arguments."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Final

from trainlint.interpreter.machine.frame import Arguments
from trainlint.interpreter.text import text
from trainlint.interpreter.values.kinds import Device, Place, Plain, Tensor, is_none
from trainlint.interpreter.values.value import Value

_DTYPE: Final = re.compile(r"dtype|torch\.(float|int|bool|half|double|long|bfloat)|precision")


def place_of(value: Value | None) -> Place | None:
    """The place that an argument names; None for none. What is not known is taken for the device."""
    match value:
        case None:
            return None
        case Device() | Tensor():
            return "device" if value.place == "unknown" else value.place
        case Plain(meaning="dtype"):
            return None
        case Plain() if value.text is not None:
            return "host" if value.text.startswith("cpu") else "meta" if value.text == "meta" else "device"
    return None if is_none(value) else "device"


def is_dtype(value: Value, node: ast.AST) -> bool:
    """Whether an argument is a dtype, by its value or its text."""
    if isinstance(value, Plain) and value.meaning == "dtype":
        return True
    code = text(node)
    return _DTYPE.search(code) is not None and "device" not in code


def is_false(value: Value | None) -> bool:
    """Whether an argument is False and nothing else."""
    return isinstance(value, Plain) and value.known and value.constant is False


def non_blocking(arguments: Arguments, positional: Sequence[Value]) -> bool:
    """Whether a copy is asked not to wait, by name or the last positional argument, or may be by what is not seen."""
    flag = arguments.named.get("non_blocking") or arguments.named.get("async")
    if flag is None and positional:
        last = positional[-1]
        flag = last if isinstance(last, Plain) and isinstance(last.constant, bool) else None
    return arguments.open if flag is None else not is_false(flag)
