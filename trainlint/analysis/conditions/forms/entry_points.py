"""The test that tells a program from a module: `if __name__ == "__main__":`."""

from __future__ import annotations

import ast

from trainlint.analysis.conditions.condition import Condition, ConditionKind
from trainlint.analysis.conditions.question import Question
from trainlint.analysis.syntax.names import last_name


def compared(question: Question) -> Condition | None:
    """`__name__ == "__main__"`, which holds in each run of the program."""
    test = question.test
    assert isinstance(test, ast.Compare)
    if last_name(test.left) != "__name__":
        return None
    return Condition(ConditionKind.ALWAYS, test.lineno, "in the program")
