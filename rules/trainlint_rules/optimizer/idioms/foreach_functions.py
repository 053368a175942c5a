"""The functions of torch that do to a list of tensors what a method or function does to one."""

from __future__ import annotations

import ast

from trainlint.analysis.syntax.names import last_name, nodes_in, position

_BY_OPERATION = {
    "add": "_foreach_add",
    "add_": "_foreach_add_",
    "addcdiv": "_foreach_addcdiv",
    "addcdiv_": "_foreach_addcdiv_",
    "addcmul": "_foreach_addcmul",
    "addcmul_": "_foreach_addcmul_",
    "copy_": "_foreach_copy_",
    "div": "_foreach_div",
    "div_": "_foreach_div_",
    "lerp": "_foreach_lerp",
    "lerp_": "_foreach_lerp_",
    "maximum": "_foreach_maximum",
    "mul": "_foreach_mul",
    "mul_": "_foreach_mul_",
    "norm": "_foreach_norm",
    "sign": "_foreach_sign",
    "sign_": "_foreach_sign_",
    "sqrt": "_foreach_sqrt",
    "sqrt_": "_foreach_sqrt_",
    "sub": "_foreach_sub",
    "sub_": "_foreach_sub_",
    "vector_norm": "_foreach_norm",
}
"""Last name of a method or function → function of torch. A test asks the installed torch for each."""
ELEMENTWISE = frozenset(_BY_OPERATION) - {"copy_", "norm", "vector_norm"}
"""Methods and functions that compute a tensor of the same size, one kernel each."""
_BY_OPERATOR = {ast.Add: "_foreach_add_", ast.Sub: "_foreach_sub_", ast.Mult: "_foreach_mul_", ast.Div: "_foreach_div_"}
NAMES = frozenset({*_BY_OPERATION.values(), *_BY_OPERATOR.values()})


def foreach_names(node: ast.AST) -> tuple[str, ...]:
    """The functions for the operations in a loop, each once, in the order of the code."""
    found: list[tuple[tuple[int, int], str]] = []
    for part in nodes_in(node):
        match part:
            case ast.Call(func=ast.Attribute() as function) if last_name(function) in _BY_OPERATION:
                end = (function.end_lineno or 0, function.end_col_offset or 0)
                found.append((end, _BY_OPERATION[last_name(function)]))
            case ast.AugAssign() if type(part.op) in _BY_OPERATOR:
                found.append((position(part), _BY_OPERATOR[type(part.op)]))
    return tuple(dict.fromkeys(name for _, name in sorted(found)))
