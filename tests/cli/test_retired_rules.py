"""Codes of rules that are retired: what they mean in settings, comments and baselines."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from trainlint.catalogue import installed_rules
from trainlint.naming import rules_called
from trainlint.retired import RETIRED, TOLD_BY

if TYPE_CHECKING:
    from tests.cli.conftest import Program, Write

TRAIN = """\
from tqdm import tqdm


def train(model, loader, optimizer):
    bar = tqdm(loader)
    for images in bar:
        loss = model(images.cuda(non_blocking=True)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        bar.set_postfix(loss=loss.item())
"""
READS = "note: TRN212 (progress-bar-reads-each-step) is retired: TRN201, TRN202 and TRN203 tell it now\n"
GONE = "TRN305 (graph-retained) is retired: nothing looks for it any more"


def found(program: Program, *options: str) -> tuple[list[str], str]:
    """The codes that a run over the directory reports, and what it says besides."""
    result = program("check", "--isolated", "--output-format", "json", "--exit-zero", *options)
    assert result.code == 0, result.err
    return [finding["code"] for finding in json.loads(result.out)["findings"]], result.err


def test_retired_rules_are_gone_and_those_that_tell_it_now_are_not() -> None:
    rules = installed_rules()
    assert not {rule.code for rule in rules} & set(RETIRED)
    assert not {rule.name for rule in rules} & set(RETIRED.values())
    assert set(TOLD_BY) <= set(RETIRED)
    for code, told_by in TOLD_BY.items():
        assert tuple(rule.code for rule in rules_called(code, rules)) == told_by


def test_selecting_a_retired_rule_runs_those_that_tell_it_now(program: Program, write: Write) -> None:
    write("train.py", TRAIN)
    assert found(program, "--select", "TRN212") == (["TRN201"], READS)
    assert found(program, "--select", "progress-bar-reads-each-step")[0] == ["TRN201"]
    assert found(program, "--select", "TRN201") == (["TRN201"], "")
    assert found(program, "--select", "TRN201,TRN305") == (["TRN201"], f"note: {GONE}\n")


def test_ignoring_a_retired_rule_turns_off_no_other(program: Program, write: Write) -> None:
    write("train.py", TRAIN)
    assert found(program, "--ignore", "TRN212") == (["TRN201"], READS)
    write("trainlint.toml", '[per-file-ignores]\n"train.py" = ["TRN212"]\n')
    result = program("check", "--output-format", "concise")
    assert (result.code, result.err) == (1, READS)


def test_configurations_may_name_retired_rules(program: Program, write: Write) -> None:
    write("train.py", TRAIN)
    write("trainlint.toml", 'ignore = ["TRN201"]\n[severity]\nTRN214 = "error"\nTRN305 = "error"\n')
    result = program("check")
    assert (result.code, result.err) == (0, "")


def test_a_comment_that_names_a_retired_rule_silences_those_that_tell_it_now(program: Program, write: Write) -> None:
    write("train.py", TRAIN.replace("loss.item())", "loss.item())  # trainlint: ignore[TRN212] shown"))
    assert found(program) == ([], "")
    write("train.py", TRAIN.replace("loss.item())", "loss.item())  # trainlint: ignore[TRN201, TRN305]"))
    result = program("check", "--isolated", "--output-format", "concise")
    assert f"TRN003 {GONE}" in result.out


def test_a_baseline_knows_what_a_retired_rule_told(program: Program, write: Write) -> None:
    write("train.py", TRAIN)
    assert program("baseline", "train.py").code == 0
    baseline = program.directory / ".trainlint-baseline.json"
    text = baseline.read_text(encoding="utf-8")
    assert '"TRN201"' in text
    for code, known in (("TRN212", 0), ("TRN217", 1)):
        baseline.write_text(text.replace('"TRN201"', f'"{code}"'), encoding="utf-8")
        assert program("check", "--baseline", baseline.name).code == known


def test_the_page_of_a_retired_rule_is_that_of_those_that_tell_it_now(program: Program) -> None:
    result = program("explain", "TRN217")
    assert result.code == 0
    assert result.err == "note: TRN217 (host-random-fed-to-device) is retired: TRN207 tells it now\n"
    assert result.out.startswith("TRN207")
    gone = program("explain", "graph-retained")
    assert (gone.code, gone.err) == (2, f"trainlint: {GONE}\n")
