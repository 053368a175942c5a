"""What callers repeat of a function's body, and the calls through which it runs in each step."""

from __future__ import annotations

from textwrap import dedent

from tests.executed import frequencies
from trainlint.finding import Frequencies, Heat
from trainlint.source import source_from_text

TRAIN = """
import torch
from torch.utils.data import DataLoader


def log(values):
    print(values)


def each(values):
    for value in values:
        log(value)


def seldom(epoch):
    print(epoch)


def ask(loader, model):
    for batch in loader:
        model(batch)


def main():
    model = torch.nn.Linear(2, 2)
    loader = DataLoader([])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(10):
        for batch in loader:
            loss = model(batch).sum()
            loss.backward()
            optimizer.step()
            each([loss])
            log(1) if epoch % 100 == 0 else None
            if epoch % 100 == 0: seldom(loss)
        ask(loader, model)
        if epoch % 5 == 0:
            seldom(epoch)


main()
"""


def of_train() -> Frequencies:
    return frequencies(source_from_text("train.py", TRAIN))["train.py"]


def heat(text: str, column: int | None = None) -> Heat | None:
    line = TRAIN.split("\n").index(text) + 1
    fact = of_train().at(line, column)
    return None if fact is None else fact.heat


def test_what_a_loop_in_a_caller_repeats() -> None:
    assert heat("    for value in values:") is Heat.STEP
    assert heat("        log(value)") is Heat.INNER
    assert heat("    print(values)") is Heat.INNER


def test_epochs_and_what_is_done_in_some_of_them() -> None:
    assert heat("        for batch in loader:") is Heat.EPOCH
    assert heat("            loss.backward()") is Heat.STEP
    assert heat("    for batch in loader:") is Heat.EPOCH
    assert heat("        model(batch)") is Heat.EVAL_STEP
    assert heat("            seldom(epoch)") is Heat.RARE
    assert heat("    print(epoch)") is Heat.RARE


def test_a_statement_inside_a_line_has_its_own() -> None:
    line = "            if epoch % 100 == 0: seldom(loss)"
    assert heat(line) is Heat.STEP
    assert heat(line, line.index("seldom")) is Heat.RARE


def test_a_part_of_an_expression_has_its_own() -> None:
    line = "            log(1) if epoch % 100 == 0 else None"
    assert heat(line) is Heat.STEP
    assert heat(line, line.index("log")) is Heat.RARE


def test_the_calls_that_run_a_function_in_each_step() -> None:
    lines = TRAIN.split("\n")
    calls = of_train().calls[lines.index("def log(values):") + 1]
    assert [(call.line, call.message) for call in calls] == [
        (lines.index("        log(value)") + 1, "calls `log` in every training step"),
        (lines.index("            each([loss])") + 1, "calls `each` in every training step"),
    ]


def test_code_that_nothing_reaches_is_not_executed() -> None:
    text = dedent("""
        import torch

        if False:
            print(1)
    """)
    assert frequencies(source_from_text("a.py", text))["a.py"].at(5) is None
