"""0 clean, 1 findings, 2 could not judge; and nothing looks clean by accident."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from trainlint import __version__

if TYPE_CHECKING:
    from tests.cli.conftest import Program, Write

SAFE = "import torch\nsafe()\n"


def test_clean_is_0(toys: Program, write: Write) -> None:
    write("clean.py", "import torch\n\noptimizer = torch.optim.SGD([], lr=0.1)\n")
    result = toys("check")
    assert (result.code, result.err) == (0, "")
    assert "1 file" in result.out


def test_findings_are_1(toys: Program, write: Write) -> None:
    write("train.py", SAFE)
    result = toys("check", "--output-format", "concise")
    assert result.code == 1
    assert "train.py:2:1: TOY101" in result.out


def test_findings_are_0_with_exit_zero(toys: Program, write: Write) -> None:
    write("train.py", SAFE)
    result = toys("check", "--exit-zero", "--output-format", "concise")
    assert result.code == 0
    assert "TOY101" in result.out


@pytest.mark.parametrize(("fail_on", "code"), [("advice", 1), ("warning", 1), ("error", 0)])
def test_fail_on_decides_which_severities_count(toys: Program, write: Write, fail_on: str, code: int) -> None:
    write("train.py", SAFE)
    assert toys("check", "--fail-on", fail_on).code == code


def test_fail_on_is_that_of_the_nearest_configuration(toys: Program, write: Write) -> None:
    write("lenient/trainlint.toml", 'fail-on = "error"\n')
    write("lenient/train.py", SAFE)
    assert toys("check").code == 0
    write("strict/train.py", SAFE)
    assert toys("check").code == 1


def test_failures_are_2_and_win_over_findings(toys: Program, write: Write) -> None:
    write("train.py", SAFE)
    write("broken.py", "import torch\ndef f(:\n")
    result = toys("check", "--output-format", "concise")
    assert result.code == 2
    assert "train.py:2:1: TOY101" in result.out
    assert "broken.py" in result.out
    assert toys("check", "--exit-zero").code == 2


def test_a_missing_path_is_2_and_the_others_are_judged(toys: Program, write: Write) -> None:
    write("train.py", SAFE)
    result = toys("check", "nowhere.py", "train.py", "--output-format", "concise")
    assert result.code == 2
    assert "nowhere.py: it does not exist" in result.out
    assert "train.py:2:1: TOY101" in result.out


def test_a_name_that_no_file_can_have_is_2_and_the_others_are_judged(toys: Program, write: Write) -> None:
    write("train.py", SAFE)
    result = toys("check", f"{'a' * 300}.py", "train.py", "--output-format", "concise")
    assert result.code == 2
    assert "it cannot be read" in result.out
    assert "train.py:2:1: TOY101" in result.out


@pytest.mark.parametrize("command", [["check", "--show-settings"], ["check", "--force-exclude"], ["why"], []])
def test_no_command_crashes_on_a_name_that_no_file_can_have(toys: Program, command: list[str]) -> None:
    result = toys(*command, f"{'a' * 300}.py")
    assert result.code == 2
    assert "Traceback" not in result.err


def test_no_files_are_2(toys: Program, write: Write) -> None:
    write("notes.txt", "import torch")
    result = toys("check")
    assert result.code == 2
    assert "there is no Python file" in result.out


def test_files_that_are_all_excluded_are_2(toys: Program, write: Write) -> None:
    write("trainlint.toml", 'exclude = ["*.py"]\n')
    write("train.py", SAFE)
    result = toys("check")
    assert result.code == 2
    assert "there is no Python file that is not excluded" in result.out


def test_named_files_are_judged_though_excluded_unless_told_otherwise(toys: Program, write: Write) -> None:
    write("trainlint.toml", 'exclude = ["generated"]\n')
    write("generated/train.py", SAFE)
    assert toys("check", "generated/train.py").code == 1
    result = toys("check", "--force-exclude", "generated/train.py")
    assert result.code == 0
    assert "nothing was judged" in result.err
    assert "All clear" not in result.out


def test_a_configuration_can_hold_excludes_against_named_files(toys: Program, write: Write) -> None:
    write("trainlint.toml", 'exclude = ["generated"]\nforce-exclude = true\n')
    write("generated/train.py", SAFE)
    for named in ("generated/train.py", "generated"):
        result = toys("check", named)
        assert result.code == 0
        assert "nothing was judged" in result.err


@pytest.mark.parametrize("option", ["--exclude", "--extend-exclude"])
def test_the_command_line_leaves_out_more_than_the_configuration(toys: Program, write: Write, option: str) -> None:
    write("trainlint.toml", 'exclude = ["generated"]\n')
    for name in ("generated/a.py", "sub/deep/b.py", "sub/c.py", "d_pb2.py", "train.py"):
        write(name, SAFE)
    assert toys("check", "--show-files", option, "sub/deep,*_pb2.py").out == "sub/c.py\ntrain.py\n"
    below = type(toys)(toys.directory / "sub", toys.environment)
    shown = below("check", "--show-files", option, "./deep", option, "*_pb2.py", "..").out
    assert [Path(line).name for line in shown.splitlines()] == ["train.py", "c.py"]
    assert toys("check", "train.py", option, "train.py").code == 1
    assert "nothing was judged" in toys("check", "train.py", option, "train.py", "--force-exclude").err
    wrong = toys("check", option, "a,!b")
    assert wrong.code == 2
    assert 'the pattern "!b" begins with !' in wrong.err


def test_no_rules_are_2(toys: Program, write: Write) -> None:
    write("train.py", SAFE)
    result = toys("check", "--ignore", "ALL")
    assert result.code == 2
    assert "no rule is left to run" in result.out


def test_to_select_only_what_a_run_shows_is_2(toys: Program, write: Write) -> None:
    write("train.py", SAFE)
    result = toys("check", "--select", "TRNP", "train.py")
    assert result.code == 2
    assert "`trainlint probe` finds it" in " ".join(result.out.split())
    assert "All clear" not in result.out


def test_what_a_run_shows_may_be_selected_beside_other_rules(toys: Program, write: Write) -> None:
    write("train.py", SAFE)
    assert toys("check", "--select", "TOY101,host-sync", "train.py").code == 1
    assert toys("check", "--select", "ALL", "train.py").code == 1


@pytest.mark.parametrize("flag", ["--select", "--extend-select", "--ignore"])
def test_an_unknown_rule_is_2_and_the_nearest_is_named(toys: Program, write: Write, flag: str) -> None:
    write("train.py")
    result = toys("check", flag, "TOY104")
    assert result.code == 2
    assert result.out == ""
    assert '"TOY104"' in result.err
    assert "did you mean" in result.err


def test_a_code_that_could_be_any_is_answered_without_a_guess(toys: Program, write: Write) -> None:
    write("train.py")
    assert "did you mean" not in toys("check", "--select", "TOY999").err


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "--nonsense"],
        ["check", "", "--fix"],
        ["check", "--show-files", "--show-settings"],
        ["check", "--min-confidence", "2"],
        ["check", "--jobs", "0"],
        ["check", "--fail-on", "never"],
        ["check", "--select", "TRN2,,TRN3"],
        ["check", "--output-format", "xml"],
        ["check", "--isolated", "--config", "trainlint.toml"],
        ["check", "--config", "nowhere.toml"],
        ["check", "-", "train.py"],
        ["check", "--stdin-filename", "train.py"],
        ["check", "--statistics", "--output-format", "json"],
        ["check", "--diff", "--statistics"],
        ["check", "--output-file", "nowhere/report.txt"],
        ["explain"],
        ["explain", "TRN999"],
        ["rules", "--severity", "dreadful"],
        ["rules", "--select", "TRN999"],
        ["rules", "--preview", "--fixable", "--severity", "error", "--select", "TRN0"],
        ["chekc"],
        ["."],
        ["--nonsense"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_2_and_says_why_in_a_line(program: Program, write: Write, arguments: list[str]) -> None:
    write("train.py")
    result = program(*arguments)
    assert result.code == 2
    assert result.out == ""
    assert result.err.startswith("trainlint")
    assert result.err.count("\n") == 1


def test_a_wrong_configuration_costs_only_its_own_files(toys: Program, write: Write) -> None:
    write("broken/trainlint.toml", 'selct = ["TOY"]\n')
    write("broken/inner/one.py", SAFE)
    write("broken/two.py", SAFE)
    write("sound/three.py", SAFE)
    result = toys("check", "--output-format", "concise")
    assert result.code == 2
    assert "sound/three.py:2:1: TOY101" in result.out
    assert result.out.count('unknown key "selct"') == 1
    assert "broken/trainlint.toml:1" in result.out
    assert "one.py" not in result.out


def test_a_crashing_rule_is_named_with_its_file_and_the_rest_is_judged(toys: Program, write: Write) -> None:
    write("bad.py", "crash()  # torch\nsafe()\n")
    write("good.py", SAFE)
    result = toys("check", "--output-format", "concise")
    assert result.code == 2
    assert "bad.py:2:1: TOY101" in result.out
    assert "good.py:2:1: TOY101" in result.out
    assert "could not judge bad.py: the rule TOY201" in result.out
    assert "ZeroDivisionError: no such luck" in result.out


@pytest.mark.parametrize("what", ["panic", "recurse"])
def test_whatever_is_raised_costs_one_file_at_most(toys: Program, write: Write, what: str) -> None:
    write("bad.py", f"{what}()  # torch\n")
    write("good.py", SAFE)
    result = toys("check", "--output-format", "concise")
    assert result.code == 2
    assert "could not judge bad.py" in result.out
    assert "good.py:2:1: TOY101" in result.out


def test_no_rule_pack_is_2(program: Program, write: Write) -> None:
    write("train.py")
    result = program("check", program=("-c", EMPTY_HANDED))
    assert result.code == 2
    assert "no rule pack is installed" in result.err


EMPTY_HANDED = """\
import sys
import trainlint.installation.distributions
trainlint.installation.distributions.GROUP = "trainlint.nothing"
from trainlint.cli import main
sys.exit(main())
"""


def test_a_fault_of_our_own_is_2_with_the_traceback(program: Program, write: Write) -> None:
    write("train.py")
    result = program("check", program=("-c", FAULTY))
    assert result.code == 2
    assert "ZeroDivisionError" in result.err
    assert "please report it" in result.err


FAULTY = """\
import sys
import trainlint.cli.check
from trainlint.cli import main
def faulty(options):
    1 / 0
trainlint.cli.check.check = faulty
sys.exit(main())
"""


def test_without_a_command_help_is_shown(program: Program) -> None:
    result = program()
    assert result.code == 0
    assert "check" in result.out
    assert "explain" in result.out


def test_a_path_in_place_of_a_command_is_led_to_check(program: Program, write: Write) -> None:
    write("train.py")
    assert "trainlint check train.py" in program("train.py").err


def test_options_and_paths_stand_in_any_order(toys: Program, write: Write) -> None:
    write("a.py", SAFE)
    write("b.py", SAFE)
    result = toys("check", "a.py", "--select", "TOY101", "b.py", "--output-format", "concise")
    assert [line.partition(":")[0] for line in result.out.splitlines()[:2]] == ["a.py", "b.py"]


@pytest.mark.parametrize("command", ["check", "explain", "rules"])
def test_help_fits_80_columns(program: Program, command: str) -> None:
    narrow = type(program)(program.directory, {**program.environment, "COLUMNS": "80"})
    result = narrow(command, "--help")
    assert result.code == 0
    assert max(map(len, result.out.splitlines())) <= 80


def test_the_installed_script_is_the_same_program(program: Program) -> None:
    script = Path(sys.executable).with_name("trainlint")
    if not script.exists():
        pytest.skip("trainlint is not installed as a script beside this Python")
    done = subprocess.run([script, "--version"], capture_output=True, check=True, text=True)
    assert done.stdout == program("--version").out == f"trainlint {__version__}\n"
