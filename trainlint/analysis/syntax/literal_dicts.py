"""Dicts that are written out: settings, in a script or in a file of their own."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from trainlint.analysis.syntax.names import constant


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
