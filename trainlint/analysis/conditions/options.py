"""Branches that only run where an option of the program is set: what a test asks of options, by their names.

What is off by default is still worth judging, but it is not what most runs do: heat behind such a branch is less sure.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache

from trainlint.analysis.conditions.option_defaults import Flags
from trainlint.analysis.syntax.blocks import Block, How
from trainlint.analysis.syntax.names import NAMES, constant, last_name, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.patterns import lazy

Wanted = tuple[str, bool]
"""The name of an option, and whether the branch needs it on or off."""
_OPTIONS = frozenset({"args", "config", "cfg", "opt", "opts", "options", "hparams", "conf", "params", "settings"})
_EXPECTED = lazy(
    r"cuda|gpu|device|accelerator|amp($|_)|fp16|bf16|half|mixed|precision|distributed|ddp|fsdp|parallel|world|rank|"
    r"accum|train|batch|clip|ema($|_)|checkpointing|resume",
    re.IGNORECASE,
)
"""Options that a run which is worth tuning sets: for its hardware, its size, and what many recipes have."""
_DEEPEST = 5


def wanted(test: ast.expr, truth: bool, block: Block, flags: Flags, depth: int = 0) -> Iterator[Wanted]:
    """The options that must all have a value for `test` to come out as `truth`.

    An option is an attribute of something that is called `args`, `config` or the like, or a name or an attribute of
    the object itself that only ever holds one.
    """
    if depth > _DEEPEST:
        return
    match test:  # the most frequent first
        case ast.Compare():
            if len(test.ops) == 1 and constant(test.comparators[0]) in (None, 0, True, False):
                same = isinstance(test.ops[0], (ast.Is, ast.Eq))
                if same or isinstance(test.ops[0], (ast.IsNot, ast.NotEq, ast.Gt)):
                    on = bool(constant(test.comparators[0])) == same
                    yield from wanted(test.left, on == truth, block, flags, depth + 1)
        case ast.Name():
            bindings = reaching(test.id, block, position(test))
            if len(bindings) == 1 and bindings[0].how is How.ASSIGN and bindings[0].value is not None:
                if not bindings[0].path:
                    yield from wanted(bindings[0].value, truth, bindings[0].block, flags, depth + 1)
        case ast.Attribute():
            if _holds_options(test.value):
                if not _is_expected(test.attr):
                    yield test.attr, truth
            elif (owner := flags.owner(test, block)) is not None:
                bindings = owner.attributes.get(test.attr, [])
                if len(bindings) == 1 and bindings[0].how is How.ASSIGN and bindings[0].value is not None:
                    yield from wanted(bindings[0].value, truth, bindings[0].block, flags, depth + 1)
        case ast.Call(func=ast.Name(id="getattr"), args=[source, name, *_]) if _holds_options(source):
            if isinstance(constant(name), str) and not _is_expected(str(constant(name))):
                yield str(constant(name)), truth
        case ast.BoolOp() if isinstance(test.op, ast.And) == truth:
            for part in test.values:
                yield from wanted(part, truth, block, flags, depth + 1)
        case ast.UnaryOp(op=ast.Not()):
            yield from wanted(test.operand, not truth, block, flags, depth + 1)


@lru_cache(NAMES)
def _is_expected(name: str) -> bool:
    return _EXPECTED.search(name) is not None


def _holds_options(node: ast.expr) -> bool:
    name = last_name(node).lower().lstrip("_")
    return name in _OPTIONS or name.rpartition("_")[2] in _OPTIONS
