"""Code that is made to hurt costs little, spares the other files, and what is left out is named."""

from __future__ import annotations

import ast
from typing import Final

import pytest

from tests.interpreter.running import places, run_files
from tests.recursion import recursion_limit
from trainlint.interpreter import bounds
from trainlint.interpreter.bounds import Limit
from trainlint.interpreter.evaluation import PARTS, run_project
from trainlint.interpreter.machine.events import Event
from trainlint.interpreter.machine.run import Run
from trainlint.interpreter.project.modules import Project
from trainlint.interpreter.values.callables import ClassValue

TRAINING: Final = """
def train(model, loader, optimizer):
    for x in loader:
        loss = model(x).sum()
        loss.backward()
        optimizer.step()
        print(loss.item())
"""
FOUND: Final = ["train.py:7 ITEM orphan"]


def run_beside_training(code: str) -> tuple[Run, list[tuple[str, Limit]]]:
    """Execute code in one file and a training in another, whose read must be found. Returns what was left out."""
    with recursion_limit():
        run, events = run_files([("hostile.py", code), ("train.py", TRAINING)])
    assert places(events) == FOUND
    return run, [(left.name, left.limit) for left in run.left_out]


@pytest.fixture(autouse=True)
def few_statements(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "FEWEST_STATEMENTS", 1_000)


def statements(run: Run) -> int:
    """How many statements of the hostile file were executed."""
    return run.project.modules["hostile"].spent


def nested(head: str, depth: int) -> str:
    """A function with blocks inside of each other."""
    lines = [" " * (level + 1) + head for level in range(depth)]
    return "\n".join(["def f(x):", *lines, " " * (depth + 1) + "x = x + 1"])


@pytest.mark.parametrize("head", ["for a in x:", "while x > 0:"])
def test_loops_in_loops_end_at_the_statements_of_a_file(head: str) -> None:
    run, left_out = run_beside_training(nested(head, 40))
    assert left_out == [("f", Limit.STATEMENTS)]
    assert bounds.FEWEST_STATEMENTS < statements(run) < 1.2 * bounds.FEWEST_STATEMENTS


def test_few_loops_in_loops_are_executed_wholly() -> None:
    run, left_out = run_beside_training(nested("for a in x:", 8))
    assert left_out == []
    assert statements(run) == 1 + 2**9 - 1  # twice each body; the module


def test_tests_in_tests_end_at_the_statements_of_a_file() -> None:
    run, left_out = run_beside_training(
        "def f(x):\n    if " + "(a if " * 25 + "x > 0" + " else 1) > 0" * 25 + ": pass\n"
    )
    assert left_out == [("f", Limit.STATEMENTS)]
    assert statements(run) < 1.2 * bounds.FEWEST_STATEMENTS


def test_names_that_are_copied_at_each_branch_count() -> None:
    branches = "".join(f"    a{number} = x\n    if x > {number}: b{number} = 1\n" for number in range(400))
    run, left_out = run_beside_training("def f(x):\n" + branches)
    assert left_out == []
    assert statements(run) > 1_200 + 400 * 400 / bounds.NAMES_A_STATEMENT


def test_a_file_with_more_lines_may_take_more() -> None:
    run, _ = run_files([("long.py", "\n" * 2_000 + "x = 1"), ("huge.py", "\n" * 50_000 + "x = 1")])
    allowed = {module.path: module.allowed for module in run.project.modules.values()}
    assert allowed == {"long.py": bounds.STATEMENTS_A_LINE * 2_001, "huge.py": bounds.MOST_STATEMENTS}


def test_a_chain_of_classes_takes_linear_memory() -> None:
    chain = "\n".join(f"class C{number + 1}(C{number}): pass" for number in range(1_000))
    run, left_out = run_beside_training(chain)
    last = run.project.modules["hostile"].names["C1000"]
    assert isinstance(last, ClassValue)
    assert len(last.cls.order) == bounds.BASES
    assert left_out[0] == (f"C{bounds.BASES + 1}", Limit.BASES)


def test_star_imports_of_star_imports_do_not_double() -> None:
    files = [("m0.py", "from torch import *")]
    files += [(f"m{number}.py", f"from m{number - 1} import *\n" * 2) for number in range(1, 20)]
    run, _ = run_files(files)
    assert list(run.project.modules["m19"].star_imports) == ["torch"]


def test_a_star_import_takes_so_many_names() -> None:
    names = "".join(f"a{number} = 1\n" for number in range(bounds.STAR_NAMES + 5))
    run, _ = run_files([("many.py", names), ("taker.py", "from many import *")])
    assert len(run.project.modules["taker"].names) == bounds.STAR_NAMES
    assert [(left.path, left.limit) for left in run.left_out] == [("taker.py", Limit.NAMES)]


def test_calls_nest_so_deep() -> None:
    chain = "\n".join(f"def f{number}(a):\n    f{number + 1}(a)" for number in range(100))
    _, left_out = run_beside_training(chain)
    assert ("f45", Limit.CALLS) in left_out
    assert {limit for _, limit in left_out} == {Limit.CALLS}


@pytest.mark.parametrize(
    "value",
    ["+".join("x" * 900), "x" + ".a" * 900, "x" + ".step()" * 900],
    ids=["sum", "attributes", "methods"],
)
def test_an_expression_that_is_nested_too_deeply_leaves_out_its_function_alone(value: str) -> None:
    after = "def g(x):\n    return 1\n"
    run, left_out = run_beside_training(f"def f(x):\n    return {value}\n{after}")
    assert left_out == [("f", Limit.NESTING)]
    assert {"f", "g"} <= run.project.modules["hostile"].names.keys()


def test_an_expression_of_a_module_leaves_out_its_statement_alone() -> None:
    run, left_out = run_beside_training(f"y = {'+'.join('x' * 900)}\nz = 1\n")
    assert left_out == [("<module>", Limit.NESTING)]
    assert "z" in run.project.modules["hostile"].names


def test_a_long_chain_of_imports_spares_the_file_at_its_end() -> None:
    files = [(f"m{number:03}.py", f"from m{number + 1:03} import f") for number in range(300)]
    with recursion_limit():
        run, events = run_files([*files, ("m300.py", TRAINING), ("train.py", TRAINING)])
    assert places(events) == ["m300.py:7 ITEM orphan", *FOUND]
    assert {left.limit for left in run.left_out} == {Limit.NESTING}


def test_contexts_beyond_the_limit_are_named() -> None:
    most = bounds.CONTEXTS["cold"]
    calls = "".join(f"f({number})\n" for number in range(most))
    assert run_beside_training("def f(a): return a\n" + calls)[1] == []
    assert run_beside_training(f"def f(a): return a\n{calls}f({most})\n")[1] == [("f", Limit.CONTEXTS)]


def test_recursion_with_ever_other_arguments_ends() -> None:
    run, left_out = run_beside_training("def f(a, b):\n    return f(b, [a]) + f([b], a) + f(a, b)\nf(1, 2)\n")
    assert left_out == []
    assert statements(run) < 10


def test_a_body_is_told_again_with_so_many_operations() -> None:
    reads = "    x.item()\n" * (bounds.TOLD_AGAIN + 5)
    code = f"""
def train(model, loader, optimizer):
    for x in loader:
        loss = model(x)
        loss.backward()
        optimizer.step()
        report(loss.sum())
        report(loss.sum())
def report(x):
{reads}"""
    _, events = run_files([("train.py", code)])
    told = [event.chain[-1].line for event in events if event.path == "train.py" and event.chain]
    assert told.count(7) == bounds.TOLD_AGAIN + 5
    assert told.count(8) == bounds.TOLD_AGAIN


def test_the_sentence_says_where_and_why() -> None:
    run, _ = run_files([("a.py", nested("for a in x:", 40))])
    assert [left.sentence for left in run.left_out] == [
        "`f` in line 1 is not wholly known: its file takes too many statements to execute; split it, or exclude "
        "the file"
    ]


def test_a_crash_costs_the_function_that_it_is_in_and_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object) -> None:
        raise LookupError("no such thing")

    monkeypatch.setitem(PARTS.expressions, ast.Set, crash)
    code = """
import torch
def broken(x):
    return {x}
model = torch.nn.Linear(3, 3).cuda()
for batch in torch.utils.data.DataLoader([]):
    broken(batch)
    loss = model(batch.cuda(non_blocking=True)).sum()
    loss.backward()
    loss.item()
"""
    events: list[Event] = []
    run = run_project(Project([("train.py", ast.parse(code))]), events.append)
    assert places(events) == ["train.py:10 ITEM sure"]
    assert [left.sentence for left in run.left_out] == [
        "`broken` in line 3 is not wholly known: trainlint failed on it (LookupError: no such thing); "
        "please report this"
    ]


def test_elements_beyond_those_that_are_known_are_executed() -> None:
    code = f"""
def train(model, loader, optimizer):
    for x in loader:
        loss = model(x).sum()
        loss.backward()
        optimizer.step()
        rows = [{"1, " * bounds.PARTS}loss.item()]
"""
    assert places(run_files([("train.py", code)])[1]) == FOUND
