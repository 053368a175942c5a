"""How a file is run, and whether it finds functions and classes by names that stand in no code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from trainlint.analysis.syntax.blocks import Block, Place
from trainlint.analysis.syntax.names import constant, dotted, last_name, names_in
from trainlint.analysis.syntax.outline import Outline
from trainlint.analysis.syntax.reaching import single_value
from trainlint.patterns import lazy

_STARTS = lazy(r"^if\s+\(?__name__\s*==", re.MULTILINE)
_REFLECTS = (
    "locate instantiate LightningCLI gin.config jsonargparse get_obj_from_str instantiate_from_config __subclasses__"
    " __init_subclass__".split()
)
"""Names by which functions and classes of any file are found: by names that configurations have, or by none."""
_HOLDERS = frozenset("args config cfg opt opts options hparams conf params settings flags hps".split())
"""What holds the options of a program, also behind a prefix."""
_REFLECTS_NEAR = "globals eval getmembers Fire".split()
"""Calls that may find functions of their own file, and of what that imports, by such texts."""


class Lookups(NamedTuple):
    """What a file says of how functions may be called."""

    starts: bool
    """Whether it is run as a program."""
    reflects: bool
    """Whether it may call functions of any file by names that stand in no code."""
    takes_from_modules: bool
    """Whether it takes things by such names from modules that only the run names, or that other packages declare."""
    reflects_near: bool
    """Whether it may so call its own functions, and those of modules that it imports."""
    imports: tuple[str, ...]
    """The dotted origins of what it imports; relative ones keep their dots."""


def lookups(text: str, outline: Outline) -> Lookups:
    """What a file looks up by names, and whether it is a program."""
    return Lookups(
        "__name__" in text and _STARTS.search(text) is not None,
        any(_names_code(word, text) for word in _REFLECTS),
        _names_code("entry_points", text) or _takes_from_any_module(outline),
        _takes_by_name(outline) or ("__dict__" in text and _takes_from_dict(outline)),
        tuple(dict.fromkeys(_origins(outline))),
    )


def _names_code(word: str, text: str) -> bool:
    """Whether a word stands in the text, in code more likely than in a sentence."""
    if word not in text:
        return False
    if "." in word:
        return True
    if f"{word}(" in text or f"import {word}" in text:  # most texts have the word in a longer one, such as "allocated"
        if re.search(rf"\b{word}\(|\bimport {word}\b", text) is not None:
            return True
    return word.startswith("__") and re.search(rf"\b{word}\b", text) is not None


def _origins(outline: Outline) -> Iterator[str]:
    for place in outline.import_statements:
        match place.node:
            case ast.Import(names=names):
                yield from (item.name for item in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                base = "." * level + (module or "")
                separator = "." if module else ""
                yield from (base if item.name == "*" else f"{base}{separator}{item.name}" for item in names)


def _takes_from_any_module(outline: Outline) -> bool:
    """Whether `getattr(import_module(name), name)`, or the like with `sys.modules`, takes what only the run names."""
    return any(_loads_module(call.args[0], place.block) for place, call in _lookups(outline))


def _loads_module(value: ast.expr, block: Block) -> bool:
    made = single_value(value, block) or value
    if isinstance(made, ast.Subscript):
        return dotted(made.value) == "sys.modules"
    return isinstance(made, ast.Call) and last_name(made.func) in ("import_module", "__import__", "reload")


def _takes_from_dict(outline: Outline) -> bool:
    """Whether the names in a `__dict__` may be those of functions: it is neither that of `self` nor one of options."""
    found = (
        node.value for node in ast.walk(outline.tree) if isinstance(node, ast.Attribute) and node.attr == "__dict__"
    )
    return any(
        not _holds_options(owner) and not (isinstance(owner, ast.Name) and owner.id == "self") for owner in found
    )


def _holds_options(owner: ast.expr) -> bool:
    return any(name.lower().rpartition("_")[2] in _HOLDERS for name in names_in(owner))


def _takes_by_name(outline: Outline) -> bool:
    """Whether `getattr(module, name)`, `globals()[name]` or the like takes what only the run names."""
    for name in _REFLECTS_NEAR:
        for place in outline.calls.get(name, ()):
            if isinstance(place.node, ast.Call) and (
                name in ("getmembers", "Fire") or isinstance(place.node.func, ast.Name)
            ):
                return True
    sources = (call.args[0] for _, call in _lookups(outline) if last_name(call.args[0]) in outline.imports)
    return any(outline.package(source) != "torch" for source in sources)


def _lookups(outline: Outline) -> Iterator[tuple[Place, ast.Call]]:
    """Calls `getattr(x, name)` whose name is no constant."""
    for place in outline.calls.get("getattr", ()):
        call = place.node
        if isinstance(call, ast.Call) and len(call.args) > 1 and not isinstance(constant(call.args[1]), str):
            yield place, call
