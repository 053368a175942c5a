"""Settings of training in JSON and YAML files as a tree of Python's own nodes: one dict, written out.

The nodes have the positions that the settings have in the text. A rule about a setting so reads a file and a dict in a
script alike.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING, Any

from trainlint.bounded import SETTINGS_BYTES
from trainlint.source import UnreadableSource
from trainlint.training_settings.files import JSON

if TYPE_CHECKING:
    from trainlint.source import SourceFile

_WORDS = {"true": True, "false": False, "null": None}


def settings_tree(source: SourceFile) -> ast.Module:
    """The settings as a module that holds one dict.

    Raises ValueError with a sentence where the text is none, and UnreadableSource where it is nested too deeply or its
    aliases stand for much more than is written.
    """
    try:
        node = _from_json(source.text) if source.path.endswith(JSON) else _from_yaml(source)
    except (RecursionError, MemoryError) as error:
        raise UnreadableSource("it is nested too deeply to be read; exclude it") from error
    statement = ast.copy_location(ast.Expr(node), node)
    return ast.Module([statement], [])


def _from_json(text: str) -> ast.expr:
    """JSON as Python reads it, with the commas and comments that DeepSpeed's own reader allows, too."""
    try:
        # The bracket lets it start with spaces.
        found = ast.parse(f"({text}\n)", mode="eval").body
    except (ValueError, SyntaxError) as error:
        if "too many nested" in str(error):
            raise RecursionError from error
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
        return _converted(documents[0], loader, source, count(1))
    except yaml.YAMLError as error:
        raise ValueError(f"it is no valid YAML ({' '.join(str(error).split())}); correct it or exclude it") from error


def _converted(node: Any, loader: Any, source: SourceFile, counter: Iterator[int]) -> ast.expr:
    """One YAML node as Python's. Anchors and merge keys stand where they are named."""
    import yaml

    if next(counter) > SETTINGS_BYTES:
        # Ten lines of aliases of aliases can stand for thousands of millions of values.
        raise UnreadableSource(
            f"its aliases stand for more than {SETTINGS_BYTES:,} values; write them out or exclude it"
        )
    found: ast.expr
    if isinstance(node, yaml.MappingNode):
        keys: list[ast.expr | None] = [_converted(key, loader, source, counter) for key, _ in node.value]
        found = ast.Dict(keys, [_converted(value, loader, source, counter) for _, value in node.value])
    elif isinstance(node, yaml.SequenceNode):
        found = ast.List([_converted(item, loader, source, counter) for item in node.value], ast.Load())
    else:
        found = ast.Constant(_value(node, loader))
    found.lineno, found.col_offset = _position(node.start_mark, source)
    found.end_lineno, found.end_col_offset = _position(node.end_mark, source)
    return found


def _value(node: Any, loader: Any) -> str | int | float | bool | None:
    """What a scalar stands for; its text where that is none of JSON's values."""
    try:
        value = loader.construct_object(node)
        text = str(value)
    except Exception:  # noqa: BLE001  # PyYAML raises what int(), float() and dicts raise: `!!bool maybe` is a KeyError
        return str(node.value)
    return value if isinstance(value, str | int | float | bool | None) else text


def _position(mark: Any, source: SourceFile) -> tuple[int, int]:
    """A line and a column as `ast` counts them."""
    line = source.line(mark.line + 1)
    return mark.line + 1, len(line[: mark.column].encode())
