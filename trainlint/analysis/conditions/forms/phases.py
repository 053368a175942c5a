"""Tests that tell training from evaluation, generation and export: `self.training`, `phase == "val"`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from functools import lru_cache

from trainlint.analysis.conditions.condition import Condition, ConditionKind
from trainlint.analysis.conditions.question import Question
from trainlint.analysis.syntax.blocks import Binding, How
from trainlint.analysis.syntax.names import NAMES, constant, last_name
from trainlint.patterns import lazy

_EVALUATES = lazy(
    r"^(is_|do_|in_|only_)?(eval|evaluate|evaluating|evaluation|validating|validation|testing|inference|predicting)"
    r"(_only|_mode|_phase)?$|^(only_test|test_only|test_mode|is_test|is_val|is_valid_phase)$",
    re.IGNORECASE,
)
_TRAINS = lazy(r"^(is_|in_)?training(_mode|_phase)?$|^is_train$|^train_mode$", re.IGNORECASE)
_CACHE = lazy(r"^(kv_?cache|past_key_values?|past_kv|layer_past|inference_params)$", re.IGNORECASE)
"""What generation hands from token to token: a step of training hands over none."""
_EXPORTS = lazy(
    r"^(is_|in_|for_|to_)?(onnx|exporting|export|tracing|scripting|deploy|deployed)(_mode|_onnx|_export|_phase)?$",
    re.IGNORECASE,
)
"""Switches of a model that is being exported or deployed."""
_EXPORTING = frozenset({"is_tracing", "_is_tracing", "is_scripting", "is_in_onnx_export", "is_exporting"})
"""Functions of `torch.jit`, `torch.onnx`, `torch.compiler` and torchvision."""
_PHASE = lazy(r"(^|_)(phase|mode|stage|split)$", re.IGNORECASE)
_TRAINING_PHASE = lazy(r"^(train\w*|fit\w*|pretrain)$", re.IGNORECASE)
_EVALUATION_PHASE = lazy(r"^(val|valid|validat\w+|dev|test\w*|eval\w*|infer\w*|predict\w*|sanity\w*)$", re.IGNORECASE)


def named(question: Question) -> Condition | None:
    """`if self.training:`, `if eval_only:`, and the parameter `train=True`."""
    test = question.test
    key = constant(test.slice) if isinstance(test, ast.Subscript) else None
    name = key if isinstance(key, str) else last_name(test)
    if _is_training(name) or (name == "train" and _is_switch(question.bindings(test))):
        return _phase(question, question.outcome)
    if _is_evaluation(name) or _is_export(name):
        return _phase(question, not question.outcome)
    return None


def called(question: Question) -> Condition | None:
    """`torch.jit.is_tracing()`: a step of training runs the code itself."""
    name = last_name(question.test)
    return _phase(question, not question.outcome) if name in _EXPORTING else None


def compared(question: Question) -> Condition | None:
    """`phase == "val"`, and `stage != Stage.TRAIN`."""
    test = question.test
    assert isinstance(test, ast.Compare)
    left, operator, right = test.left, test.ops[0], test.comparators[0]
    if not isinstance(operator, (ast.Eq, ast.Is, ast.NotEq, ast.IsNot)):
        return None
    if not isinstance(left, (ast.Name, ast.Attribute, ast.Subscript)) or not is_phase(last_name(left)):
        return None
    value = constant(right)
    phase = value if isinstance(value, str) else right.attr if isinstance(right, ast.Attribute) else ""
    same = isinstance(operator, (ast.Eq, ast.Is)) == question.outcome
    if _TRAINING_PHASE.search(phase):
        return _phase(question, same)
    return _phase(question, not same) if _EVALUATION_PHASE.search(phase) else None


def compared_cache(question: Question) -> Condition | None:
    """`kv_cache is not None`: generation hands a cache from token to token, training has none."""
    test = question.test
    assert isinstance(test, ast.Compare)
    operator = test.ops[0]
    if constant(test.comparators[0]) is not None or not isinstance(operator, (ast.Is, ast.IsNot, ast.Eq, ast.NotEq)):
        return None
    if not is_cache(last_name(test.left)):
        return None
    return _phase(question, isinstance(operator, (ast.Is, ast.Eq)) == question.outcome)


def names_phase(name: str) -> bool:
    """Whether a name may be that of a flag which tells training from evaluation and export."""
    return name == "train" or _is_training(name) or _is_evaluation(name) or _is_export(name)


def _phase(question: Question, trains: bool) -> Condition:
    when = "in training" if trains else "not in training"
    return Condition(ConditionKind.PHASE, question.test.lineno, when, rare=not trains)


def _is_switch(bindings: Iterable[Binding]) -> bool:
    """Whether a name is a parameter that is on or off by default, as in `def forward(self, x, train=True)`."""
    found = list(bindings)
    return bool(found) and all(item.how is How.PARAMETER and isinstance(constant(item.value), bool) for item in found)


@lru_cache(NAMES)
def _is_training(name: str) -> bool:
    return bool(_TRAINS.search(name))


@lru_cache(NAMES)
def _is_evaluation(name: str) -> bool:
    return bool(_EVALUATES.search(name))


@lru_cache(NAMES)
def _is_export(name: str) -> bool:
    return bool(_EXPORTS.search(name))


@lru_cache(NAMES)
def is_cache(name: str) -> bool:
    """Whether a name is that of what generation hands from token to token."""
    return bool(_CACHE.search(name))


@lru_cache(NAMES)
def is_phase(name: str) -> bool:
    """Whether a name is that of a variable which says what a program does just now."""
    return bool(_PHASE.search(name))
