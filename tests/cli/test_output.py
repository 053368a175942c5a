"""What is printed, where it goes, and in which order."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.engine.linked_project import write_project
from trainlint.report import FORMATS

if TYPE_CHECKING:
    from tests.cli.conftest import Program, Write

SAFE = "import torch\nsafe()\n"


def git(directory: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=directory, check=True, capture_output=True)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_a_full_disk_is_no_fault_of_ours(toys: Program, write: Write) -> None:
    write("train.py", SAFE)
    command = toys.command("check")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            command, cwd=toys.directory, env=dict(toys.environment), stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 2
    assert done.stderr.decode() == "trainlint: the output cannot be written (No space left on device)\n"


def test_the_order_is_the_same_however_many_processes_there_are(toys: Program, write: Write) -> None:
    for name in ("b", "a/z", "a/b/c", "a-b", "B", "a.b/x"):
        write(f"{name}.py", "import torch\nsafe(); unsafe()\nnumeric()\n")
    concise = ("--sort", "path", "--output-format", "concise")
    outputs = {jobs: toys("check", "--jobs", jobs, *concise).out for jobs in ("1", "2", "3")}
    assert outputs["1"] == outputs["2"] == outputs["3"]
    places = [tuple(line.split(":")[:3]) for line in outputs["1"].splitlines()[:-1]]
    assert len(places) == 18
    assert places == sorted(places)


def test_the_output_file_holds_what_stdout_would(toys: Program, write: Write) -> None:
    write("train.py", SAFE)
    for output_format in FORMATS:
        printed = toys("check", "--output-format", output_format)
        written = toys("check", "--output-format", output_format, "--output-file", "report.out")
        assert (toys.directory / "report.out").read_text() == printed.out
        assert written.out == ""
        assert "The report is in report.out." in written.err
        assert written.code == printed.code == 1


def test_several_reports_of_one_run(toys: Program, write: Write) -> None:
    write("train.py", SAFE)
    concise = toys("check", "--output-format", "concise")
    asked = ("concise", "sarif=code.sarif", "json=a=b")
    both = toys("check", *(f"--output-format={each}" for each in asked))
    assert (both.code, both.out) == (concise.code, concise.out)
    assert both.err.endswith("The reports are in code.sarif, a=b.\n")
    assert (toys.directory / "code.sarif").read_text() == toys("check", "--output-format", "sarif").out
    assert (toys.directory / "a=b").read_text() == toys("check", "--output-format", "json").out


def test_a_report_in_a_file_leaves_stdout_empty(toys: Program, write: Write) -> None:
    write("train.py", SAFE)
    found = toys("check", "--output-format", "junit=report.xml")
    assert (found.code, found.out) == (1, "")
    named = toys("check", "--output-format", "junit=report.xml", "--output-file", "report.txt")
    assert named.out == ""
    assert (toys.directory / "report.txt").read_text() == toys("check").out


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("json", "sarif"), "the formats json and sarif cannot both go to one place; give one a file"),
        (("json=x", "sarif=./x"), "two reports would go to x"),
        (("json=",), "name the file behind `json=`"),
        (("jsn=x",), "expected one of full, concise, json"),
        (("json=missing/x",), "there is no directory missing"),
        (("json=train.py",), "would be written over train.py, which is judged"),
    ],
    ids=str,
)
def test_reports_that_cannot_be_are_one_sentence(
    toys: Program, write: Write, typed: tuple[str, ...], said: str
) -> None:
    write("train.py", SAFE)
    found = toys("check", *(word for each in typed for word in ("--output-format", each)))
    assert (found.code, found.out) == (2, "")
    assert said in found.err
    assert (toys.directory / "train.py").read_text() == SAFE


def test_quiet_prints_findings_and_no_summary(toys: Program, write: Write) -> None:
    write("train.py", SAFE)
    loud = toys("check", "--output-format", "concise")
    quiet = toys("check", "--output-format", "concise", "--quiet")
    assert loud.out.startswith(quiet.out)
    assert len(loud.out.splitlines()) == len(quiet.out.splitlines()) + 1
    write("train.py")
    assert toys("check", "--quiet") == type(quiet)(0, "", "")


def test_verbose_tells_on_stderr_what_happened(toys: Program, write: Write) -> None:
    write("trainlint.toml", 'exclude = ["old"]\n')
    write("train.py", SAFE)
    write("old/train.py", SAFE)
    write("node_modules/train.py", SAFE)
    plain = toys("check", "--output-format", "concise")
    verbose = toys("check", "--output-format", "concise", "--verbose")
    assert verbose.out == plain.out
    assert "settings: trainlint.toml\n" in verbose.err
    assert "excluded: old\n" in verbose.err
    assert "excluded: node_modules\n" in verbose.err
    assert "judged: 1 file in one process" in verbose.err
    assert "linked with" not in verbose.err


def test_statistics_count_by_rule(toys: Program, write: Write) -> None:
    write("train.py", "import torch\nsafe()\nsafe()\nunsafe()\n")
    result = toys("check", "--statistics")
    assert result.code == 1
    assert [line.split()[:2] for line in result.out.splitlines()[:2]] == [["2", "TOY101"], ["1", "TOY103"]]


def test_colour_only_where_it_is_wanted(toys: Program, write: Write) -> None:
    write("train.py", SAFE)
    assert "\x1b[" not in toys("check").out
    assert "\x1b[" in toys("check", "--color", "always").out
    forced = type(toys)(toys.directory, {**toys.environment, "FORCE_COLOR": "1"})
    assert "\x1b[" in forced("check").out
    assert "\x1b[" not in forced("check", "--color", "never").out


def test_github_actions_change_nothing_in_silence(toys: Program, write: Write) -> None:
    write("train.py", SAFE)
    in_actions = type(toys)(toys.directory, {**toys.environment, "GITHUB_ACTIONS": "true"})
    assert in_actions("check").out == toys("check").out


def test_a_terminal_without_unicode_gets_ascii(toys: Program, write: Write) -> None:
    write("träin.py", "import torch\nsafe()  # ✓\n".encode())
    narrow = type(toys)(toys.directory, {**toys.environment, "PYTHONIOENCODING": "ascii"})
    for arguments in (["check"], ["check", "--show-files"], ["explain", "TRN201"]):
        result = narrow(*arguments)
        assert result.out.isascii()
        assert "Error" not in result.err


def test_paths_are_relative_to_the_working_directory(toys: Program, write: Write) -> None:
    write("inner/train.py", SAFE)
    inside = type(toys)(toys.directory / "inner", toys.environment)
    assert inside("check", "--output-format", "concise").out.startswith("train.py:2:1")
    above = toys("check", "inner/../inner", "--output-format", "concise")
    assert above.out.startswith("inner/train.py:2:1")
    elsewhere = inside("check", str(write("other/train.py", SAFE)), "--output-format", "concise")
    assert elsewhere.out.startswith(f"{(toys.directory / 'other' / 'train.py').as_posix()}:2:1")


def test_github_paths_are_relative_to_the_repository(toys: Program, write: Write) -> None:
    write("inner/train.py", SAFE)
    git(toys.directory, "init", "-q")
    inside = type(toys)(toys.directory / "inner", toys.environment)
    assert "file=inner/train.py," in inside("check", "--output-format", "github").out


def test_show_files_lists_what_would_be_judged(toys: Program, write: Write) -> None:
    write("b.py")
    write("a/c.py", "no torch")
    write("build/d.py")
    result = toys("check", "--show-files")
    assert (result.code, result.out, result.err) == (0, "a/c.py\nb.py\n", "")
    missing = toys("check", "--show-files", "nowhere.py", "b.py")
    assert (missing.code, missing.out) == (2, "b.py\n")
    assert "nowhere.py" in missing.err


def test_show_settings_can_be_read_back(toys: Program, write: Write) -> None:
    settings = """\
select = ["TOY1"]
extend-select = ["TRN002"]
ignore = ["TOY103"]
preview = true
min-confidence = "possible"
fixable = ["ALL"]
unfixable = []
fail-on = "error"
exclude = ["old/**", "gr\\u00f6\\U0001f600e", "x\\u0023#[add-path]y"]
force-exclude = true
target-torch = ">=2.2,<2.9"
hot = ["step"]
cold = ["Trainer.setup"]
budget = {}
file-time-limit = 2.5

[severity]
TOY101 = "error"

[per-file-ignores]
"tests/**" = ["TRN"]
"""
    write("trainlint.toml", settings)
    shown = toys("check", "--show-settings")
    assert shown.code == 0
    assert shown.out.startswith("# For .\n# Read from ")
    assert "# Rules that run: TOY101 TOY102 TRN002" in shown.out
    assert without_origins(shown.out) == settings
    write("trainlint.toml", without_origins(shown.out))
    assert toys("check", "--show-settings").out == shown.out
    write("trainlint.toml", shown.out)  # the comments do no harm
    assert without_origins(toys("check", "--show-settings").out) == settings


def without_origins(shown: str) -> str:
    """The settings that `--show-settings` prints, without its comments."""
    lines = (re.sub(r"  # .*", "", line) for line in shown.splitlines() if not line.startswith("# "))
    return "".join(f"{line}\n" for line in lines)


def test_show_settings_tells_where_each_setting_comes_from(toys: Program, write: Write) -> None:
    write("requirements.txt", "torch>=2.4\n")
    write(
        "pyproject.toml",
        '[project]\nname = "x"\n[tool.trainlint]\nselect = ["TOY"]\nextend-select = ["TRN"]\nignore = [\n"TOY2"]\n'
        '[tool.trainlint.severity]\nTOY101 = "error"\n',
    )
    result = toys("check", "--show-settings", "--select", "TOY1", "--ignore", "TOY102", "--fail-on", "error")
    assert (
        result.out.split("\n", 3)[3]
        == """\
select = ["TOY1"]  # --select
extend-select = []  # --select
ignore = ["TOY2", "TOY102"]  # pyproject.toml:6, --ignore
preview = false  # default
min-confidence = "likely"  # default
per-file-ignores = {}  # default
fixable = ["ALL"]  # default
unfixable = []  # default
# baseline is not set  # default
fail-on = "error"  # --fail-on
exclude = []  # default
force-exclude = false  # default
target-torch = ">=2.4"  # requirements.txt:1
hot = []  # default
cold = []  # default
budget = {}  # default
file-time-limit = 10.0  # default

[severity]  # pyproject.toml:8
TOY101 = "error"
"""
    )
    assert "# target-torch is not set  # default\n" in toys("check", "--show-settings", "--isolated").out


def test_show_settings_of_several_places(toys: Program, write: Write) -> None:
    write("a/trainlint.toml", 'select = ["TOY101"]\n')
    write("a/x.py")
    write("b/y.py")
    write("c/trainlint.toml", "nonsense = 1\n")
    result = toys("check", "--show-settings", "a/x.py", "a", "b", "c", "--ignore", "TOY2")
    assert result.code == 2
    assert "# For a/x.py, a\n" in result.out
    assert "# For b\n" in result.out
    assert 'ignore = ["TOY2"]' in result.out
    assert 'unknown key "nonsense"' in result.err


def test_settings_reach_the_files_they_are_for(toys: Program, write: Write) -> None:
    write("trainlint.toml", '[severity]\nTOY1 = "advice"\n\n[per-file-ignores]\n"old/**" = ["TOY101"]\n')
    write("train.py", SAFE)
    write("old/train.py", SAFE + "unsafe()\n")
    report = json.loads(toys("check", "--output-format", "json").out)
    assert [(finding["path"], finding["code"], finding["severity"]) for finding in report["findings"]] == [
        ("old/train.py", "TOY103", "advice"),
        ("train.py", "TOY101", "advice"),
    ]
    isolated = json.loads(toys("check", "--isolated", "--output-format", "json").out)
    assert [finding["severity"] for finding in isolated["findings"]] == ["warning", "error", "warning"]
    write("other.toml", 'select = ["TOY103"]\n')
    write("trainlint-other/trainlint.toml", 'select = ["TOY103"]\n')
    chosen = json.loads(toys("check", "--config", "trainlint-other/trainlint.toml", "--output-format", "json").out)
    assert [finding["code"] for finding in chosen["findings"]] == ["TOY103"]


def test_a_reader_who_leaves_is_no_error(toys: Program, write: Write) -> None:
    for index in range(40):
        write(f"train{index}.py", "import torch\n" + "safe()\n" * 200)
    reader, writer = os.pipe()
    running = subprocess.Popen(
        toys.command("check", "--output-format", "concise"),
        cwd=toys.directory,
        env=dict(toys.environment),
        stdout=writer,
        stderr=subprocess.PIPE,
    )
    os.close(writer)
    os.close(reader)
    _, error = running.communicate(timeout=60)
    assert (running.returncode, error) == (1, b"")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_ends_at_once_with_130_and_leaves_nothing(
    toys: Program, write: Write, jobs: str, tmp_path: Path
) -> None:
    write("a.py", "sleep()  # torch\n")
    write("b.py", "sleep()  # torch\n")
    before = set(toys.directory.iterdir())
    asleep = tmp_path / "asleep"
    patient = type(toys)(toys.directory, {**toys.environment, "TOY_ASLEEP": str(asleep)})
    running = patient.start("check", "--fix", "--jobs", jobs)
    while not asleep.exists() and running.poll() is None:
        time.sleep(0.05)
    os.killpg(running.pid, signal.SIGINT)
    out, error = running.communicate(timeout=120)  # the rule would sleep for ten minutes
    assert running.returncode == 130
    assert (out, error.decode().strip()) == (b"", "trainlint: interrupted")
    assert set(toys.directory.iterdir()) == before
    with pytest.raises(ProcessLookupError):
        os.killpg(running.pid, 0)


def test_verbose_counts_the_files_that_had_a_say(program: Program) -> None:
    write_project(program.directory)
    result = program("check", "pkg/utils.py", "--verbose")
    assert "linked with: 2 files besides, which are not judged\n" in result.err
    assert "judged: 1 file" in result.err
