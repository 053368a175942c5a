"""Tests that let code run only now and then: intervals, first steps, flags, failures, evaluation.

Guards are read as people write them: `step % n == 0`, `not step % n`, `step - last >= n`, booleans computed
lines before, early exits, `and`/`or` of those. A test on the rank is no guard: the job waits for its slowest rank.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from functools import lru_cache

from trainlint.analysis.conditions.intervals import compares_rarely, is_counter, is_interval, words
from trainlint.analysis.conditions.option_defaults import Flags
from trainlint.analysis.syntax.blocks import Binding, Block, BlockKind, How
from trainlint.analysis.syntax.names import NAMES, constant, dotted, last_name, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.patterns import lazy

_FLAG = lazy(
    r"(^|_)(log|logs|logging|debug|debugging|verbose|plot|profile|profiling|profiler|save|saving|vis|"
    r"visuali[sz]e|print|"
    r"display|dump|sanity|dry_run|first|first_step|first_batch|synchroni[sz]e\w*|report|summary|checkpoint|"
    r"ckpt|snapshot|benchmark|is_last|last_(step|batch|iter|iteration))($|_)",
    re.IGNORECASE,
)
_ASKS_INTERVAL = lazy(
    r"(^|_)should_|freq|interval|(^|_)every($|_)|(^|_)time_to|^(is_)?(end_of_epoch|epoch_end|last_(train_)?batch)$",
    re.IGNORECASE,
)
_WATCHES = lazy(
    r"(^|_)(show|view|viz|visual|watch|monitor|trac(e|ing|k|king|kers?)|inspect|stats?|statistics|timing|timers?|hist|histograms?|"
    r"anomaly|detect_anomaly|check|test|testing|eval\w*|validat\w+|wandb|tensorboard|tb|comet|neptune|mlflow|record|draw|"
    r"nvtx|prof|nsys|memory_stats|images?)($|_)",
    re.IGNORECASE,
)
"""Switches for watching a run, not for the method, its precision or its hardware."""
_PREFETCHES = lazy(r"(^|_)(no_?)?prefetch(er|ing)?$", re.IGNORECASE)
"""Switches of loaders that bring their batches to the device themselves."""
_EVALUATES = lazy(
    r"^(is_|do_|in_|only_)?(eval|evaluate|evaluating|evaluation|validating|validation|testing|inference|predicting)"
    r"(_only|_mode|_phase)?$|^(only_test|test_only|test_mode|is_test|is_val|is_valid_phase)$",
    re.IGNORECASE,
)
_TRAINS = lazy(r"^(is_|in_)?training(_mode|_phase)?$|^is_train$|^train_mode$", re.IGNORECASE)
_CACHE = lazy(r"^(kv_?cache|past_key_values?|past_kv|layer_past|inference_params)$", re.IGNORECASE)
"""What generation hands from token to token: a step of training hands over none."""
_PHASE = lazy(r"(^|_)(phase|mode|stage|split)$", re.IGNORECASE)
_TRAINING_PHASE = lazy(r"^(train\w*|fit\w*|pretrain)$", re.IGNORECASE)
_EVALUATION_PHASE = lazy(r"^(val|valid|validat\w+|dev|test\w*|eval\w*|infer\w*|predict\w*|sanity\w*)$", re.IGNORECASE)
_FAILURE_TRUE = frozenset({"isnan", "isinf", "is_nan", "is_inf", "has_nan", "has_inf", "isneginf", "isposinf"})
_FAILURE_FALSE = frozenset({"isfinite", "is_finite"})
_FAILED = lazy(
    r"(^|_)(overflow\w*|nans?|infs?|isnan|isinf|nonfinite|non_finite|diverged|oom|failed|failure|corrupt\w*)($|_)",
    re.IGNORECASE,
)
_SWITCHED = lazy(r"^is_(anomaly_enabled|profiler_enabled|profiling)$|^isEnabledFor$")
_ENVIRONMENT = frozenset({"environ", "getenv"})
_DEEPEST = 8


def rare_when(test: ast.expr, truth: bool, block: Block, flags: Flags | None = None, depth: int = 0) -> bool:
    """Whether `test` comes out as `truth` only now and then, counted in training steps.

    `block` is where the test stands, or the branch that it opens; `flags` knows what is on by default.
    """
    if depth > _DEEPEST:
        return False
    guard = _Guard(block, flags, depth)
    match test:  # the most frequent first
        case ast.Compare():
            return guard.compared(test, truth)
        case ast.Name() | ast.Attribute() | ast.Subscript():
            return guard.name(test, truth)
        case ast.Call():
            return guard.call(test, truth)
        case ast.BoolOp():
            each = (guard.rare(value, truth) for value in test.values)
            return any(each) if isinstance(test.op, ast.And) == truth else all(each)
        case ast.UnaryOp(op=ast.Not()):
            return guard.rare(test.operand, not truth)
        case ast.Constant():
            return bool(test.value) != truth
        case ast.NamedExpr():
            return guard.rare(test.value, truth)
        case ast.IfExp():
            return guard.rare(test.body, truth) and guard.rare(test.orelse, truth)
        case ast.BinOp():
            return not truth and is_interval(test)
    return False


class _Guard:
    """One question, with where it is asked."""

    def __init__(self, block: Block, flags: Flags | None, depth: int) -> None:
        self.block, self.flags, self.depth = block, flags, depth

    def rare(self, test: ast.expr, truth: bool, block: Block | None = None) -> bool:
        return rare_when(test, truth, block or self.block, self.flags, self.depth + 1)

    def compared(self, test: ast.Compare, truth: bool) -> bool:
        if len(test.ops) == 1:
            return self.comparison(test.left, test.ops[0], test.comparators[0], truth)
        sides = [test.left, *test.comparators]
        pairs = [
            self.comparison(left, operator, right, truth)
            for left, operator, right in zip(sides, test.ops, test.comparators, strict=False)
        ]
        return any(pairs) if truth else all(pairs)

    def comparison(self, left: ast.expr, operator: ast.cmpop, right: ast.expr, truth: bool) -> bool:
        if compares_rarely(left, operator, right, truth, self.block):
            return True
        if isinstance(operator, (ast.Eq, ast.Is)):
            same = truth
        elif isinstance(operator, (ast.NotEq, ast.IsNot)):
            same = not truth
        else:
            return False
        value = constant(right)
        if isinstance(value, bool):
            return self.rare(left, value == same)
        if value is None:
            return self._missing(left) if same else self._is_off(left, True) or _is_cache(last_name(left))
        if isinstance(value, str) and _reads_environment(left):
            return same and _is_flag(value, words(left))
        if isinstance(operator, (ast.Eq, ast.NotEq)) and _are_same(left, right):
            return not same  # only a NaN differs from itself
        return _is_other_phase(left, right, value, same)

    def call(self, test: ast.Call, truth: bool) -> bool:
        name = last_name(test.func)
        if name in _FAILURE_TRUE:
            return truth
        if name in _FAILURE_FALSE:
            return not truth
        if name == "hasattr" and test.args and isinstance(test.args[0], ast.Name):
            return not truth and test.args[0].id == "self"  # made on the first call
        if name in ("any", "all", "bool") or (name == "item" and not test.args):
            inner = test.func.value if isinstance(test.func, ast.Attribute) else (test.args[0] if test.args else None)
            if isinstance(inner, (ast.GeneratorExp, ast.ListComp)):
                inner = inner.elt
            if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.BitOr):
                inner = inner.left
            return inner is not None and self.rare(inner, truth)
        if not truth:
            return False
        if _asks_by_name(name) or _asks_switch(name) or _divides_counter(test):
            return True
        if name in ("get", "getattr", "getenv"):
            default = test.args[-1] if len(test.args) > 1 else None
            named = [word for item in test.args[:2] for word in [constant(item)] if isinstance(word, str)]
            on = default is not None and name != "getattr" and bool(constant(default)) and constant(default) is not ...
            return not on and any(_asks_by_name(word) for word in named)
        return False

    def name(self, test: ast.Name | ast.Attribute | ast.Subscript, truth: bool) -> bool:
        key = constant(test.slice) if isinstance(test, ast.Subscript) else None
        name = key if isinstance(key, str) else last_name(test)
        bindings = self._bindings(test)
        if bindings and self._rarely_set(bindings, truth):
            return True
        if _trains(name) or (name == "train" and _is_switch(bindings)):
            return not truth
        if name == "state" and not truth and _is_state_of_optimizer(bindings):
            return True  # made on the first call
        if self._is_off(test, truth):
            return True
        return truth and (_asks_by_name(name) or _evaluates_or_failed(name))

    def _bindings(self, test: ast.expr) -> list[Binding]:
        if isinstance(test, ast.Name):
            return reaching(test.id, self.block, position(test))
        if isinstance(test, ast.Attribute) and self.flags is not None:
            owner = self.flags.owner(test, self.block)
            return owner.attributes.get(test.attr, []) if owner is not None else []
        return []

    def _rarely_set(self, bindings: Iterable[Binding], truth: bool) -> bool:
        """Whether all that a name may hold is `truth` rarely: a rare test, or a literal set under a rare test."""
        rare = False
        for binding in bindings:
            if binding.how is not How.ASSIGN or binding.value is None or binding.path:
                return False
            literal = constant(binding.value)
            if isinstance(literal, bool | None):
                if bool(literal) != truth:
                    continue
                if not self._stands_under_rare_test(binding):
                    return False
            elif not self.rare(binding.value, truth, binding.block):
                return False
            rare = True
        return rare

    def _stands_under_rare_test(self, binding: Binding) -> bool:
        for block in binding.block.outwards():
            if block.kind in (BlockKind.FUNCTION, BlockKind.LOOP):
                return False
            if block.kind is BlockKind.EXCEPT:
                return True
            if block.kind is BlockKind.BRANCH and block.test is not None:
                if self.rare(block.test, not block.negated, block):
                    return True
        return False

    def _is_off(self, test: ast.expr, truth: bool) -> bool:
        """Whether a switch for watching, or against a loader's prefetching, has the other value by default."""
        if self.flags is None:
            return False
        name = last_name(test)
        if _prefetches(name):
            return self.flags.default(test, self.block) is (not truth)
        return truth and _watches(name) and self.flags.default(test, self.block) is False

    def _missing(self, test: ast.expr) -> bool:
        """Whether `self.x is None` holds on the first call only, since the branch then sets it."""
        node, name = self.block.node, dotted(test)
        if name is None or "." not in name or not isinstance(node, ast.If) or self.block.negated:
            return False
        stored = (part for statement in node.body for part in ast.walk(statement) if isinstance(part, ast.Attribute))
        return any(isinstance(part.ctx, ast.Store) and dotted(part) == name for part in stored)


def _is_switch(bindings: Iterable[Binding]) -> bool:
    """Whether a name is a parameter that is on or off by default, as in `def forward(self, x, train=True)`."""
    found = list(bindings)
    return bool(found) and all(item.how is How.PARAMETER and isinstance(constant(item.value), bool) for item in found)


def _is_state_of_optimizer(bindings: Iterable[Binding]) -> bool:
    """Whether a name holds what an optimizer keeps for one parameter: `state = self.state[p]`."""
    return any(
        isinstance(item.value, ast.Subscript) and last_name(item.value.value) == "state" and not item.path
        for item in bindings
    )


@lru_cache(NAMES)
def _asks_by_name(name: str) -> bool:
    return bool(_FLAG.search(name) or _ASKS_INTERVAL.search(name))


@lru_cache(NAMES)
def _asks_switch(name: str) -> bool:
    return bool(_SWITCHED.search(name))


@lru_cache(NAMES)
def _watches(name: str) -> bool:
    return bool(_WATCHES.search(name) or _FLAG.search(name))


@lru_cache(NAMES)
def _prefetches(name: str) -> bool:
    return bool(_PREFETCHES.search(name))


@lru_cache(NAMES)
def _trains(name: str) -> bool:
    return bool(_TRAINS.search(name))


@lru_cache(NAMES)
def _evaluates_or_failed(name: str) -> bool:
    return bool(_EVALUATES.search(name) or _FAILED.search(name))


@lru_cache(NAMES)
def _is_cache(name: str) -> bool:
    return bool(_CACHE.search(name))


@lru_cache(NAMES)
def _is_phase(name: str) -> bool:
    return bool(_PHASE.search(name))


def _are_same(one: ast.expr, other: ast.expr) -> bool:
    """Whether two expressions are written alike."""
    return type(one) is type(other) and last_name(one) == last_name(other) and ast.dump(one) == ast.dump(other)


def _divides_counter(test: ast.Call) -> bool:
    """Whether a function is asked about a counter and an interval, as in `is_multiple(step, save_every)`."""
    others = [item for item in test.args if not is_counter(item)]
    return len(test.args) == 2 and len(others) == 1 and any(_ASKS_INTERVAL.search(word) for word in words(others[0]))


def _reads_environment(node: ast.expr) -> bool:
    return any(word in _ENVIRONMENT for word in words(node))


def _is_flag(value: str, names: list[str]) -> bool:
    """Whether a variable of the environment must be set to a value for the sake of watching."""
    return value.lower() in ("1", "true", "yes", "on") and any(_asks_by_name(name) for name in names)


def _is_other_phase(left: ast.expr, right: ast.expr, value: object, same: bool) -> bool:
    """Whether `phase == "val"` and its kin do not hold in training, as `stage != Stage.TRAIN` does not."""
    if not isinstance(left, (ast.Name, ast.Attribute, ast.Subscript)) or not _is_phase(last_name(left)):
        return False
    phase = value if isinstance(value, str) else right.attr if isinstance(right, ast.Attribute) else ""
    return bool((_EVALUATION_PHASE if same else _TRAINING_PHASE).search(phase))
