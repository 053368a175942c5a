"""Functions that nothing refers to: in a project with programs, they never run.

A function is dead if its name, or that of a function or class around it, stands nowhere but in its definition and in
other dead functions. Strings count, comments and docstrings do not. For a function at the top of a file, only files
that may import it from there count: a function of the same name elsewhere is another one. What a framework, a
decorator, a program's start or reflection may call is not dead.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from trainlint.analysis.frequency.framework_roles import is_plain_base, role
from trainlint.analysis.syntax.blocks import Block, Class, Function, Place
from trainlint.analysis.syntax.names import constant, dotted, last_name
from trainlint.analysis.syntax.outline import Outline
from trainlint.analysis.syntax.reaching import single_value
from trainlint.analysis.syntax.stable_keys import Keys
from trainlint.analysis.tables.precision import AUTOCAST
from trainlint.patterns import lazy

_WORD = lazy(r"\w+")
_SPACES_BETWEEN_WORDS = bytes(
    code if code > 127 or chr(code).isalnum() or chr(code) in "_\n" else 32 for code in range(256)
)
"""For `bytes.translate`: leaves words, ends of lines and all that is not ASCII, and makes spaces of the rest."""
_COMMENT_LINE = lazy(r"^[^\S\n]*#.*", re.MULTILINE)
"""A line that holds a comment alone."""
_DEFINED = lazy(r"\s*(?:async\s+)?(?:def|class)\s+(\w+)")
"""The name that a line defines."""
_QUOTED = lazy(r"""["'](\w+)["']""")
_STARTS = lazy(r"^if\s+\(?__name__\s*==", re.MULTILINE)
_REFLECTS = (
    "locate instantiate LightningCLI __subclasses__ __init_subclass__ gin.config jsonargparse entry_points "
    "get_obj_from_str instantiate_from_config"
).split()
"""Names by which functions and classes of any file are found by texts that stand in no code."""
_REFLECTS_NEAR = "globals eval getmembers Fire".split()
"""Calls that may find functions of their own file, and of what that imports, by such texts."""
_STARTED = lazy(r"^(main|train|run|cli|app|forward|test\w*|__\w+__)$")
"""Functions that command lines, test runners, Python and `nn.Module` call."""
TRANSPARENT = frozenset(
    "staticmethod classmethod property cached_property no_grad inference_mode enable_grad lru_cache cache "
    "wraps contextmanager script compile dataclass final override total_ordering runtime_checkable custom_fwd "
    "custom_bwd add_start_docstrings add_start_docstrings_to_model_forward replace_return_docstrings "
    "auto_docstring".split()
) | {AUTOCAST.name}
"""Decorators that register nothing."""


class Mentions(NamedTuple):
    """The words of a file, and what it says of how its functions may be called."""

    once: str
    """Words that it holds once, with spaces between them."""
    often: str
    """Words that it holds several times."""
    starts: bool
    """Whether it is run as a program."""
    reflects: bool
    """Whether it may call functions of any file by names that stand in no code."""
    reflects_near: bool
    """Whether it may so call its own functions, and those of modules that it imports."""
    quoted: str
    """Words that are whole strings, which may name functions of any file."""
    imports: tuple[str, ...]
    """The dotted origins of what it imports; relative ones keep their dots."""


def mentions(text: str, outline: Outline) -> Mentions:
    """What a file mentions. A name that an import gives to something else is no mention of what is called so."""
    code = "\n".join(code_lines(text, outline))
    found = Counter(_words(code))
    for name, origin in outline.imports.items():
        if name not in origin.split("."):
            del found[name]
    return Mentions(
        " ".join([word for word, count in found.items() if count == 1]),
        " ".join([word for word, count in found.items() if count > 1]),
        "__name__" in text and _STARTS.search(text) is not None,
        any(_names_code(word, text, found) for word in _REFLECTS) or _takes_from_any_module(outline),
        _takes_by_name(outline) or "__dict__" in found,
        " ".join(dict.fromkeys(_QUOTED.findall(code))),
        tuple(dict.fromkeys(_origins(outline))),
    )


def _words(text: str) -> list[str]:
    """What `_WORD` finds in a text, in a third of the time: the pattern is asked only about what is not ASCII."""
    if text.isascii():
        return _spaced(text).split()
    lines = text.split("\n")
    words = _spaced("\n".join([line for line in lines if line.isascii()])).split()
    return words + [word for line in lines if not line.isascii() for word in _WORD.findall(line)]


def _words_by_line(lines: list[str]) -> list[list[str]]:
    """The words of each line."""
    text = "\n".join(lines)
    spaced = _spaced(text).split("\n")
    if text.isascii():
        return [part.split() for part in spaced]
    return [part.split() if line.isascii() else _WORD.findall(line) for line, part in zip(lines, spaced, strict=True)]


def _spaced(text: str) -> str:
    return text.encode("utf-8", "surrogatepass").translate(_SPACES_BETWEEN_WORDS).decode("utf-8", "surrogatepass")


def code_lines(text: str, outline: Outline) -> list[str]:
    """The lines of a file; those of docstrings, and those that hold a comment alone, are empty."""
    lines = _COMMENT_LINE.sub("", text).split("\n")
    functions = [item.node for item in outline.functions if not isinstance(item.node, ast.Lambda)]
    for node in (outline.tree, *functions, *(cls.node for cls in outline.classes.values())):
        first = node.body[0] if node.body else None
        if isinstance(first, ast.Expr) and isinstance(constant(first.value), str):
            start, stop = first.lineno - 1, first.end_lineno or first.lineno
            lines[start:stop] = [""] * (stop - start)
    return lines


def _names_code(word: str, text: str, found: Counter[str]) -> bool:
    """Whether a word stands in the text, in code more likely than in a sentence."""
    if "." in word:
        return word in text
    return word in found and (f"{word}(" in text or f"import {word}" in text or word.startswith("__"))


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


def _takes_by_name(outline: Outline) -> bool:
    """Whether `getattr(module, name)`, `globals()[name]` or the like takes what only the run names."""
    for name in _REFLECTS_NEAR:
        for place in outline.calls.get(name, ()):
            if isinstance(place.node, ast.Call) and (
                name in ("getmembers", "Fire") or isinstance(place.node.func, ast.Name)
            ):
                return True
    return any(last_name(call.args[0]) in outline.imports for _, call in _lookups(outline))


def _lookups(outline: Outline) -> Iterator[tuple[Place, ast.Call]]:
    """Calls `getattr(x, name)` whose name is no constant."""
    for place in outline.calls.get("getattr", ()):
        call = place.node
        if isinstance(call, ast.Call) and len(call.args) > 1 and not isinstance(constant(call.args[1]), str):
            yield place, call


def names_needed(outline: Outline, keys: Keys, bases: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Function → the names that must all be mentioned for it to run: its own and those of what is around it."""
    found = {keys.function(function): tuple(_names(outline, function, bases)) for function in outline.functions}
    return {key: names for key, names in found.items() if names}


def _names(outline: Outline, function: Function, bases: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    if _is_called_by_name(function, bases):
        yield function.name
    if function.owner is not None and _is_made_by_name(function.owner):
        yield function.owner.name
    around = outline.enclosing(function.outside)
    if around is not None:
        yield from _names(outline, around, bases)


def _is_called_by_name(function: Function, bases: Mapping[str, tuple[str, ...]]) -> bool:
    if isinstance(function.node, ast.Lambda) or _STARTED.match(function.name):
        return False
    decorators = (item.func if isinstance(item, ast.Call) else item for item in function.decorators)
    if any(last_name(item) not in TRANSPARENT for item in decorators):
        return False
    owner = function.owner.name if function.owner is not None else None
    known = bases.get(owner or "", ())
    return all(map(is_plain_base, known)) and not role(function.name, function.qualified_name, owner, known, ())


def _is_made_by_name(cls: Class) -> bool:
    return not cls.node.decorator_list and not cls.node.keywords


def users(text: str, outline: Outline, keys: Keys, needed: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Needed name → the functions of the file in which it stands besides its definitions; "" for outside of any.

    Names that stand nowhere else in the file are left out.
    """
    lines = code_lines(text, outline)
    around = _innermost(outline, keys, len(lines))
    found: dict[str, dict[str, None]] = {}
    names = {name for several in needed.values() for name in several}
    for number, words in enumerate(_words_by_line(lines)):
        for word in names.intersection(words):
            line = lines[number]
            if line.count(word) > 1 or not _defines(line, word):
                found.setdefault(word, {})[around[number]] = None
    return {name: tuple(functions) for name, functions in found.items()}


def _defines(line: str, name: str) -> bool:
    """Whether a line is the first of the definition of a function or class."""
    defined = _DEFINED.match(line)
    return defined is not None and defined[1] == name


def _innermost(outline: Outline, keys: Keys, lines: int) -> list[str]:
    """For each line, the key of the innermost function around it."""
    found = [""] * lines
    for function in outline.functions:  # in the order of the source: inner ones after those around them
        if not isinstance(function.node, ast.Lambda):
            start, stop = function.node.lineno - 1, function.node.end_lineno or function.node.lineno
            found[start:stop] = [keys.function(function)] * (stop - start)
    return found


def unmentioned(
    needed: Mapping[str, tuple[str, ...]],
    users_of: Mapping[str, tuple[str, ...]],
    elsewhere: Callable[[str, str], bool],
) -> tuple[str, ...]:
    """The functions of a file that nothing refers to.

    `elsewhere(function, name)` says whether a name that a function needs stands in other files that can mean it.
    """
    live = {name for name, functions in users_of.items() if any(key not in needed for key in functions)}
    waiting = dict(needed)
    while True:
        runs = [key for key, names in waiting.items() if all(name in live or elsewhere(key, name) for name in names)]
        if not runs:
            return tuple(waiting)
        for key in runs:
            del waiting[key]
        live |= {name for name, functions in users_of.items() if any(key not in waiting for key in functions)}
