"""`--only ID` and `--max-findings N`: a part of the findings, of which nobody is told that it is all."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Program, Write

TRAIN = """\
import torch
from torch.utils.data import DataLoader


def train(model: torch.nn.Module, dataset, optimizer):
    loader = DataLoader(dataset, num_workers=4)
    for epoch in range(3):
        for images, labels in loader:
            loss = torch.nn.functional.cross_entropy(model(images.cuda()), labels.cuda())
            optimizer.zero_grad(set_to_none=True)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            print(loss.item())
            print(loss.item())
"""


def found(program: Program, *options: str) -> dict[str, list[dict[str, object]]]:
    """The findings of train.py as JSON, by rule."""
    by_code: dict[str, list[dict[str, object]]] = {}
    for finding in json.loads(program("check", "--output-format", "json", *options).out)["findings"]:
        by_code.setdefault(finding["code"], []).append(finding)
    return by_code


def test_the_named_finding_alone_is_reported_and_fails(program: Program, write: Write) -> None:
    write("train.py", TRAIN)
    first, second = (str(finding["id"]) for finding in found(program)["TRN201"])
    one = program("check", "--only", second, "--output-format", "concise")
    assert one.code == 1
    assert one.out.splitlines()[0].startswith("train.py:15:")
    assert " left out)." in one.out.splitlines()[1]
    assert list(map(len, found(program, "--only", first, "--only", second).values())) == [2]


@pytest.mark.parametrize("piped", [False, True], ids=["a file", "standard input"])
def test_exactly_one_finding_is_fixed(program: Program, write: Write, *, piped: bool) -> None:
    train = write("train.py", TRAIN)
    [restarts] = found(program)["TRN103"]
    options = ("--fix", "--unsafe-fixes", "--only", str(restarts["id"]))
    if piped:
        fixed = program("check", "-", "--stdin-filename", "train.py", *options, stdin=train.read_bytes())
        assert (fixed.code, fixed.err.partition(". ")[0]) == (0, "Fixed 1 problem")
        text = fixed.out
    else:
        fixed = program("check", *options)
        assert (fixed.code, fixed.out.partition(". ")[0]) == (0, "Fixed 1 problem")
        text = train.read_text()
    assert "All clear" not in fixed.out + fixed.err
    assert text == TRAIN.replace("num_workers=4", "num_workers=4, persistent_workers=True")


def test_the_diff_of_a_finding_is_that_of_its_fix(program: Program, write: Write) -> None:
    write("train.py", TRAIN)
    [finding] = found(program)["TRN205"]
    shown = program("check", "--diff", "--unsafe-fixes", "--only", str(finding["id"]))
    assert isinstance(finding["fix"], dict)
    assert shown.out == finding["fix"]["diff"]
    assert shown.code == 1


def test_of_equal_statements_the_one_that_is_left_is_not_taken_for_the_fixed_one(
    program: Program, write: Write
) -> None:
    """The second takes the id of the first when that is gone."""
    write("requirements.txt", "torch>=2.4\n")
    train = write(
        "train.py", "import torch\n\nscaler = torch.cuda.amp.GradScaler()\nscaler = torch.cuda.amp.GradScaler()\n"
    )
    first, second = found(program)["TRN801"]
    fixed = program("check", "--fix", "--only", str(first["id"]))
    assert train.read_text().count("torch.cuda.amp.GradScaler") == 1
    assert [finding["id"] for finding in found(program)["TRN801"]] == [first["id"]] != [second["id"]]
    assert (fixed.code, fixed.out.partition(". ")[0]) == (0, "Fixed 1 problem")


def test_an_unknown_id_is_refused_and_nothing_is_fixed(program: Program, write: Write) -> None:
    train = write("train.py", TRAIN)
    for options in ((), ("--fix", "--unsafe-fixes")):
        refused = program("check", "--only", "0123456789", *options)
        assert (refused.code, refused.out) == (2, "")
        assert "no finding here has the id 0123456789: it was fixed, its statement changed, or " in refused.err
    assert train.read_text() == TRAIN


def test_an_ignore_comment_can_be_added_for_one_finding(program: Program, write: Write) -> None:
    train = write("train.py", TRAIN)
    second = str(found(program)["TRN201"][1]["id"])
    assert program("check", "--only", second, "--add-ignores", "it is slow anyway").code == 0
    assert [line for line in train.read_text().splitlines() if "it is slow anyway" in line] == [
        next(line for line in train.read_text().splitlines()[::-1] if "loss.item()" in line)
    ]


def test_the_first_findings_are_listed_and_the_others_are_counted(program: Program, write: Write) -> None:
    write("train.py", TRAIN)
    whole = json.loads(program("check", "--output-format", "json").out)
    part = program("check", "--output-format", "json", "--max-findings", "2")
    listed = json.loads(part.out)
    assert listed["findings"] == [finding for finding in whole["findings"] if finding["rank"] <= 2]
    assert listed["counts"]["left_out"] == len(whole["findings"]) - len(listed["findings"])
    assert part.code == 1
    text = program("check", "--max-findings", "2", "--output-format", "concise").out
    assert text.startswith("train.py:")
    assert text.splitlines()[2].startswith("Found 2 problems")
    assert f"; {listed['counts']['left_out']} left out)." in text
    others = program("check", "--max-findings", "2", "--output-format", "gitlab")
    assert len(json.loads(others.out)) == len(listed["findings"])
    groups = whole["counts"]["groups"]
    assert f"{groups - 2} of {groups} problems are left out" in others.err


def test_the_exit_code_counts_what_is_left_out(program: Program, write: Write) -> None:
    write("train.py", TRAIN)
    severities = [
        finding["severity"] for finding in json.loads(program("check", "--output-format", "json").out)["findings"]
    ]
    assert severities[0] != "error"
    part = program("check", "--max-findings", "1", "--fail-on", "warning")
    assert part.code == program("check", "--fail-on", "warning").code == 1


@pytest.mark.parametrize("word", ["0", "-1", "many"])
def test_a_number_of_findings_is_one_at_least(program: Program, word: str) -> None:
    refused = program("check", f"--max-findings={word}")
    assert refused.code == 2
    assert "expected a number of findings from 1 on" in refused.err
