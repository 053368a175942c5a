"""Forms that go by the last name in a test say nothing of other names, so that they need not be asked about these."""

from __future__ import annotations

import ast

import pytest

from tests.analysis.facts import file_model
from trainlint.analysis.conditions.condition import Condition
from trainlint.analysis.conditions.evaluator import _KNOW_NAME, Form, condition_of
from trainlint.analysis.conditions.question import Question
from trainlint.analysis.syntax.blocks import BlockKind

NAMES = (
    *("__name__", "best", "cache", "debug", "eval", "export", "finished", "is_best", "kv_cache", "log_every", "loss"),
    *("mask", "mode", "nan", "overflow", "phase", "prefetch", "profile", "should_log", "split", "stage", "steps"),
    *("sync_gradients", "train", "training", "use_new_version", "verbose", "version", "watch", "x"),
)
TESTS = ("{0}", "args.{0}", "{0} == 'val'", "{0} is None", "args.{0} != 'train'", "self.{0} is not None")
_PROGRAM = """
def step(self, args, {0}=False):
    for batch in args.loader:
        if {1}:
            act()
"""


@pytest.mark.parametrize("form", _KNOW_NAME, ids=lambda form: f"{form.__module__.rpartition('.')[2]}.{form.__name__}")
def test_a_form_knows_no_other_names_than_it_says(form: Form) -> None:
    of_comparisons = form.__name__.startswith("compared")
    answers = {
        (name, test): _answers(form, name, test) for name in NAMES for test in TESTS if (" " in test) is of_comparisons
    }
    told = {key for key, found in answers.items() if found != [None, None]}
    assert told  # the names and tests above say something
    assert all(_KNOW_NAME[form](name) for name, _ in told)


def _answers(form: Form, name: str, test: str) -> list[Condition | None]:
    """What a form says of both outcomes of a test."""
    file = file_model(_PROGRAM.format(name, test.format(name)))
    block = next(block for block in file.outline.blocks if block.kind is BlockKind.BRANCH)
    assert isinstance(block.test, ast.expr)

    def evaluate(question: Question) -> Condition:
        return condition_of(question.test, question.outcome, question.block, question.flags)

    return [form(Question(block.test, outcome, block, file.flags, evaluate)) for outcome in (True, False)]
