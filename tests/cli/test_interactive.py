"""--interactive at a real terminal: what is shown, and what each answer does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.terminal import at_terminal

if TYPE_CHECKING:
    from tests.cli.conftest import Program, Write

CODE = "import torch\nsafe()\nsafe()\nnumeric()\nunsafe()\nsafe()\n"


def answered(program: Program, answers: str, *flags: str) -> tuple[int, str]:
    """The exit code and what a terminal shows, when these lines are typed, each as the answer to a question."""
    command = program.command("check", "--interactive", *flags)
    keys = answers.splitlines(keepends=True)
    shown = at_terminal(command, program.directory, program.environment, keys, asks="[q]uit: ")
    return shown.code, shown.text


@pytest.mark.parametrize(
    ("answers", "flags", "fixed"),
    [
        ("y\nn\nn\ny\nn\n", (), "import torch\ncured()\nsafe()\nnumeric()\ncured()\nsafe()\n"),
        ("a\nn\nn\n", (), "import torch\ncured()\ncured()\nnumeric()\nunsafe()\ncured()\n"),
        ("n\ny\nq\n", (), "import torch\nsafe()\ncured()\nnumeric()\nunsafe()\nsafe()\n"),
        ("what?\nYes\nq\n", (), "import torch\ncured()\nsafe()\nnumeric()\nunsafe()\nsafe()\n"),
        ("\x04", (), CODE),
        ("n\nn\ny\n", ("--fix",), "import torch\nsafe()\nsafe()\nnumeric()\nunsafe()\ncured()\n"),
    ],
)
def test_each_answer_decides_about_its_fix(
    toys: Program, write: Write, answers: str, flags: tuple[str, ...], fixed: str
) -> None:
    path = write("train.py", CODE)
    code, shown = answered(toys, answers, *flags)
    assert path.read_text() == fixed, shown
    assert code == 1
    assert "[y]es, [n]o, [a]ll of TOY101, [q]uit" in shown


def test_the_finding_and_its_change_are_shown_before_the_question(toys: Program, write: Write) -> None:
    write("train.py", "import torch\nsafe()\n")
    code, shown = answered(toys, "y\n")
    assert code == 0
    before, _, after = shown.partition("1 of 1: apply this fix?")
    assert "train.py:2:1" in before
    assert "+ cured()" in before
    assert "Fixed 1 problem. All clear" in after


def test_where_nothing_can_be_fixed_no_question_is_asked(toys: Program, write: Write) -> None:
    write("train.py", "import torch\nunsafe()\n")
    code, shown = answered(toys, "", "--fix")
    assert code == 1
    assert "There is no fix to ask about." in shown
    assert "apply this fix?" not in shown


def test_what_is_not_fixed_can_get_ignore_comments(toys: Program, write: Write) -> None:
    path = write("train.py", "import torch\nsafe()\nunsafe()\n")
    code, shown = answered(toys, "y\nn\n", "--add-ignores", "not looked at yet")
    assert code == 0, shown
    assert path.read_text() == "import torch\ncured()\nunsafe()  # trainlint: ignore[TOY103] not looked at yet\n"


def test_without_a_terminal_nothing_is_asked(toys: Program, write: Write) -> None:
    path = write("train.py", CODE)
    result = toys("check", "--interactive", stdin=b"y\n" * 5)
    assert (result.code, path.read_text()) == (2, CODE)
    assert "standard input is no terminal" in result.err
