"""Settings of training that stand in files of their own: DeepSpeed's in JSON, those of `accelerate launch` in YAML.

Such a file becomes a tree of Python's own nodes, one dict written out, with the positions that it has in the text: a
rule about a setting then reads a file and a dict in a script alike.
"""

from __future__ import annotations

import ast
import re
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trainlint.source import SourceFile

_JSON = ".json"
_YAML = (".yaml", ".yml")
_NAME = re.compile(r"deepspeed|accelerate|fsdp|zero|config|(^|[_-])ds([_-]|\d|\.)|default|stage_?\d", re.IGNORECASE)
"""What such files are called. Others are not opened: a project may hold thousands of JSON files of data."""
_MARKS = {
    _JSON: (b'"zero_optimization"', b'"train_micro_batch_size_per_gpu"'),
    ".yaml": (b"distributed_type:",),
    ".yml": (b"distributed_type:",),
}
"""What stands in them and in few others."""
MOST_BYTES = 100_000
"""Such files are written by people, and small. A larger one holds data."""
_WORDS = {"true": True, "false": False, "null": None}


def is_settings(path: str) -> bool:
    """Whether a path is that of a JSON or YAML file."""
    return PurePath(path).suffix in _MARKS


def may_be_settings(name: str) -> bool:
    """Whether a file is called as files with settings of training are."""
    return is_settings(name) and _NAME.search(name) is not None


def holds_settings(path: str, data: bytes) -> bool:
    """Whether a JSON or YAML file holds settings that rules know of."""
    marks = _MARKS.get(PurePath(path).suffix, ())
    return len(data) <= MOST_BYTES and any(mark in data for mark in marks)


def settings_tree(source: SourceFile) -> ast.Module:
    """The settings as a module that holds one dict. Raises ValueError with a sentence where the text is none."""
    node = _from_json(source.text) if PurePath(source.path).suffix == _JSON else _from_yaml(source)
    statement = ast.copy_location(ast.Expr(node), node)
    return ast.Module([statement], [])


def _from_json(text: str) -> ast.expr:
    """JSON as Python reads it, with the commas and comments that DeepSpeed's own reader allows, too."""
    try:
        # The bracket lets it start with spaces.
        found = ast.parse(f"({text}\n)", mode="eval").body
    except (ValueError, SyntaxError, RecursionError) as error:
        raise ValueError(f"it is no JSON that trainlint reads ({error}); correct it or exclude it") from error
    for part in ast.walk(found):
        if isinstance(part, ast.expr) and part.lineno == 1:
            part.col_offset -= 1
        if isinstance(part, ast.expr) and part.end_lineno == 1:
            part.end_col_offset = (part.end_col_offset or 1) - 1
    return _Words().visit(found)  # type: ignore[no-any-return]  # ast's visitors return Any


class _Words(ast.NodeTransformer):
    """Puts constants in the place of JSON's own words for them."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.copy_location(ast.Constant(_WORDS.get(node.id, node.id)), node)


def _from_yaml(source: SourceFile) -> ast.expr:
    import yaml

    try:
        documents = list(yaml.compose_all(source.text, Loader=yaml.SafeLoader))
        loader = yaml.SafeLoader("")
        if len(documents) != 1 or documents[0] is None:
            raise ValueError("it holds not one YAML document; correct it or exclude it")
        return _converted(documents[0], loader, source)
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(f"it is no valid YAML ({' '.join(str(error).split())}); correct it or exclude it") from error


def _converted(node: Any, loader: Any, source: SourceFile) -> ast.expr:
    """One YAML node as Python's. Anchors and merge keys stand where they are named."""
    import yaml

    found: ast.expr
    if isinstance(node, yaml.MappingNode):
        keys: list[ast.expr | None] = [_converted(key, loader, source) for key, _ in node.value]
        found = ast.Dict(keys, [_converted(value, loader, source) for _, value in node.value])
    elif isinstance(node, yaml.SequenceNode):
        found = ast.List([_converted(item, loader, source) for item in node.value], ast.Load())
    else:
        value = loader.construct_object(node)
        found = ast.Constant(value if isinstance(value, str | int | float | bool | None) else str(value))
    found.lineno, found.col_offset = _position(node.start_mark, source)
    found.end_lineno, found.end_col_offset = _position(node.end_mark, source)
    return found


def _position(mark: Any, source: SourceFile) -> tuple[int, int]:
    """A line and a column as `ast` counts them."""
    line = source.line(mark.line + 1)
    return mark.line + 1, len(line[: mark.column].encode())
