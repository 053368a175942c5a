"""Dicts that are written out: settings, in a script or in a file of their own, and what functions return."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from trainlint.analysis.syntax.blocks import Block, How, Place
from trainlint.analysis.syntax.names import constant, position
from trainlint.analysis.syntax.outline import Outline
from trainlint.analysis.syntax.reaching import reaching


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """One key with its value, as they stand in the text."""

    key: ast.expr
    value: ast.expr

    @property
    def literal(self) -> object:
        """The value as Python sees it; Ellipsis where it is no constant."""
        return constant(self.value)


@dataclass(frozen=True, slots=True, eq=False)
class Settings:
    """A dict that is written out. Dicts inside it are named by the keys that lead to them."""

    node: ast.Dict

    @property
    def is_whole(self) -> bool:
        """Whether all of its keys are in sight: none is computed or comes from another dict."""
        return all(isinstance(key, ast.Constant) for key in self.node.keys)

    def get(self, *path: str) -> Setting | None:
        """The setting under a path of keys; None where it does not stand in the text."""
        *outer, last = path
        section = self.section(*outer)
        if section is None:
            return None
        for key, value in zip(section.node.keys, section.node.values, strict=True):
            if key is not None and constant(key) == last:
                return Setting(key, value)
        return None

    def section(self, *path: str) -> Settings | None:
        """The dict under a path of keys, itself where the path is empty; None where no dict is written out there."""
        if not path:
            return self
        found = self.get(*path)
        return Settings(found.value) if found is not None and isinstance(found.value, ast.Dict) else None

    def literal(self, *path: str) -> object:
        """The value under a path of keys; Ellipsis where it is absent or no constant."""
        found = self.get(*path)
        return found.literal if found is not None else ...


def keywords_as_dict(call: ast.Call) -> ast.Dict:
    """The keywords of a call as a dict that is written out."""
    keys: list[ast.expr | None]
    keys = [ast.copy_location(ast.Constant(item.arg), item) if item.arg is not None else None for item in call.keywords]
    return ast.copy_location(ast.Dict(keys, [item.value for item in call.keywords]), call)


def written_items(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """What a dict that is written out holds under names: `{"flip": False}`, `dict(flip=False)`."""
    match node:
        case ast.Dict():
            for key, value in zip(node.keys, node.values, strict=True):
                if (name := _name(key)) is not None:
                    yield name, value
        case ast.Call(func=ast.Name(id="dict")):
            yield from ((item.arg, item.value) for item in node.keywords if item.arg is not None)


def dict_items(node: ast.expr, block: Block, outline: Outline) -> Iterator[tuple[str, ast.expr, Block]]:
    """The items of a dict that is written out, or filled name by name, with the blocks in which their values stand."""
    if not isinstance(node, ast.Name):
        yield from ((key, value, block) for key, value in written_items(node))
        return
    for binding in reaching(node.id, block, position(node)):
        if binding.how is How.ASSIGN and not binding.path and binding.value is not None:
            yield from ((key, value, binding.block) for key, value in written_items(binding.value))
    for put in outline.fillings.get(node.id, ()):
        if put.block.scope is block.scope and isinstance(put.node, ast.expr):
            yield from ((key, put.node, put.block) for key in _names_filled(put))


def unpacked_items(call: ast.Call, block: Block, outline: Outline) -> Iterator[tuple[str, ast.expr, Block]]:
    """What a call is given by `**options`, as far as the file writes that out, as `dict_items` yields it."""
    for keyword in call.keywords:
        if keyword.arg is None:
            yield from dict_items(keyword.value, block, outline)


def _names_filled(put: Place) -> list[str]:
    """The names under which a statement stores something in a dict."""
    targets = put.statement.targets if isinstance(put.statement, ast.Assign) else []
    return [key for item in targets if isinstance(item, ast.Subscript) and (key := _name(item.slice)) is not None]


def _name(key: ast.expr | None) -> str | None:
    written = constant(key) if key is not None else None
    return written if isinstance(written, str) else None
