"""Reads which names of the tables stand in strings and patterns of the source."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[3]
SUBJECTS = (
    "host_reads",
    "iterables",
    "loaders",
    "parallel",
    "precision",
    "clipping",
    "optimizers",
    "collectives",
    "ranks",
    "samplers",
)
"""The tables whose names stand nowhere else."""
_READ = ("trainlint/analysis", "trainlint/fixing", "rules/trainlint_rules")
_PATTERN_MAKERS = frozenset({"lazy", "compile"})
_WORD = re.compile(r"[A-Za-z_]\w*")
_NAME = re.compile(r"\w+(\.\w+)*")


def tables() -> dict[str, ModuleType]:
    """The tables by subject."""
    return {subject: import_module(f"trainlint.analysis.tables.{subject}") for subject in SUBJECTS}


def source_files() -> list[Path]:
    """The files of the analysis, of fixes and of rules, but for the tables themselves."""
    own = {ROOT / f"trainlint/analysis/tables/{subject}.py" for subject in SUBJECTS}
    return [path for folder in _READ for path in sorted((ROOT / folder).rglob("*.py")) if path not in own]


def names_of(tree: ast.AST, known: frozenset[str]) -> Iterator[tuple[int, str]]:
    """The line and the name of each known name in a string that is a name, a list of names or a pattern.

    Sentences are none of these: docstrings, f-strings and whatever has words that are no names.
    """
    prose, split = _prose(tree), _split(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node) in _PATTERN_MAKERS:
            for part in (inner for given in node.args for inner in ast.walk(given)):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    words = _WORD.findall(re.sub(r"\\.", " ", part.value))
                    yield from ((part.lineno, word) for word in words if word in known)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in prose:
            parts = node.value.split()
            is_list = all(_NAME.fullmatch(part) and part.rpartition(".")[2] in known for part in parts)
            if is_list or node in split:
                yield from ((node.lineno, name) for part in parts if (name := part.rpartition(".")[2]) in known)


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _prose(tree: ast.AST) -> set[ast.AST]:
    """Strings for people, and those in patterns, which are read apart."""
    found: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found.add(node.value)
        elif isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Call) and _called(node) in _PATTERN_MAKERS):
            found.update(ast.walk(node))
    return found


def _split(tree: ast.AST) -> set[ast.AST]:
    """Strings that `split` makes a list of names of."""
    return {
        node.func.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "split"
    }
