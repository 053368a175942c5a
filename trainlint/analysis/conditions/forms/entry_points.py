"""The test that tells a program from a module: `if __name__ == "__main__":`."""

from __future__ import annotations

import ast

from trainlint.analysis.conditions.condition import Condition, ConditionKind
from trainlint.analysis.conditions.question import Question
from trainlint.analysis.syntax.names import last_name, nodes_in


def compared(question: Question) -> Condition | None:
    """`__name__ == "__main__"`, which holds in each run of the program."""
    test = question.test
    assert isinstance(test, ast.Compare)
    if not is_name_of_module(last_name(test.left)):
        return None
    return Condition(ConditionKind.ALWAYS, test.lineno, "in the program")


def is_name_of_module(name: str) -> bool:
    """Whether a name is the one by which a module knows its own."""
    return name == "__name__"


def names_main(test: ast.AST) -> bool:
    """Whether a test asks for `__name__`."""
    return any(isinstance(item, ast.Name) and is_name_of_module(item.id) for item in nodes_in(test))
