"""Lists whose items are NumPy arrays, as far as the file shows it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.syntax.blocks import Block, How
from trainlint.analysis.syntax.names import last_name, position
from trainlint.analysis.syntax.reaching import reaching

_ARRAYS = frozenset(
    "array asarray ascontiguousarray stack vstack hstack concatenate load zeros ones empty full zeros_like ones_like "
    "transpose expand_dims pad flip fliplr flipud resize reshape frombuffer fromfile loadtxt".split()
)
"""Functions of NumPy whose result is no single number."""
_PICTURES = frozenset("imread resize cvtColor warpAffine GaussianBlur imdecode copyMakeBorder".split())
"""Functions of OpenCV that return pictures."""
_DEEPEST = 4


def lists_arrays(file: SemanticModel, node: ast.expr, block: Block, depth: int = _DEEPEST) -> bool:
    """Whether an expression is a list, and all that the file shows of its items are arrays."""
    if depth <= 0:
        return False
    if isinstance(node, ast.List | ast.Tuple):
        return bool(node.elts) and all(_is_array(file, item, block, depth - 1) for item in node.elts)
    if isinstance(node, ast.ListComp):
        return _is_array(file, node.elt, file.outline.loop_blocks.get(node.generators[-1], block), depth - 1)
    return isinstance(node, ast.Name) and _is_filled_with_arrays(file, node, block, depth)


def _is_filled_with_arrays(file: SemanticModel, name: ast.Name, block: Block, depth: int) -> bool:
    """The same of a name: by the lists that are assigned to it, and by what is appended."""
    bindings = reaching(name.id, block, position(name))
    lists: list[tuple[ast.expr, Block]] = []
    for item in bindings:
        if item.how is not How.ASSIGN or item.value is None or item.path:
            return False
        if not isinstance(item.value, ast.List) or item.value.elts:
            lists.append((item.value, item.block))
    appended = list(_appended(file, name.id, block))
    if not bindings or not (lists or appended):
        return False
    return all(lists_arrays(file, value, outer, depth - 1) for value, outer in lists) and all(
        _is_array(file, value, outer, depth - 1) for value, outer in appended
    )


def _appended(file: SemanticModel, name: str, block: Block) -> Iterator[tuple[ast.expr, Block]]:
    """What the function around a block appends to a name."""
    function = file.outline.enclosing(block)
    for place in file.outline.fillings.get(name, []):
        call = place.node
        if isinstance(call, ast.Call) and last_name(call.func) == "append" and call.args:
            if file.outline.enclosing(place.block) is function:
                yield call.args[0], place.block


def _is_array(file: SemanticModel, node: ast.expr, block: Block, depth: int) -> bool:
    """Whether an expression is surely an array of more than one number."""
    if isinstance(node, ast.Name) and depth > 0:
        bindings = reaching(node.id, block, position(node))
        return bool(bindings) and all(
            item.how is How.ASSIGN
            and item.value is not None
            and not item.path
            and _is_array(file, item.value, item.block, depth - 1)
            for item in bindings
        )
    if not isinstance(node, ast.Call):
        return False
    origin = file.kinds.imported(node.func, block) or ""
    root, _, name = origin.rpartition(".")
    if root == "numpy":
        return name in _ARRAYS
    if root == "cv2":
        return name in _PICTURES
    if isinstance(node.func, ast.Attribute) and node.func.attr in ("astype", "copy", "transpose"):
        return _is_array(file, node.func.value, block, depth)
    return False
