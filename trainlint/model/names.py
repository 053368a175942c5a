"""Names as they are written and what imports make of them."""

from __future__ import annotations

import ast


def dotted(node: ast.AST) -> str | None:
    """The source spelling of a chain of names, such as "self.model.encoder"; None for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    parts.append(node.id)
    return ".".join(reversed(parts))


def last_name(node: ast.AST) -> str:
    """The last word of a name, attribute, subscripted or called thing: "item" for `x.item`; "" where there is none."""
    while isinstance(node, ast.Subscript | ast.Call):
        node = node.value if isinstance(node, ast.Subscript) else node.func
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def root_name(node: ast.AST) -> str:
    """The first word of a chain of attributes, subscripts and calls: "loss" for `loss.mean()[0].data`; "" if none."""
    while True:
        if isinstance(node, ast.Attribute | ast.Subscript | ast.Starred):
            node = node.value
        elif isinstance(node, ast.Call):
            node = node.func
        else:
            return node.id if isinstance(node, ast.Name) else ""


def names_in(node: ast.AST) -> list[str]:
    """The last word of each name and attribute in an expression: ["range", "args", "steps"] for `range(args.steps)`."""
    return [last_name(part) for part in ast.walk(node) if isinstance(part, ast.Name | ast.Attribute)]


def imported_names(node: ast.Import | ast.ImportFrom) -> list[tuple[str, str]]:
    """(local name, dotted origin) for each name that an import binds; relative modules keep their dots."""
    if isinstance(node, ast.Import):
        return [
            (alias.asname, alias.name) if alias.asname else (alias.name.partition(".")[0], alias.name.partition(".")[0])
            for alias in node.names
        ]
    module = "." * node.level + (node.module or "")
    separator = "" if module.endswith(".") or not module else "."
    return [
        (alias.asname or alias.name, f"{module}{separator}{alias.name}") for alias in node.names if alias.name != "*"
    ]


def argument(call: ast.Call, name: str, position: int | None = None) -> ast.expr | None:
    """The argument given by keyword, or by position where no `*args` stands before it; None if it is not given."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    if position is not None and position < len(call.args):
        before = call.args[: position + 1]
        if not any(isinstance(item, ast.Starred) for item in before):
            return call.args[position]
    return None


def has_unpacked_arguments(call: ast.Call) -> bool:
    """Whether `*args` or `**kwargs` could give an argument that is not written out."""
    return any(keyword.arg is None for keyword in call.keywords) or any(
        isinstance(item, ast.Starred) for item in call.args
    )


def constant(node: ast.AST | None) -> object:
    """The Python value of a literal, a negated number included; Ellipsis for anything else."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = constant(node.operand)
        if isinstance(value, int | float):
            return -value
    return ...


def position(node: ast.expr | ast.stmt | ast.arg) -> tuple[int, int]:
    """Where a node starts, as `ast` counts."""
    return node.lineno, node.col_offset


def end_position(node: ast.expr | ast.stmt | ast.arg) -> tuple[int, int]:
    """Where a node ends, as `ast` counts."""
    return node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
