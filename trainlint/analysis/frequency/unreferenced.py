"""Functions that nothing refers to: in a project with programs, they never run.

A function is dead if its name, or that of a function or class around it, stands nowhere in the project but where it is
defined, comments and strings included. What a framework, a decorator, a program's start or reflection may call is not.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from trainlint.analysis.frequency.framework_roles import is_plain_base, role
from trainlint.analysis.syntax.blocks import Class, Function
from trainlint.analysis.syntax.names import constant, last_name
from trainlint.analysis.syntax.outline import Outline
from trainlint.analysis.syntax.stable_keys import Keys
from trainlint.patterns import lazy

_WORD = lazy(r"\w+")
_SPACES_BETWEEN_WORDS = bytes(
    code if code > 127 or chr(code).isalnum() or code == ord("_") else 32 for code in range(256)
)
"""For `bytes.translate`: leaves the letters of words and all that is not ASCII, and makes spaces of the rest."""
_STARTS = lazy(r"^if\s+\(?__name__\s*==", re.MULTILINE)
_REFLECTS = (
    "import_module __import__ globals( locals( locate( instantiate LightningCLI __subclasses__ __init_subclass__ "
    "getmembers sys.modules fire.Fire gin.config jsonargparse entry_points __dict__["
).split()
"""Ways to find functions and classes by names that stand in no code."""
_STARTED = lazy(r"^(main|train|run|cli|app|forward|test\w*|__\w+__)$")
"""Functions that command lines, test runners, Python and `nn.Module` call."""
_TRANSPARENT = frozenset(
    "staticmethod classmethod property cached_property no_grad inference_mode enable_grad lru_cache cache "
    "wraps contextmanager script compile".split()
)
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
    """Whether it may call functions by names that stand in no code."""


def mentions(text: str, outline: Outline) -> Mentions:
    """What a file mentions."""
    found = Counter(_words(text))
    return Mentions(
        " ".join([word for word, count in found.items() if count == 1]),
        " ".join([word for word, count in found.items() if count > 1]),
        "__name__" in text and _STARTS.search(text) is not None,
        any(word in text for word in _REFLECTS) or _takes_from_module_by_name(outline),
    )


def _words(text: str) -> list[str]:
    """What `_WORD` finds in a text, in a third of the time: the pattern is asked only about what is not ASCII."""
    spaced = text.encode("utf-8", "surrogatepass").translate(_SPACES_BETWEEN_WORDS).decode("utf-8", "surrogatepass")
    words = spaced.split()
    if text.isascii():
        return words
    return [part for word in words for part in ((word,) if word.isascii() else _WORD.findall(word))]


def _takes_from_module_by_name(outline: Outline) -> bool:
    """Whether `getattr(module, name)` takes from a module what only the run names."""
    for place in outline.calls.get("getattr", ()):
        call = place.node
        if isinstance(call, ast.Call) and len(call.args) > 1 and not isinstance(constant(call.args[1]), str):
            if last_name(call.args[0]) in outline.imports:
                return True
    return False


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
    if any(last_name(item) not in _TRANSPARENT for item in decorators):
        return False
    owner = function.owner.name if function.owner is not None else None
    known = bases.get(owner or "", ())
    return all(map(is_plain_base, known)) and not role(function.name, function.qualified_name, owner, known, ())


def _is_made_by_name(cls: Class) -> bool:
    return not cls.node.decorator_list and not cls.node.keywords


def unmentioned(needed: Mapping[str, tuple[str, ...]], own: Mentions, elsewhere: Collection[str]) -> tuple[str, ...]:
    """The functions of a file that nothing refers to. `elsewhere` are the words of the project's other files."""
    missing = set(own.once.split()).difference(elsewhere) if needed else set()
    return tuple([key for key, names in needed.items() if not missing.isdisjoint(names)])
