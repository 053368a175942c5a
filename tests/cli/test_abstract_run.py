"""Rules about waits and copies are asked about what an abstract run of the project executes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.engine.linked_project import write_project

if TYPE_CHECKING:
    from tests.cli.conftest import Program

HELPERS = """\
def log(value, step):
    print(step, value.item())


def keep(values, rows):
    if rows > 100:
        return values.cpu()
    return values
"""
TRAIN = """\
import torch
from helpers import keep, log


def train(model, optimizer, loader, device: torch.device):
    for step, (inputs, targets) in enumerate(loader):
        inputs, targets = inputs.to(device), targets.to(device)
        start = torch.zeros(8).to(device)
        loss = model(inputs + start, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(loss, step)
        if step % 50 == 0:
            print(keep(loss, 3))


if __name__ == "__main__":
    model = torch.nn.Linear(8, 8).cuda()
    loader = torch.utils.data.DataLoader(list(range(64)), batch_size=8)
    train(model, torch.optim.SGD(model.parameters()), loader, torch.device("cuda"))
"""


@pytest.fixture
def abstract(program: Program) -> Program:
    """The program in a project of two files."""
    write_project(program.directory, {"helpers.py": HELPERS, "train.py": TRAIN})
    return program


def test_operations_of_each_step_are_found_where_they_are_executed(abstract: Program) -> None:
    report = json.loads(abstract("check", ".", "--output-format", "json", "--select", "TRN2").out)
    assert [(item["path"], item["span"]["start_line"], item["code"]) for item in report["findings"]] == [
        ("helpers.py", 2, "TRN201"),
        ("train.py", 7, "TRN205"),
        ("train.py", 8, "TRN207"),
    ]
    read, copied, _ = report["findings"]
    assert [place["message"] for place in copied["related"]] == ["copies another part of the same batch"]
    assert read["chain"] == [
        "train.py:6: for step, (inputs, targets) in enumerate(loader)",
        "train.py:13: calls log",
    ]
    assert [(place["path"], place["line"], place["column"], place["message"]) for place in read["related"]] == [
        ("train.py", 13, 9, "calls `log` in every training step")
    ]


def test_why_tells_the_way_to_a_line_with_the_tests_before_it(abstract: Program) -> None:
    words = " ".join(abstract("why", "helpers.py:7").out.split())
    assert (
        "runs only in some steps: train.py:6: for step, (inputs, targets) in enumerate(loader) → train.py:14: if "
        "step % 50 == 0 → train.py:15: calls keep" in words
    )
    assert "TRN202 host-copy-in-training-step" in words
    assert "silent: this code runs only in some steps" in words
    reported = abstract("why", "helpers.py:2").out
    assert "TRN201 item-in-training-step reports `value.item()`" in reported
    assert "TRN201 item-in-training-step is silent" not in reported


def test_a_cache_of_the_other_answer_is_not_used(program: Program, abstract: Program) -> None:
    options = ("check", ".", "--output-format", "concise", "--select", "TRN201")
    other = program(*options).out
    assert abstract(*options).out == abstract(*options).out != ""
    assert program(*options).out == other


def test_a_fix_is_applied(abstract: Program) -> None:
    assert abstract("check", ".", "--select", "TRN207", "--fix").code == 0
    assert "start = torch.zeros(8, device=device)\n" in (abstract.directory / "train.py").read_text(encoding="utf-8")


def test_a_file_that_no_other_concerns_is_executed_alone(abstract: Program) -> None:
    (abstract.directory / "helpers.py").write_text("", encoding="utf-8")
    alone = TRAIN.replace("from helpers import keep, log\n", "").replace("log(loss, step)", "loss.item()")
    (abstract.directory / "train.py").write_text(alone.replace("print(keep(loss, 3))", "pass"), encoding="utf-8")
    found = abstract("check", ".", "--output-format", "concise", "--select", "TRN201").out
    assert found.startswith("train.py:12:9: TRN201 `loss.item()`")
    assert "reports `loss.item()`" in abstract("why", "train.py:12").out


def test_after_a_fix_what_stays_is_where_it_stands_then(abstract: Program) -> None:
    (abstract.directory / "helpers.py").write_text("", encoding="utf-8")
    alone = TRAIN.replace("from helpers import keep, log\n", "").replace("log(loss, step)", "pass")
    alone = alone.replace("print(keep(loss, 3))", "pass").replace(
        ".to(device)\n        loss", ".to(device) * inputs.sum().item()\n        loss"
    )
    (abstract.directory / "train.py").write_text(alone, encoding="utf-8")
    options = ("check", ".", "--output-format", "concise", "--select", "TRN201,TRN207")
    fixed = abstract(*options, "--fix").out
    assert "torch.zeros(8, device=device)" in (abstract.directory / "train.py").read_text(encoding="utf-8")
    assert fixed.splitlines()[0] == abstract(*options).out.splitlines()[0] != ""


def test_what_a_limit_leaves_out_is_said(abstract: Program) -> None:
    heads = "".join(f"{'    ' * depth}for row in rows:\n" for depth in range(1, 41))
    code = f"import torch\n\n\ndef turn(rows):\n{heads}{'    ' * 41}rows.backward()\n"
    (abstract.directory / "deep.py").write_text(code, encoding="utf-8")
    done = abstract("check", ".", "--output-format", "concise", "--select", "TRN201")
    assert done.code == 2
    assert "helpers.py:2:17: TRN201" in done.out
    assert (
        "could not judge deep.py: `turn` in line 4 is not wholly known: its file takes too many statements to execute; "
        "split it, or exclude the file"
    ) in done.out


def test_all_calls_on_the_way_are_named_nearest_first(abstract: Program) -> None:
    deeper = "def shown(value):\n    return value.item()\n\n\ndef log(value, step):\n    print(step); shown(value)\n"
    (abstract.directory / "helpers.py").write_text(f"{deeper}\n\ndef keep(values, rows):\n    pass\n", encoding="utf-8")
    report = json.loads(abstract("check", ".", "--output-format", "json", "--select", "TRN201").out)
    [found] = report["findings"]
    assert [(place["path"], place["line"], place["column"]) for place in found["related"]] == [
        ("helpers.py", 6, 18),
        ("train.py", 13, 9),
    ]


def test_a_file_of_another_framework_is_left_alone(abstract: Program) -> None:
    (abstract.directory / "helpers.py").write_text(f"import jax\n\n\n{HELPERS}", encoding="utf-8")
    assert "helpers.py" not in abstract("check", ".", "--output-format", "concise", "--select", "TRN201").out


def test_an_option_that_a_launch_script_turns_on_is_not_off(abstract: Program) -> None:
    code = TRAIN.replace("log(loss, step)", 'if getattr(settings, "checked", False): loss.item()')
    (abstract.directory / "train.py").write_text(code, encoding="utf-8")
    options = ("check", "train.py", "--output-format", "concise", "--select", "TRN201")
    assert "`loss.item()`" not in abstract(*options).out
    (abstract.directory / "run.sh").write_text("python train.py --checked\n", encoding="utf-8")
    assert "`loss.item()`" in abstract(*options).out
    assert "reports `loss.item()`" in abstract("why", "train.py:13").out
