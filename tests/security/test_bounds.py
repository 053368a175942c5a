"""Whatever a repository holds in the place of a file that trainlint reads: no run hangs, and what is not read is said.

The real program is run, with a limit of time that only a hang or quadratic work exceeds.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.conftest import Program, Write, program, write

__all__ = ["program", "write"]

ENDLESS = Path("/dev/zero")
TRAIN = "import torch\nfor batch in loader:\n    loss = model(batch)\n    loss.backward()\n"
needs_devices = pytest.mark.skipif(not ENDLESS.exists() or not hasattr(os, "mkfifo"), reason="needs devices and pipes")

DECLARING = (
    "requirements.txt",
    "requirements/base.txt",
    "setup.cfg",
    "setup.py",
    "Dockerfile",
    "environment.yml",
    "README.md",
)


@pytest.fixture
def project(program: Program, write: Write) -> Program:
    """A project of its own with one script."""
    (program.directory / ".git").mkdir()
    write("train.py", TRAIN)
    return program


def place(program: Program, name: str) -> Path:
    path = program.directory / name
    path.parent.mkdir(exist_ok=True)
    return path


@needs_devices
@pytest.mark.parametrize("name", DECLARING)
def test_an_endless_device_names_no_version(project: Program, name: str) -> None:
    place(project, name).symlink_to(ENDLESS)
    result = project("check", "--verbose", "train.py")
    assert result.code == 0
    assert f"note: {name} was not read for versions of torch: it leads out of the project" in result.err


@needs_devices
@pytest.mark.parametrize("name", DECLARING)
def test_a_pipe_names_no_version(project: Program, name: str) -> None:
    os.mkfifo(place(project, name))
    result = project("check", "--verbose", "train.py")
    assert result.code == 0
    assert f"note: {name} was not read for versions of torch: it is no ordinary file" in result.err


@pytest.mark.parametrize("name", ["requirements.txt", "environment.yml"])
def test_a_giant_names_no_version(project: Program, write: Write, name: str) -> None:
    write(name, "torch==2.0\n" + "#\n" * 600_000)
    result = project("check", "--verbose", "train.py")
    assert result.code == 0
    assert f"note: {name} was not read for versions of torch: it is larger than" in result.err


def test_many_large_files_that_state_versions_are_not_all_read(project: Program, write: Write) -> None:
    large = "dependencies:\n" + "  - numpy=1.26\n" * 6_000
    for number in range(24):
        write(f"environment{number:02}.yml", f"{large}  - pytorch=2.{number}\n")
    result = project("check", "--verbose", "train.py")
    assert result.code == 0
    assert "note: environment23.yml was not read for versions of torch: only so much is read for one" in result.err
    assert "environment02.yml" not in result.err


def test_requirements_outside_of_the_project_are_not_followed(project: Program, write: Write, tmp_path: Path) -> None:
    (tmp_path / "base.txt").write_text("torch==1.9\n")
    write("requirements.txt", "-r ../base.txt\ntorch\n")
    result = project("check", "--verbose", "--show-settings", "train.py")
    assert "# target-torch is not set" in result.out


@needs_devices
@pytest.mark.parametrize("name", ["trainlint.toml", "pyproject.toml"])
def test_a_configuration_that_is_no_ordinary_file_is_an_error(project: Program, name: str) -> None:
    os.mkfifo(place(project, name))
    result = project("check", "train.py")
    assert result.code == 2
    assert f"{name}:1: it is no ordinary file" in result.out + result.err


@pytest.mark.parametrize("name", ["trainlint.toml", "pyproject.toml"])
def test_a_giant_configuration_is_an_error(project: Program, write: Write, name: str) -> None:
    write(name, "[tool.trainlint]\n" + "#\n" * 600_000)
    result = project("check", "train.py")
    assert result.code == 2
    assert f"{name}:1: it is larger than 1,000,000 bytes" in result.out + result.err


@needs_devices
@pytest.mark.parametrize("length", [1, 600_000], ids=["small", "too large to be read"])
def test_a_configuration_that_leads_out_is_an_error_and_not_read(project: Program, tmp_path: Path, length: int) -> None:
    (tmp_path / "secret").write_text("password = 'hunter2'\n" * length)
    place(project, "trainlint.toml").symlink_to(tmp_path / "secret")
    result = project("check", "train.py")
    assert result.code == 2
    assert "trainlint.toml:1: the file is a link that leads out of the project" in result.out + result.err
    assert "password" not in result.out + result.err


TOML = {
    "deep": "select = " + "[" * 20_000 + "]" * 20_000 + "\n",
    "dotted": "a" + ".a" * 100_000 + " = 1\n",
    "a long number": "preview = " + "9" * 100_000 + "\n",
}


@pytest.mark.parametrize("text", TOML.values(), ids=TOML)
def test_toml_that_nobody_wrote_is_an_error(project: Program, write: Write, text: str) -> None:
    write("trainlint.toml", text)
    result = project("check", "train.py")
    assert result.code == 2
    assert "trainlint.toml:1: the file is not valid TOML" in result.out + result.err
    assert "Traceback" not in result.err


NAMING = {
    "a row of spaces": ("requirements.txt", "torch" + " " * 60_000 + "x\n"),
    "a row of spaces in setup.cfg": ("setup.cfg", "[options]\ntorch" + " " * 60_000 + "x\n"),
    "a row of spaces in a list": ("pyproject.toml", '[project]\ndependencies = ["torch' + " " * 60_000 + 'x"]\n'),
    "a row of spaces in conda's": ("environment.yml", "dependencies:\n- pytorch" + " " * 60_000 + "x\n"),
    "includes in a circle": ("requirements.txt", "-r requirements.txt\n" * 10_000),
    "many includes": ("requirements.txt", "".join(f"-r {number}.txt\n" for number in range(50_000))),
    "deep TOML": ("pyproject.toml", "torch = " + "[" * 20_000 + "\n"),
    "blank lines in a Dockerfile": ("Dockerfile", "RUN pip install torch" + "\n" * 900_000),
    "a long line of a README": ("README.md", "tested with PyTorch (" + "torch 1." * 20_000 + "\n"),
    "deep Python": ("setup.py", "torch = " + "(" * 20_000),
    "deep YAML": ("environment.yml", "torch: " + "[" * 20_000),
    "aliases of aliases": (
        "environment.yml",
        "a: &a [torch]\n"
        + "".join(f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True))
        + "dependencies: *i\n",
    ),
    "merges of merges": (
        "environment.yml",
        "a: &a {torch: 1}\n"
        + "".join(
            f"{b}: &{b} {{<<: [*{a}, *{a}, *{a}]}}\n" for a, b in zip("abcdefghijklm", "bcdefghijklmn", strict=True)
        ),
    ),
}


@pytest.mark.parametrize(("name", "text"), NAMING.values(), ids=NAMING)
def test_files_that_nobody_wrote_name_no_version(project: Program, write: Write, name: str, text: str) -> None:
    write(name, text)
    result = project("check", "train.py")
    assert (result.code, result.err) == (0, "")


@needs_devices
def test_settings_are_ordinary_files(project: Program) -> None:
    os.mkfifo(place(project, "ds_config.json"))
    assert project("check", ".").code in (0, 2)


@needs_devices
def test_a_source_that_is_a_pipe_is_named(project: Program) -> None:
    os.mkfifo(place(project, "pipe.py"))
    result = project("check", "pipe.py")
    assert result.code == 2
    assert "pipe.py" in result.out + result.err


@needs_devices
def test_evidence_is_an_ordinary_file(project: Program) -> None:
    result = project("check", "--evidence", str(ENDLESS), "train.py")
    assert result.code == 2
    assert "/dev/zero cannot be read (it is no ordinary file)" in result.err


def test_evidence_with_numbers_beyond_all_floats_is_refused(project: Program, write: Write) -> None:
    run = {"steps": [{"ms": int("9" * 400)}], "device": "cpu", "outcome": "window closed"}
    write("seen.json", json.dumps({"format_version": 3, "runs": [run], "verdicts": [], "judged": {}}))
    result = project("check", "--evidence", "seen.json", "train.py")
    assert result.code == 2
    assert "a number that is too large" in result.err


SOURCES = {
    "imports in one line": "import torch\nx; " + "import " * 100_000,
    "definitions in one line": "import torch\n" + " def a(" * 100_000,
    "comments": "import torch\n" + "x = 1  # trainlint: ignore[TRN201]\n" * 20_000,
    "a deep sum": "import torch\nx = " + "-" * 50_000 + "1\n",
    "a deep chain": "import torch\nx" + ".a" * 20_000 + "\n",
}


@pytest.mark.parametrize("text", SOURCES.values(), ids=SOURCES)
def test_sources_that_nobody_wrote_are_judged_or_named(project: Program, write: Write, text: str) -> None:
    write("odd.py", text)
    result = project("check", "--output-format", "json", "--select", "TRN1,TRN2", ".")
    report = json.loads(result.out)
    assert report["counts"]["files"] + len(report["failures"]) == 2
    assert "Traceback" not in result.err


PATTERNS = {
    "many of exclude": ("exclude = [{}]", 1_001, '"a{}*b"', "`exclude` has more than 1,000 patterns"),
    "many of per-file-ignores": (
        "[per-file-ignores]\n{}",
        1_001,
        '"a{}*b" = ["ALL"]',
        "`per-file-ignores` has more than 1,000 patterns",
    ),
    "long ones": (
        "exclude = [{}]",
        11,
        f'"{"*a" * 2_500}{{}}"',
        "`exclude` has patterns of more than 50,000 characters",
    ),
}


@pytest.mark.parametrize("name", PATTERNS)
def test_patterns_that_would_take_long_with_each_path_are_an_error(project: Program, write: Write, name: str) -> None:
    text, number, pattern, sentence = PATTERNS[name]
    separator = "\n" if "per-file" in text else ", "
    write("trainlint.toml", text.format(separator.join(pattern.format(index) for index in range(number))))
    result = project("check", "train.py")
    assert result.code == 2
    assert sentence in result.out + result.err


@pytest.mark.parametrize("codec", ["punycode", "undefined"])
def test_odd_codecs_are_named(project: Program, write: Write, codec: str) -> None:
    """They raise other errors than the usual codecs do."""
    write("odd.py", f"# coding: {codec}\nx = 1\n")
    result = project("check", "odd.py")
    assert result.code == 2
    assert f"it does not decode as {codec}" in " ".join(result.out.split())
