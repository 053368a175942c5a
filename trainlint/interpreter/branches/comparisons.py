"""Read a comparison: intervals, first and last steps, phases by name, devices."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, cast

from trainlint.interpreter.bounds import NAMES
from trainlint.interpreter.branches.branch import PLAIN_BRANCH, Branch, Cold
from trainlint.interpreter.branches.instances import asked_kind, is_instance
from trainlint.interpreter.branches.names import by_name, last_name, off_by_default
from trainlint.interpreter.branches.words import (
    ACCUMULATION,
    BEST,
    CHANCE,
    COUNTER,
    ELAPSED,
    EVALUATION,
    GPU,
    INFINITE,
    INTERVAL,
    LIMIT,
    OFTEN,
    ON_GPU,
    ON_OTHERS,
    OTHER_KIND,
    PADDING,
    PASSED_TIME,
    PROGRESS,
    RANK,
    SELDOM,
    SOME_VALID,
    TRAINING,
)
from trainlint.interpreter.text import text
from trainlint.interpreter.values.callables import Object
from trainlint.interpreter.values.kinds import Plain, Tensor, Unknown, is_none
from trainlint.interpreter.values.value import Value

_TURNED: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {ast.NotEq: ast.Eq, ast.IsNot: ast.Is, ast.NotIn: ast.In}
_MIRRORED: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Eq: ast.Eq,
    ast.NotEq: ast.NotEq,
    ast.Is: ast.Is,
    ast.IsNot: ast.IsNot,
    ast.Lt: ast.Gt,
    ast.LtE: ast.GtE,
    ast.Gt: ast.Lt,
    ast.GtE: ast.LtE,
}
_EQUAL: Final = (ast.Eq, ast.Is)
_EQUAL_OR_IN: Final = (*_EQUAL, ast.In)
_NAMED: Final = (ast.Name, ast.Attribute)
_OF_HOST: Final = (Plain, Unknown)
_COUNT: Final = re.compile(r"^len\(|\.(numel|nelement)\(\)$|\.size\(\w*\)$|\.shape\[[^\[\]]*\]$")
"""How many things there are."""
_LATER: Final = (ast.Gt, ast.GtE)
ValueOf = Callable[[ast.expr], Value]


def interval(counted: ast.expr, length: ast.expr, value: Value) -> Branch:
    """The branches of `counted % length == 0`, where a counter of steps is counted, or the length is an interval's."""
    if isinstance(length, ast.Constant) and isinstance(length.value, int) and length.value <= OFTEN:
        return PLAIN_BRANCH
    code = text(length)
    if not (_is_counter(counted, value) or INTERVAL.search(code)):
        return PLAIN_BRANCH
    if ACCUMULATION.search(code):
        return PLAIN_BRANCH
    return Branch(holds="rare", because=f"every `{code}` steps", interval=True)


def compared(test: ast.Compare, value_of: ValueOf, hot: bool) -> Branch:
    """The branches of a comparison of two values, in either order."""
    test = _ordered(test, value_of)
    left, operator, right = test.left, test.ops[0], test.comparators[0]
    turned = _TURNED.get(type(operator))
    if turned is not None:
        return compared(_as(test, left, turned, right), value_of, hot).turned
    if isinstance(operator, ast.Is) and isinstance(right, ast.Constant) and right.value is None:
        return _with_none(left, value_of(left))
    asked = asked_kind(test)
    if asked is not None and not isinstance(value_of(asked[0]), Object):  # which may be of a subclass
        return Branch(truth=is_instance(value_of(asked[0]), asked[1], value_of))
    remainder = _remainder(test)
    if remainder is not None:
        counted = value_of(remainder.left)
        if _is_share(test, remainder, counted):
            return Branch(holds="rare", because=f"`{text(test)}`", interval=True)
        branch = interval(remainder.left, remainder.right, counted)
        if isinstance(operator, _EQUAL_OR_IN):
            return branch
        return branch.turned if _above_zero(operator, right) else PLAIN_BRANCH
    first, second = value_of(left), value_of(right)
    by_value = isinstance(operator, _EQUAL) and (_constants(first, second) or _stored(first, second, text(test)))
    return _with_default(by_value or _by_names(test, value_of, hot) or PLAIN_BRANCH, first, test)


def _by_names(test: ast.Compare, value_of: ValueOf, hot: bool) -> Branch | None:
    left, operator, right, code = test.left, test.ops[0], test.comparators[0], text(test)
    return (
        _by_chance(left, operator, right)
        or (_infinite(left, right) if isinstance(operator, ast.Eq) else None)
        or (_with_words(left, right) or _other_kind(right) if isinstance(operator, _EQUAL_OR_IN) else None)
        or _gpu(left, operator, right, code)
        or _counted(test, value_of(left), value_of(right))
        or _measured(test, value_of(left), value_of)
        or _emptiness(left, operator, right)
        or _flag(left, value_of(left), operator, right, hot)
    )


def _by_chance(left: ast.expr, operator: ast.cmpop, right: ast.expr) -> Branch | None:
    """What a drawn number decides: `random.random() < 0.01`."""
    if not isinstance(right, ast.Constant) or not isinstance(right.value, float) or not CHANCE.search(text(left)):
        return None
    later = isinstance(operator, _LATER)
    share = 1 - right.value if later else right.value
    return Branch(holds="rare" if share <= SELDOM else "", fails="rare" if share >= 1 - SELDOM else "")


def _ordered(test: ast.Compare, value_of: ValueOf) -> ast.Compare:
    """The comparison with the side first that is asked, and the constant or limit second: `step > 5` for `5 < step`."""
    left, operator, right = test.left, test.ops[0], test.comparators[0]
    mirrored = _MIRRORED.get(type(operator))
    of_constant = isinstance(right, ast.Constant) and not isinstance(left, ast.Constant)  # most are
    if mirrored is None or of_constant or _standing(left, value_of) <= _standing(right, value_of):
        return test
    return _as(test, right, mirrored, left)


def _as(test: ast.Compare, left: ast.expr, operator: type[ast.cmpop], right: ast.expr) -> ast.Compare:
    """A comparison with its sides and operator in another form. It is made once, as is its text."""
    # No two forms of a comparison have the same operator.
    known: dict[type[ast.cmpop], ast.Compare] = test.__dict__.setdefault("trainlint_forms", {})
    if operator not in known:
        known[operator] = ast.copy_location(ast.Compare(left, [operator()], [right]), test)
    return known[operator]


def _standing(node: ast.expr, value_of: ValueOf) -> int:
    """How much a side of a comparison is what the other side is compared with."""
    if isinstance(node, ast.Constant):
        return 6 if isinstance(node.value, str) else 7
    if _words(node):
        return 5
    name = last_name(node)
    limit = _is_limit(name)
    if _is_counter(node, value_of(node)):
        return 1 if limit else 0
    if limit:
        return 4
    return 2 if ELAPSED.search(text(node)) or _is_time(value_of(node)) else 3


def _is_time(value: Value) -> bool:
    return isinstance(value, Plain) and value.meaning == "time"


@lru_cache(maxsize=NAMES)
def _is_limit(name: str) -> bool:
    return LIMIT.search(name) is not None or INTERVAL.search(name) is not None


def _words(node: ast.expr) -> list[str]:
    """The strings that a side of a comparison stands for: itself, those of a list, or what a call is given."""
    match node:
        case ast.Constant(value=str(word)):
            return [word]
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts) | ast.Call(args=parts):
            return [word for part in parts for word in _words(part)]
    return []


def _remainder(test: ast.Compare) -> ast.BinOp | None:
    """The `step % n` in a comparison; not one of a rank, or of a constant string, or one of several."""
    if "%" not in text(test):
        return None
    found = [node for node in ast.walk(test) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod)]
    if len(found) != 1 or RANK.search(text(found[0])) or isinstance(found[0].left, ast.Constant):
        return None
    return found[0]


def _is_share(test: ast.Compare, remainder: ast.BinOp, counted: Value) -> bool:
    """Whether a count that grows by more than one is due: `seen % every < batch_size`."""
    match test:
        case ast.Compare(left=left, ops=[ast.Lt()], comparators=[share]) if left is remainder:
            pass
        case ast.Compare(left=share, ops=[ast.Gt()], comparators=[right]) if right is remainder:
            pass
        case _:
            return False
    if isinstance(remainder.right, ast.Constant) or isinstance(share, ast.Constant):
        return False
    return isinstance(counted, _OF_HOST) and not (isinstance(counted, Plain) and counted.meaning == "inner")


def _above_zero(operator: ast.cmpop, right: ast.expr) -> bool:
    return isinstance(operator, ast.Gt) and isinstance(right, ast.Constant) and right.value == 0


def _infinite(left: ast.expr, right: ast.expr) -> Branch | None:
    """Whether a setting is infinite, as the kind of a norm: mostly it is not."""
    return Branch(holds="off", because=f"`{text(left)}` is mostly finite") if INFINITE.search(text(right)) else None


def _gpu(left: ast.expr, operator: ast.cmpop, right: ast.expr, code: str) -> Branch | None:
    """Whether there is a GPU, asked by a count or a flag; how many there are is not known."""
    if isinstance(operator, ast.In) and isinstance(left, ast.Constant) and left.value in ON_GPU:
        return Branch(truth=True, because="a GPU is there")  # `"cuda" in device`
    if GPU.search(last_name(left)) is None or RANK.search(code) or not isinstance(right, ast.Constant):
        return None
    asked = _above_zero(operator, right)
    asked = asked or (isinstance(operator, ast.GtE) and right.value in (0, 1))
    if isinstance(operator, _EQUAL) and isinstance(right.value, bool):
        return Branch(truth=right.value, because="a GPU is there")
    return Branch(truth=True, because="a GPU is there") if asked else None


def _is_counter(node: ast.expr, value: Value) -> bool:
    """Whether an expression counts steps: by its value, or, where that says nothing, by its name."""
    if isinstance(node, ast.BinOp) and isinstance(node.right, ast.Constant):  # `step + 1`
        node = node.left
    if isinstance(value, Plain) and value.meaning in ("counter", "inner"):
        return value.meaning == "counter"
    if not isinstance(value, _OF_HOST) or not isinstance(node, _NAMED):
        return False  # `len(steps)` counts no steps
    return COUNTER.match(last_name(node)) is not None or PROGRESS.search(text(node)) is not None


def _with_none(left: ast.expr, value: Value) -> Branch:
    if not isinstance(value, Unknown) and not value.maybe_none:
        return Branch(truth=is_none(value))
    if GPU.search(last_name(left)):
        return Branch(truth=False, because="a GPU is there")
    off = off_by_default(value, text(left))
    return PLAIN_BRANCH if off is None else off.turned


def _with_words(left: ast.expr, right: ast.expr) -> Branch | None:
    """A comparison with strings: phases and devices."""
    words = _words(right)
    if not words:
        return None
    because = f"`{text(left)}` is {words[0]!r}"
    if any(word in ON_GPU for word in words):
        return Branch(truth=True, because="a GPU is there")
    if all(word in ON_OTHERS for word in words):
        return Branch(truth=False, because="for another kind of device")
    if PADDING.search(last_name(left)):
        return PLAIN_BRANCH
    training = [TRAINING.search(word) is not None for word in words]
    evaluation = [EVALUATION.search(word) is not None for word in words]
    if any(training):
        return PLAIN_BRANCH if any(evaluation) else Branch(fails="evaluation", because=because)
    return Branch(holds="evaluation", because=because) if all(evaluation) else PLAIN_BRANCH


def _with_default(branch: Branch, value: Value, test: ast.Compare) -> Branch:
    """A comparison of an option with strings, of which its default may be one, where nothing else is known of it."""
    words = _words(test.comparators[0])
    if branch is not PLAIN_BRANCH or not isinstance(value, Plain) or not value.default or not words:
        return branch
    if not isinstance(test.ops[0], _EQUAL_OR_IN):
        return branch
    off = Branch(holds="off", because=f"`{text(test.left)}` is {value.default!r} by default")
    return off.turned if value.default in words else off


def _other_kind(right: ast.expr) -> Branch | None:
    """A comparison with a member of an enumeration of devices that are no GPUs: `kind == DeviceKind.XLA`."""
    if isinstance(right, ast.Attribute) and OTHER_KIND.match(right.attr):
        return Branch(truth=False, because="for another kind of device")
    return None


def _stored(first: Value, second: Value, text: str) -> Branch | None:
    """A test or a remainder that was stored before, compared with a flag or zero."""
    if not isinstance(first, Plain) or first.says is None or not isinstance(second, Plain):
        return None
    if not second.known or second.constant not in (0, 1) or (second.constant == 1 and second.constant is not True):
        return None
    holds, fails = first.says
    branch = Branch(None, cast(Cold, holds), cast(Cold, fails), f"`{text}`")
    return branch if second.constant else branch.turned


def _constants(first: Value, second: Value) -> Branch | None:
    if isinstance(first, Plain) and isinstance(second, Plain) and first.known and second.known:
        return Branch(truth=first.constant == second.constant)
    return None


def _counted(test: ast.Compare, value: Value, end: Value) -> Branch | None:
    """A counter of steps against a number or an end: first steps, last steps, a warm-up."""
    left, operator, right = test.left, test.ops[0], test.comparators[0]
    if isinstance(value, Tensor) or not _is_counter(left, value):
        return None
    because = f"`{text(test)}`"
    if isinstance(operator, _EQUAL_OR_IN):
        return Branch(holds="rare", because=because)
    limits = LIMIT.search(text(right)) is not None
    if limits and _is_counter(right, end) and LIMIT.search(last_name(left)):
        return PLAIN_BRANCH  # either may be the limit
    if isinstance(operator, ast.Lt | ast.LtE):
        if isinstance(right, ast.Constant):
            return Branch(holds="rare", because=because)
        return Branch(fails="rare", because=because) if limits else PLAIN_BRANCH
    if isinstance(right, ast.Constant):
        return Branch(fails="rare", because=because)
    return Branch(holds="rare", because=because) if limits else PLAIN_BRANCH


def _measured(test: ast.Compare, value: Value, value_of: ValueOf) -> Branch | None:
    """A best result so far, or time that has passed."""
    left, right = test.left, test.comparators[0]
    if BEST.search(last_name(left)) or BEST.search(last_name(right)):
        return Branch(holds="rare", because=f"`{text(test)}`")
    passed = _is_time(value) or PASSED_TIME.search(text(test)) is not None
    later = isinstance(test.ops[0], _LATER) and not isinstance(value, Tensor) and passed
    if later and _standing(left, value_of) != _standing(right, value_of):
        return Branch(holds="rare", because=f"`{text(test)}`")
    return None


def _emptiness(left: ast.expr, operator: ast.cmpop, right: ast.expr) -> Branch | None:
    """Whether there is anything at all, asked by a count: mostly there is."""
    if not isinstance(right, ast.Constant) or right.value != 0:
        return None
    if not (_COUNT.search(text(left)) or SOME_VALID.search(text(left))):
        return None
    empty = Branch(holds="rare", because=f"`{text(left)}` is mostly more than 0")
    return empty if isinstance(operator, ast.Eq) else empty.turned if isinstance(operator, ast.Gt) else None


def _flag(left: ast.expr, value: Value, operator: ast.cmpop, right: ast.expr, hot: bool) -> Branch | None:
    """A flag that is compared with True or False, or a number that is compared with zero."""
    if not isinstance(right, ast.Constant):
        return None
    above = _above_zero(operator, right) or (isinstance(operator, ast.GtE) and right.value == 1)
    if not above and not (isinstance(operator, ast.Eq | ast.Is) and right.value in (0, 1)):
        return None
    branch = off_by_default(value, text(left)) or by_name(last_name(left), hot)
    if branch is None or (branch.holds == "evaluation" and not isinstance(right.value, bool)):
        return None  # `val > 0` asks for a number
    return branch if above or right.value else branch.turned
