"""`trainlint why`: what is known of a line, and why each rule reports something there or is silent."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from tests.cli.test_startup import imports
from tests.engine.linked_project import write_project
from trainlint.analysis.types.values import Kind, Origin, Value
from trainlint.finding import Heat
from trainlint.report.why.value_words import value_words

if TYPE_CHECKING:
    from tests.cli.conftest import Program, Write

TRAIN = """\
import torch


def train(model, criterion, optimizer, train_loader, device):
    for step, (inputs, targets) in enumerate(train_loader):
        loss = criterion(model(inputs.to(device)), targets.to(device))
        loss.backward()
        optimizer.step()
        if step % 100 == 0:
            print(loss.item())
        total = loss.item()
        shown = loss.item()  # trainlint: ignore[TRN201] it is shown


"""


NET = """\
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        return x + torch.arange(8).to(x.device)
"""


def schema(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((files("trainlint.report") / "schema" / name).read_text(encoding="utf-8"))
    return loaded


WHY = schema("why.schema.json")
VALIDATOR = Draft202012Validator(
    WHY,
    registry=Registry().with_resource("check.schema.json", Resource.from_contents(schema("check.schema.json"))),
)


def answer(program: Program, place: str, *options: str) -> dict[str, Any]:
    result = program("why", place, "--output-format", "json", *options)
    assert (result.code, result.err) == (0, "")
    assert result.out.isascii()
    document: dict[str, Any] = json.loads(result.out)
    VALIDATOR.validate(document)
    return document


def test_a_silent_rule_says_why(program: Program, write: Write) -> None:
    write("train.py", TRAIN)
    result = program("why", "train.py:10")
    assert (result.code, result.err) == (0, "")
    assert "\x1b[" not in result.out
    assert result.out.startswith(
        "  10 │             print(loss.item())\n  when:     in train: runs only in some steps: line 5"
    )
    assert "line 5: for step, (inputs, targets) in" in result.out
    assert "→ line 9: if step % 100 == 0" in result.out
    assert "loss is a tensor, " in result.out
    words = " ".join(result.out.split())
    assert "TRN201 item-in-training-step" in words
    assert "silent: this code runs only in some steps (an interval, a first step, a failure, an option)" in words


def test_a_value_that_is_on_the_device_only_elsewhere_does_not_run_once(program: Program, write: Write) -> None:
    helper = """\


def logged(loss):
    return loss.item()


def main(model, loader, optimizer):
    for batch in loader:
        loss = model(batch.cuda()).sum()
        loss.backward()
        optimizer.step()
        logged(0.5)


def first_loss(model, batch):
    return logged(model(batch.cuda()).sum())


main(*prepared())
first_loss(*prepared())
"""
    write("train.py", "import torch\n" + helper)
    [line] = answer(program, "train.py:5")["lines"]
    assert line["heat"]["heat"] == "step"
    [told] = [look["silence"] for look in line["rules"] if look["code"] == "TRN201"]
    assert "this code runs once" not in told


def test_in_an_evaluation_a_rule_is_silent_for_the_frequency_that_is_shown(program: Program, write: Write) -> None:
    write(
        "train.py",
        """import torch
from torch.utils.data import DataLoader


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    for batch in loader:
        print(model(batch.cuda()).sum().item())


def main():
    loader = DataLoader(range(9))
    model = torch.nn.Linear(2, 2).cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for epoch in range(3):
        for batch in loader:
            model(batch.cuda()).sum().backward()
            optimizer.step()
        evaluate(model, loader)


main()
""",
    )
    [line] = answer(program, "train.py:9")["lines"]
    assert line["heat"]["heat"] == "eval-step"
    [told] = [look["silence"] for look in line["rules"] if look["code"] == "TRN201"]
    assert told == "this code runs in every evaluation step"


def test_a_finding_is_reported_and_what_hides_one_is_told(program: Program, write: Write) -> None:
    write("train.py", TRAIN)
    assert "TRN201 item-in-training-step reports `loss.item()`" in program("why", "train.py:11").out
    hidden = program("why", "train.py:12").out
    assert "TRN201 item-in-training-step would report `loss.item()`" in hidden
    assert "not shown: the comment at line 12 silences it" in hidden
    write("trainlint.toml", 'min-confidence = "certain"\n')
    write("net.py", NET)
    unsure = program("why", "net.py:6").out
    assert "TRN207 created-on-host-then-moved would report" in unsure
    assert "not shown: that is below min-confidence, certain" in unsure
    write("trainlint.toml", 'ignore = ["TRN201"]\n')
    off = program("why", "train.py:11").out
    assert "It does not run here: it is not selected by the configuration." in off
    assert "not shown: the rule does not run here" in off
    assert "reports" in program("why", "train.py:11", "--isolated").out


def test_a_further_place_of_a_finding_names_the_finding(program: Program, write: Write) -> None:
    batches = """\
import torch


def train(model, loader, optimizer):
    for inputs, targets in loader:
        inputs = inputs.cuda()
        targets = targets.cuda()
        model(inputs, targets).backward()
        optimizer.step()


train(torch.nn.Linear(4, 4).cuda(), torch.utils.data.DataLoader(range(9), pin_memory=True), prepared())
"""
    write("train.py", batches)
    at = "TRN205 blocking-batch-copy at train.py:6:18: copies another part of the same batch"
    assert f"Belongs to {at}" in " ".join(program("why", "train.py:7").out.split())
    first, second = answer(program, "train.py:6-7")["lines"]
    assert first["part_of"] == []
    [part] = second["part_of"]
    assert (part["finding"]["code"], part["finding"]["span"]["start_line"]) == ("TRN205", 6)
    assert part["message"] == "copies another part of the same batch"
    write("train.py", batches.replace("inputs.cuda()", "inputs.cuda()  # trainlint: ignore[TRN205] small"))
    assert answer(program, "train.py:7")["lines"][0]["part_of"] == []


@pytest.mark.parametrize("place", ["train.py:11:17", "train.py:11:17:", "./train.py:11"])
def test_a_place_may_be_pasted_from_a_report(program: Program, write: Write, place: str) -> None:
    write("train.py", TRAIN)
    assert [line["line"] for line in answer(program, place)["lines"]] == [11]


def test_lines_and_whole_files(program: Program, write: Write) -> None:
    write("train.py", TRAIN)
    assert [line["line"] for line in answer(program, "train.py:1-8")["lines"]] == [1, 4, 5, 6, 7, 8]
    whole = answer(program, "train.py")
    assert (whole["first_line"], whole["last_line"]) == (1, 14)
    assert {10, 11, 12} <= {line["line"] for line in whole["lines"]}
    assert all(line["rules"] or line["part_of"] for line in whole["lines"])
    assert answer(program, "train.py:12-99")["last_line"] == 14


def test_the_json_shape(program: Program, write: Write) -> None:
    write("train.py", TRAIN)
    (line,) = answer(program, "train.py:11")["lines"]
    assert (line["text"], line["function"]) == ("        total = loss.item()", "train")
    assert (line["heat"]["heat"], line["autograd"]) == ("step", {"off": False, "reason": None})
    assert {value["text"]: value["value"]["kind"] for value in line["values"]}["loss"] == "tensor"
    rule = line["rules"][0]
    assert (rule["code"], rule["answer"], rule["silence"]) == ("TRN201", "reported", None)
    assert rule["findings"][0]["shown"] is True
    (line,) = answer(program, "train.py:12")["lines"]
    assert line["rules"][0]["findings"][0]["hidden"] == [{"by": "comment", "cell": None, "line": 12}]
    (line,) = answer(program, "train.py:5")["lines"]
    assert (line["heat"]["heat"], line["body_heat"]["heat"]) == ("unknown", "step")


def test_every_word_of_the_model_is_in_the_schema_and_has_words_for_people() -> None:
    kinds, origins = (WHY["$defs"]["value"]["properties"][key]["enum"] for key in ("kind", "origin"))
    assert set(kinds) == {kind.name.lower() for kind in Kind}
    assert set(origins) == {None, *(origin.name.lower() for origin in Origin)}
    assert {heat.value for heat in Heat} == set(
        schema("check.schema.json")["$defs"]["finding"]["properties"]["heat"]["enum"]
    )
    for kind in Kind:
        assert value_words(Value(kind))


def test_a_file_without_lines_to_look_at(program: Program, write: Write) -> None:
    write("train.py", TRAIN)
    quiet = program("why", "train.py:1").out
    assert "No rule looks at this line." in quiet
    assert "Nearest findings:\n  train.py:6  TRN205 blocking-batch-copy" in quiet
    assert answer(program, "train.py:1")["nearest_findings"]
    assert "no code begins on this line" in program("why", "train.py:2").out
    write("torch_only.py", "import torch\n")
    assert "The file has no finding" in program("why", "torch_only.py:1").out
    assert "No rule looks at the file." in program("why", "torch_only.py").out


def test_a_file_that_cannot_train_is_not_looked_at(program: Program, write: Write) -> None:
    write("tools.py", "import json\n")
    result = program("why", "tools.py:1")
    assert result.code == 0
    assert "No rule looks at tools.py: it holds neither" in result.out
    assert '"torch"' in result.out
    assert "torch" in answer(program, "tools.py")["missing_words"]


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("trian.py:3", "trian.py: it does not exist"),
        ("train.py:15", "train.py has 14 lines, so there is no line 15"),
        ("train.py:0", "train.py has 14 lines, so there is no line 0"),
        ("train.py:9-3", "line 9 comes after line 3"),
        ("sub", "sub is a directory; name a file"),
        ("", "the path is empty"),
        ("broken.py:1", "line 1"),
        ("binary.py", "NUL"),
        ("notes.ipynb", "no list of cells"),
    ],
)
def test_where_there_is_no_answer_a_sentence_says_why(program: Program, write: Write, place: str, words: str) -> None:
    write("train.py", TRAIN)
    write("sub/other.py")
    write("broken.py", "import torch\ndef f(:\n".replace("import torch\n", ""))
    write("binary.py", b"import torch\0")
    write("notes.ipynb", "{}")
    result = program("why", place)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("trainlint: ")
    assert words in result.err
    assert result.err.count("\n") == 1


def test_it_knows_what_a_run_knows_of_other_files(program: Program) -> None:
    write_project(program.directory)
    found = json.loads(program("check", "pkg/utils.py", "--output-format", "json").out)["findings"]
    (line,) = answer(program, "pkg/utils.py:5")["lines"]
    told = [finding["finding"] for rule in line["rules"] for finding in rule["findings"] if finding["shown"]]
    of_the_report = {"group", "rank"}
    assert told == [{key: value for key, value in one.items() if key not in of_the_report} for one in found] != []
    result = program("why", "pkg/utils.py:5")
    words = " ".join(result.out.split())
    assert (
        "when: in log: runs each training step: scripts/train.py:7: for step, (inputs, targets) in "
        "enumerate(train_loader) → scripts/train.py:8: calls run_step → pkg/engine.py:11: calls log"
    ) in words
    assert (result.code, result.err) == (0, "")


def test_a_wrong_configuration_is_named(program: Program, write: Write) -> None:
    write("train.py", TRAIN)
    write("trainlint.toml", "colour = true\n")
    result = program("why", "train.py:3")
    assert result.code == 2
    assert "colour" in result.err


def test_a_visitors_rule_is_asked_too(toys: Program, write: Write) -> None:
    write("train.py", "import torch\nsafe()\n")
    assert "TOY101 toy-safe reports `safe()`" in toys("why", "train.py:2").out


@pytest.mark.parametrize("width", [40, 80, 120])
def test_it_fits_the_terminal(program: Program, write: Write, width: int) -> None:
    write("train.py", TRAIN)
    wide = type(program)(program.directory, {**program.environment, "COLUMNS": str(width)})
    lines = wide("why", "train.py").out.splitlines()
    assert max(map(len, lines)) <= width
    assert "\x1b[" in wide("why", "train.py:11", "--color", "always").out


def test_code_that_nests_deeply_is_no_crash(program: Program, write: Write) -> None:
    write("deep.py", "import torch\nprint(" + "-x + " * 900 + "x)\nprint(" + "f(" * 60 + "x" + ")" * 60 + ")\n")
    result = program("why", "deep.py")
    assert result.code in (0, 2)
    assert "Traceback" not in result.err


def test_json_needs_no_rich(program: Program, write: Write) -> None:
    write("train.py", TRAIN)
    found = imports(program, "why", "train.py:10", "--output-format", "json")
    assert found.of({"rich", "pygments", "torch", "multiprocessing"}) == ""
