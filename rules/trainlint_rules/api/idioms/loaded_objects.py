"""Whether what `torch.load` returns is used as an object, which `weights_only=True` refuses to read."""

from __future__ import annotations

import ast

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, How

_OF_CONTAINERS = frozenset("get keys values items pop update copy setdefault append extend index".split())
_OF_MODULES = frozenset(
    "eval train parameters named_parameters modules named_modules children named_children state_dict load_state_dict "
    "forward zero_grad requires_grad_ apply predict generate".split()
)
_DEEPEST = 5


def is_used_as_object(site: Site) -> bool:
    """Whether the file calls what a call loads, or a method of it that no dict or list has.

    Of a part, as in `loaded["model"].eval()`, the methods of modules count.
    """
    for place in site.file.outline.all_calls():
        assert isinstance(place.node, ast.Call)
        function = place.node.func
        if isinstance(function, ast.Attribute):
            found = _of_load(site, function.value, place.block, 0)
            methods = function.attr not in _OF_CONTAINERS, function.attr in _OF_MODULES
            if found is not None and methods[found]:
                return True
        elif _of_load(site, function, place.block, 0) is False:
            return True
    return False


def _of_load(site: Site, node: ast.expr, block: Block, depth: int) -> bool | None:
    """Whether an expression is a part of what the call loads: False for all of it, None for something else."""
    if node is site.node:
        return False
    if depth > _DEEPEST:
        return None
    if isinstance(node, ast.Subscript):
        return True if _of_load(site, node.value, block, depth + 1) is not None else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        found = _of_load(site, node.func.value, block, depth + 1)
        return found if found is None or node.func.attr not in _OF_CONTAINERS else True
    for binding in site.file.outline.bindings(node, block):
        if binding.how is How.ASSIGN and binding.value is not None and not binding.path:
            found = _of_load(site, binding.value, binding.block, depth + 1)
            if found is not None:
                return found
    return None
