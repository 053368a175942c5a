"""Switches for watching a run: `args.debug`, `verbose`, `config["profile"]`, and what is off by default."""

from __future__ import annotations

import ast
import re
from functools import lru_cache

from trainlint.analysis.conditions.condition import Condition, ConditionKind
from trainlint.analysis.conditions.forms.intervals import asks_interval, filters
from trainlint.analysis.conditions.question import Question
from trainlint.analysis.syntax.names import NAMES, constant, last_name
from trainlint.patterns import lazy

_FLAG = lazy(
    r"(^|_)(log|logs|logging|debug|debugging|verbose|plot|profile|profiling|profiler|save|saving|vis|"
    r"visuali[sz]e|print|"
    r"display|dump|sanity|dry_run|first|first_step|first_batch|synchroni[sz]e\w*|report|summary|checkpoint|"
    r"ckpt|snapshot|benchmark|is_last|last_(step|batch|iter|iteration))($|_)",
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
_SWITCHED = lazy(r"^is_(anomaly_enabled|profiler_enabled|profiling)$|^isEnabledFor$")
_READS_SETTING = frozenset({"get", "getattr", "getenv"})


def named(question: Question) -> Condition | None:
    """`if args.debug:`, and `if args.show_images:` where that is off by default."""
    test = question.test
    key = constant(test.slice) if isinstance(test, ast.Subscript) else None
    name = key if isinstance(key, str) else last_name(test)
    if _is_off(question, test, question.outcome) or (question.outcome and is_flag(name)):
        return _watching(question, name)
    return None


def compared(question: Question) -> Condition | None:
    """`if args.trace is not None:` where that is None by default."""
    test = question.test
    assert isinstance(test, ast.Compare)
    operator = test.ops[0]
    if constant(test.comparators[0]) is not None or not isinstance(operator, (ast.Is, ast.IsNot, ast.Eq, ast.NotEq)):
        return None
    is_none = isinstance(operator, (ast.Is, ast.Eq)) == question.outcome
    return _watching(question, last_name(test.left)) if not is_none and _is_off(question, test.left, True) else None


def called(question: Question) -> Condition | None:
    """`logger.isEnabledFor(...)`, `config.get("verbose", False)`."""
    test = question.test
    assert isinstance(test, ast.Call)
    if not question.outcome:
        return None
    name = last_name(test.func)
    is_switch = is_flag(name) or bool(_SWITCHED.search(name))
    switch = name if is_switch else _setting_read(test, name)
    return _watching(question, switch) if switch is not None else None


def _setting_read(call: ast.Call, name: str) -> str | None:
    """The switch for watching that `get`, `getattr` or `getenv` reads; None where it is on by default."""
    if name not in _READS_SETTING:
        return None
    default = constant(call.args[-1]) if len(call.args) > 1 and name != "getattr" else ...
    if default is not ... and bool(default):
        return None
    keys = [constant(item) for item in call.args[:2]]
    return next((key for key in keys if isinstance(key, str) and (is_flag(key) or asks_interval(key))), None)


@lru_cache(NAMES)
def is_flag(name: str) -> bool:
    """Whether a name is that of a switch for watching a run, whatever it is by default."""
    return bool(_FLAG.search(name)) and not filters(name)


def names_switch(name: str) -> bool:
    """Whether a name may be that of a switch for watching a run, or for the prefetching of loaders."""
    return _prefetches(name) or _watches(name)


def _watching(question: Question, name: str) -> Condition:
    return Condition(
        ConditionKind.OPTION,
        question.test.lineno,
        f"only if `{name}` is {'set' if question.outcome else 'off'}",
        rare=True,
        name=name,
        value=question.outcome,
        default=not question.outcome,
    )


def _is_off(question: Question, test: ast.expr, outcome: bool) -> bool:
    """Whether a switch for watching, or against a loader's prefetching, has the other value by default."""
    name = last_name(test)
    if _prefetches(name):
        return question.flags.default(test, question.block) is (not outcome)
    return outcome and _watches(name) and question.flags.default(test, question.block) is False


@lru_cache(NAMES)
def _watches(name: str) -> bool:
    return bool(_WATCHES.search(name) or _FLAG.search(name))


@lru_cache(NAMES)
def _prefetches(name: str) -> bool:
    return bool(_PREFETCHES.search(name))
