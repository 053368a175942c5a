"""`trainlint completion`: what a real shell makes of the script."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from trainlint.cli.arguments import COMMANDS, COMMANDS_OF_THE_PROBE, SHELLS
from trainlint.cli.completion import whole_parser
from trainlint.installation.install_command import install_command

if TYPE_CHECKING:
    from tests.cli.conftest import Program, Write

pytest.importorskip("shtab")


@pytest.fixture
def completed(program: Program) -> object:
    """What bash offers when this line has been typed and Tab is pressed."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("bash is not installed")
    script = program("completion", "bash").out

    def offers(line: str) -> set[str]:
        words = " ".join(f"'{word}'" for word in line.split(" "))
        typed = f"COMP_WORDS=({words}); COMP_CWORD={line.count(' ')}"
        call = f"{typed}; _shtab_trainlint; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        done = subprocess.run(
            [bash, "--norc", "-c", f"{script}\n{call}"],
            cwd=program.directory,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        return {word.strip() for word in done.stdout.split("\n")} - {""}

    return offers


def test_commands_options_rules_and_files_are_offered(completed: object, write: Write) -> None:
    assert callable(completed)
    write("train.py")
    assert completed("trainlint ch") == {"check"}
    assert completed("trainlint ") >= COMMANDS.keys() | COMMANDS_OF_THE_PROBE.keys()
    assert completed("trainlint check --numer") == {"--numeric-fixes"}
    assert completed("trainlint explain TRN20") >= {"TRN201", "TRN202"}
    assert completed("trainlint check --select TRN20") >= {"TRN201", "TRN202"}
    assert "train.py" in completed("trainlint check tr")
    assert completed("trainlint check --output-format s") == {"sarif"}
    assert completed("trainlint check --fail-on ") == {"advice", "warning", "error", "confirmed"}
    assert completed("trainlint plan --gpu h2") >= {"h200"}
    assert completed("trainlint baseline --pru") == {"--prune"}
    assert completed("trainlint explain TRN201 TRN20") >= {"TRN201", "TRN202"}
    assert "train.py" in completed("trainlint probe tr")
    assert completed("trainlint probe --dev") == {"--device"}


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("trainlint ch", {"check"}),
        ("trainlint check --numer", {"--numeric-fixes"}),
        ("trainlint check --select TRN20", {"TRN201", "TRN202"}),
        ("trainlint check tr", {"train.py"}),
    ],
)
def test_fish_offers_the_same(program: Program, write: Write, line: str, offered: set[str]) -> None:
    fish = shutil.which("fish")
    if fish is None:
        pytest.skip("fish is not installed")
    write("train.py")
    (program.directory / "trainlint.fish").write_text(program("completion", "fish").out, encoding="utf-8")
    done = subprocess.run(
        [fish, "--no-config", "-c", f"source trainlint.fish; complete -C '{line}'"],
        cwd=program.directory,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=True,
    )
    assert {answer.partition("\t")[0] for answer in done.stdout.splitlines()} >= offered


@pytest.mark.parametrize("shell", SHELLS)
def test_there_is_a_script_for_each_shell(program: Program, shell: str) -> None:
    done = program("completion", shell)
    assert (done.code, done.err) == (0, "")
    assert "numeric-fixes" in done.out
    assert "TRN201" in done.out


def test_every_command_has_its_options() -> None:
    said = whole_parser(["TRN201"]).format_help()
    assert all(name in said for name in COMMANDS | COMMANDS_OF_THE_PROBE)


def test_a_missing_library_and_an_unknown_shell_are_sentences(program: Program) -> None:
    command = "import sys; sys.modules['shtab'] = None; from trainlint.cli import main; sys.exit(main())"
    done = program("completion", "bash", program=("-c", command))
    assert (done.code, done.out) == (2, "")
    assert done.err == f"trainlint: completions need shtab: run `{install_command('shtab')}`\n"
    assert program("completion", "cmd").code == 2
