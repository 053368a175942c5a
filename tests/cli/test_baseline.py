"""`trainlint baseline`, and `trainlint check --baseline`: only what is new is reported and fails."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Program, Write

NAME = ".trainlint-baseline.json"
TRAIN = """\
import torch


def train(model, loader, optimizer):
    history = []
    for images, labels in loader:
        loss = torch.nn.functional.cross_entropy(model(images.cuda(non_blocking=True)), labels.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        history.append(loss.item())
    return history
"""
ONE_MORE = TRAIN.replace("    return", "        print(float(loss))\n    return")
OUTDATED = "import torch\n\nscaler = torch.cuda.amp.GradScaler()\n"
CHECK = json.loads((files("trainlint.report") / "schema/check.schema.json").read_text(encoding="utf-8"))


def entries(place: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(place.read_text(encoding="utf-8"))["findings"]
    return found


def test_what_is_written_down_is_not_reported_and_what_is_new_fails(program: Program, write: Write) -> None:
    train = write("train.py", TRAIN)
    written = program("baseline")
    assert (written.code, written.out) == (0, f"{NAME} lists 1 finding in 1 file.\n"), written
    assert "Added `baseline` to trainlint.toml" in written.err
    assert (program.directory / "trainlint.toml").read_text() == f'baseline = "{NAME}"\n'
    [entry] = entries(program.directory / NAME)
    statement = entry["statement"]
    [reported] = json.loads(program("check", "--isolated", "--output-format", "json").out)["findings"]
    assert (program.directory / NAME).read_text() == (
        '{\n  "trainlint_baseline": 1,\n  "findings": [\n'
        '    {"path": "train.py", "code": "TRN201", "function": "train", "line": "history.append(loss.item())", '
        f'"statement": "{statement}", "id": "{reported["id"]}"}}\n'
        "  ]\n}\n"
    )
    known = program("check", "--baseline", NAME)
    assert (known.code, known.out, known.err) == (
        0,
        "Found no new problem in 1 file, which trains (1 in the baseline, see --no-baseline).\n",
        "",
    )
    train.write_text(ONE_MORE)
    found = program("check", "--baseline", NAME, "--output-format", "concise")
    assert found.code == 1
    assert "TRN203" in found.out
    assert "TRN201" not in found.out
    assert found.out.endswith("Found 1 new problem in 1 file, which trains (1 in the baseline, see --no-baseline).\n")


def test_what_the_baseline_lists_can_be_shown_and_fixed_all_the_same(program: Program, write: Write) -> None:
    train = write("train.py", "import torch\nx = torch.zeros(3)  # trainlint: ignore[TRN201] reason\n")
    program("baseline")
    assert program("check").code == 0
    assert program("check", "--fix").out.endswith("(1 in the baseline, see --no-baseline).\n")
    assert "TRN002" in program("check", "--no-baseline", "--output-format", "concise").out
    assert program("check", "--no-baseline", "--fix").code == 0
    assert "ignore" not in train.read_text()
    both = program("check", "--no-baseline", "--baseline", NAME)
    assert both.code == 2
    assert "give one of the two" in both.err


def test_a_reformatted_statement_stays_known(program: Program, write: Write) -> None:
    train = write("train.py", TRAIN)
    program("baseline")
    train.write_text(TRAIN.replace("append(loss.item())", "append(\n            loss.item(),\n        )"))
    assert program("check", "--baseline", NAME).code == 0


def test_a_baseline_without_statements_and_ids_holds_and_is_written_anew(program: Program, write: Write) -> None:
    write("train.py", TRAIN)
    program("baseline")
    whole = json.loads((program.directory / NAME).read_text())
    for entry in whole["findings"]:
        del entry["statement"], entry["id"]
    old = write(NAME, json.dumps(whole))
    assert program("check", "--baseline", NAME).code == 0
    assert program("baseline").code == 0
    assert [set(entry) >= {"statement", "id"} for entry in entries(old)] == [True]


def test_moved_lines_and_renamed_files_stay_known(program: Program, write: Write) -> None:
    train = write("train.py", TRAIN)
    program("baseline")
    train.unlink()
    write("src/engine/loop.py", TRAIN.replace("\n\n\ndef", "\n\nLEARNING_RATE = 0.1\n\n\ndef", 1))
    assert program("check", "--baseline", NAME).code == 0
    assert program("baseline", "--prune").code == 0
    assert [entry["path"] for entry in entries(program.directory / NAME)] == ["src/engine/loop.py"]


def test_the_configuration_may_name_it(program: Program, write: Write) -> None:
    write("project/trainlint.toml", f'baseline = "{NAME}"\n')
    write("project/src/train.py", TRAIN)
    write("other/train.py", TRAIN)
    inside = type(program)(program.directory / "project", program.environment)
    written = inside("baseline")
    assert (written.code, written.err) == (0, "")  # there is nothing left to be told
    both = program("check", "--output-format", "concise")
    assert both.code == 1
    assert both.out.startswith("other/train.py:11:")
    assert both.out.endswith("Found 1 new problem; 2 of 2 files train (1 in the baseline, see --no-baseline).\n")
    assert program("check", "project/src").code == 0
    assert program("check", "project/src", "--isolated").code == 1


def test_a_configuration_cannot_name_a_file_outside_of_its_project(program: Program, write: Write) -> None:
    write(".git/HEAD", "")
    write("trainlint.toml", 'baseline = "../known.json"\n')
    write("train.py", TRAIN)
    refused = program("check")
    assert refused.code == 2
    assert "trainlint.toml:1: `baseline` leads out of the project" in refused.out


def test_fixed_entries_are_told_and_dropped_with_one_command(program: Program, write: Write) -> None:
    train = write("train.py", TRAIN)
    write("requirements.txt", "torch>=2.4\n")
    write("old.py", OUTDATED)
    program("baseline")
    train.write_text(TRAIN.replace("loss.item()", "loss.detach()"))
    stale = program("check", "--baseline", NAME)
    assert stale.code == 0
    assert stale.err == (
        "stale: train.py: TRN201 in train: history.append(loss.item())\n"
        f"1 entry is stale: the finding is gone. `trainlint baseline --prune -o {NAME}` drops it.\n"
    )
    assert program("check", "--baseline", NAME, "--quiet").err == ""
    pruned = program("baseline", "--prune")
    assert pruned.out == f"Dropped 1 stale entry. {NAME} lists 1 finding in 1 file.\n"
    assert [entry["path"] for entry in entries(program.directory / NAME)] == ["old.py"]
    assert program("check", "--baseline", NAME).err == ""


def test_pruning_adds_nothing(program: Program, write: Write) -> None:
    train = write("train.py", TRAIN)
    program("baseline")
    train.write_text(ONE_MORE)
    program("baseline", "--prune")
    assert [entry["code"] for entry in entries(program.directory / NAME)] == ["TRN201"]


def test_files_and_rules_that_are_not_asked_about_are_not_stale(program: Program, write: Write) -> None:
    write("train.py", TRAIN)
    write("requirements.txt", "torch>=2.4\n")
    old = write("old.py", OUTDATED)
    program("baseline")
    assert program("check", "old.py", "--baseline", NAME).err == ""
    assert program("check", "--baseline", NAME, "--select", "TRN1").err == ""
    old.write_text("import torch\n")
    assert "old.py" in program("check", "old.py", "--baseline", NAME).err
    program("baseline", "old.py")
    assert [entry["path"] for entry in entries(program.directory / NAME)] == ["train.py"]


def test_a_file_that_cannot_be_judged_keeps_its_entries(program: Program, write: Write) -> None:
    train = write("train.py", TRAIN)
    program("baseline")
    train.write_text(TRAIN + "def (:\n")
    failed = program("check", "--baseline", NAME)
    assert failed.code == 2
    assert "stale" not in failed.err
    assert program("baseline", "--prune").code == 2
    assert len(entries(program.directory / NAME)) == 1


@pytest.mark.parametrize("content", [None, "{", '{"a": 1}', '{"trainlint_baseline": 99}'])
def test_what_is_no_baseline_is_one_sentence_and_nothing_is_judged(
    program: Program, write: Write, content: str | None
) -> None:
    write("train.py", TRAIN)
    if content is not None:
        write("known.json", content)
    refused = program("check", "--baseline", "known.json")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith("trainlint: known.json")
    assert refused.err.count("\n") == 1
    if content is not None:  # nor is it written over
        assert program("baseline", "-o", "known.json").code == 2
        assert (program.directory / "known.json").read_text() == content


def test_only_new_findings_are_fixed_and_silenced(program: Program, write: Write) -> None:
    write("requirements.txt", "torch>=2.4\n")
    old = write("old.py", OUTDATED)
    program("baseline")
    new = write("new.py", OUTDATED.replace("scaler", "other"))
    patch = program("check", "--baseline", NAME, "--diff")
    assert patch.code == 1
    assert "new.py" in patch.out
    assert "old.py" not in patch.out
    silenced = program("check", "--baseline", NAME, "--add-ignores", "old API")
    assert silenced.code == 0
    assert "# trainlint: ignore" in new.read_text()
    assert old.read_text() == OUTDATED
    new.write_text(OUTDATED.replace("scaler", "other"))
    fixed = program("check", "--baseline", NAME, "--fix")
    assert fixed.code == 0
    assert "torch.cuda.amp" not in new.read_text()
    assert old.read_text() == OUTDATED
    both = program("check", "--baseline", NAME, "--fix", "--add-ignores", "old API")
    assert (both.code, both.err.count("\n")) == (2, 1)


def test_code_on_standard_input_is_compared(program: Program, write: Write) -> None:
    write("train.py", TRAIN)
    program("baseline")
    known = program("check", "-", "--stdin-filename", "train.py", "--baseline", NAME, stdin=TRAIN.encode())
    assert (known.code, known.err) == (0, "")
    new = program("check", "-", "--stdin-filename", "train.py", "--baseline", NAME, stdin=ONE_MORE.encode())
    assert new.code == 1
    assert "TRN203" in new.out


def test_statistics_count_what_is_new(program: Program, write: Write) -> None:
    train = write("train.py", TRAIN)
    program("baseline")
    train.write_text(ONE_MORE)
    counted = program("check", "--baseline", NAME, "--statistics")
    assert counted.out.splitlines()[0].split()[:2] == ["1", "TRN203"]
    assert "TRN201" not in counted.out


def test_only_new_findings_are_compared_with_fail_on(program: Program, write: Write) -> None:
    train = write("train.py", TRAIN)
    program("baseline")
    train.write_text(ONE_MORE)
    assert program("check", "--baseline", NAME, "--fail-on", "error").code == 0
    assert program("check", "--baseline", NAME, "--fail-on", "warning").code == 1


def test_a_run_from_the_cache_is_compared_anew(program: Program, write: Write) -> None:
    write("train.py", TRAIN)
    assert program("check").code == 1
    program("baseline")
    assert program("check", "--baseline", NAME).code == 0
    assert program("check", "--isolated").code == 1


def test_json_and_sarif_say_what_is_new_and_what_is_gone(program: Program, write: Write) -> None:
    train = write("train.py", TRAIN)
    write("requirements.txt", "torch>=2.4\n")
    write("old.py", OUTDATED)
    program("baseline")
    (program.directory / "old.py").unlink()
    train.write_text(ONE_MORE)
    report = json.loads(program("check", "--baseline", NAME, "--output-format", "json").out)
    Draft202012Validator(CHECK).validate(report)
    assert [finding["code"] for finding in report["findings"]] == ["TRN203"]
    assert report["counts"]["findings"] == 1
    assert report["baseline"]["paths"] == [NAME]
    assert [finding["code"] for finding in report["baseline"]["known"]] == ["TRN201"]
    assert [gone["path"] for gone in report["baseline"]["gone"]] == ["old.py"]
    log = json.loads(program("check", "--baseline", NAME, "--output-format", "sarif").out)
    states = {result["ruleId"]: result["baselineState"] for result in log["runs"][0]["results"]}
    assert states.pop("TRN201") == "unchanged"
    assert states.pop("TRN203") == "new"
    assert set(states.values()) == {"absent"}
    without = json.loads(program("check", "--isolated", "--output-format", "sarif").out)
    assert all("baselineState" not in result for result in without["runs"][0]["results"])


def test_a_baseline_is_not_written_over_a_judged_file_or_behind_a_link(program: Program, write: Write) -> None:
    write("train.py", TRAIN)
    (program.directory / "link.json").symlink_to("/tmp/elsewhere.json")
    assert program("baseline", "-o", "link.json").code == 2
    assert program("baseline", "-o", "train.py").code == 2
    assert (program.directory / "train.py").read_text() == TRAIN


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        (
            "pyproject.toml",
            '[project]\nname = "x"  # mine\n',
            f'[project]\nname = "x"  # mine\n\n[tool.trainlint]\nbaseline = "{NAME}"\n',
        ),
        (
            "pyproject.toml",
            '# a\n[tool.trainlint]  # b\nignore = ["TRN204"]  # why\n\n[tool.other]\nx = 1\n',
            f'# a\n[tool.trainlint]  # b\nbaseline = "{NAME}"\nignore = ["TRN204"]  # why\n\n[tool.other]\nx = 1\n',
        ),
        (
            "trainlint.toml",
            '# Settings\r\nfail-on = "advice"\r\n[severity]\r\nTRN201 = "error"',
            f'# Settings\r\nbaseline = "{NAME}"\r\nfail-on = "advice"\r\n[severity]\r\nTRN201 = "error"',
        ),
    ],
)
def test_it_is_named_in_the_configuration_whose_comments_stay(
    program: Program, write: Write, name: str, before: str, after: str
) -> None:
    write("train.py", TRAIN)
    (program.directory / name).write_bytes(before.encode())
    written = program("baseline")
    assert f"Added `baseline` to {name}: " in written.err
    assert (program.directory / name).read_bytes().decode() == after
    assert program("check").code == 0


def test_each_configuration_of_what_it_lists_names_it(program: Program, write: Write) -> None:
    write("train.py", TRAIN)
    write("part/train.py", TRAIN)
    nested = write("part/trainlint.toml", 'ignore = ["TRN204"]\n')
    write("elsewhere/.git/HEAD", "ref: refs/heads/main\n")
    write("elsewhere/train.py", TRAIN)
    another = write("elsewhere/trainlint.toml", 'ignore = ["TRN204"]\n')
    write(".git/HEAD", "ref: refs/heads/main\n")
    written = program("baseline")
    assert "Added `baseline` to trainlint.toml, part/trainlint.toml: " in written.err
    assert nested.read_text() == f'baseline = "../{NAME}"\nignore = ["TRN204"]\n'
    assert another.read_text() == 'ignore = ["TRN204"]\n'
    assert "elsewhere/trainlint.toml cannot name it; run `trainlint baseline` in elsewhere." in written.err
    checked = program("check", "--output-format", "concise")
    assert checked.out.startswith("elsewhere/train.py:")
    assert "Found 1 new problem; " in checked.out
    assert "stale" not in checked.err, "what another configuration holds for is not gone"


def test_a_configuration_that_cannot_name_it_stays(program: Program, write: Write) -> None:
    write("train.py", TRAIN)
    quoted = write("pyproject.toml", 'tool.trainlint.ignore = ["TRN204"]\n')
    write("apart/known.txt", "")
    assert f"run `trainlint check --baseline {NAME}`" in program("baseline").err
    assert quoted.read_text() == 'tool.trainlint.ignore = ["TRN204"]\n'
    inside = type(program)(program.directory / "apart", program.environment)
    assert "--baseline" in inside("baseline", "-o", "../known.json", "../train.py", "--isolated").err
