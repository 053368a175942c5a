"""`isinstance`, where the answer is known."""

from __future__ import annotations

import ast
import re
from typing import Final

from trainlint.interpreter.machine.run import Arguments
from trainlint.interpreter.text import text
from trainlint.interpreter.values.kinds import PLAIN, Array, ClassValue, Items, Mapping_, Object, Plain, Tensor
from trainlint.interpreter.values.value import Value

_CONTAINERS: Final = re.compile("list|tuple|dict|List|Tuple|Dict|Sequence|Mapping|Iterable|Collection")
_TENSOR: Final = re.compile(r"(torch\.|th\.)?Tensor")


def is_instance(arguments: Arguments, node: ast.AST) -> Value:
    """A known answer, or a bool."""
    if len(arguments.args) < 2 or not isinstance(node, ast.Call) or len(node.args) < 2:
        return PLAIN
    value, of = arguments.args[0], arguments.args[1]
    code = text(node.args[1])
    if value.maybe_none:
        return PLAIN
    match value:
        case Tensor(container=False):
            return Plain("Tensor" in code)
        case Object() if isinstance(of, ClassValue):
            belongs = of.cls in value.cls.order
            return Plain(belongs) if belongs or not value.cls.library_bases else PLAIN
        case Items() | Mapping_() if not _CONTAINERS.search(code):
            return Plain(False)
        case Plain() | Array() if _TENSOR.fullmatch(code):
            return Plain(False)
    return PLAIN
