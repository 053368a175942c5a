"""The cache as a user meets it: where it lies, what it says, how it is switched off and deleted."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.engine.linked_project import FILES, write_project

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Program, Write

PLACE = ".trainlint_cache"
TABLE = {"pkg/table.py": "".join(f"ROW_{number} = {number}\n" for number in range(1_500))}
"""Less source than this is not worth a cache."""
RUN = """\
import sys
from trainlint.cli import main
main()
print("MODULES", *sys.modules, file=sys.stderr)
"""


@pytest.fixture
def project(program: Program) -> Path:
    """The linked project, in which there is one finding."""
    return write_project(program.directory, FILES | TABLE)


def files(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir()}


def test_the_second_run_says_the_same_and_that_it_knew(program: Program, project: Path) -> None:
    first = program("check", "--verbose")
    second = program("check", "--verbose")
    assert (first.code, first.out) == (second.code, second.out)
    assert "pkg/utils.py:5" in first.out
    assert f"cache: {PLACE} knew what 0 of 5 files gave" in first.err
    assert f"cache: nothing has changed since this was last found out, by {PLACE}" in second.err
    (project / "pkg/engine.py").write_text((project / "pkg/engine.py").read_text() + "\n\nLIMIT = 1\n")
    third = program("check", "--verbose")
    assert "knew what 4 of 5 files gave, and what 2 of 3 files say to others" in third.err
    assert third.out == first.out


@pytest.mark.parametrize("output", ["full", "concise", "json", "github", "sarif"])
def test_every_format_is_the_same_from_the_cache(program: Program, project: Path, output: str) -> None:
    without = program("check", "--no-cache", "--output-format", output)
    assert not (project / PLACE).exists()
    for _ in range(2):
        assert program("check", "--output-format", output) == without


def test_an_unchanged_run_imports_neither_rules_nor_models(program: Program, project: Path) -> None:
    program("check")
    result = program("check", "--output-format", "concise", program=("-c", RUN))
    found = set(result.err.split("MODULES")[1].split())
    assert not {
        name for name in found if name.startswith(("trainlint_rules.", "trainlint.model.", "trainlint.linking."))
    }
    assert not {"libcst", "multiprocessing", "torch", "rich"} & found


def test_git_and_discovery_do_not_see_the_cache(program: Program, project: Path) -> None:
    program("check")
    (project / PLACE / "looks_like.py").write_text("import torch\n")
    assert PLACE not in program("check", "--show-files").out
    status = subprocess.run(["git", "status", "--short"], cwd=project, capture_output=True, text=True, check=True)
    assert PLACE not in status.stdout


def test_the_project_has_one_cache(program: Program, project: Path) -> None:
    below = type(program)(project / "pkg", program.environment)
    below("check")
    assert (project / PLACE).is_dir()
    assert not (project / "pkg" / PLACE).exists()


def test_without_a_cache_nothing_is_written(program: Program, project: Path) -> None:
    before = files(project)
    program("check", "--no-cache")
    program("why", "pkg/utils.py:5", "--no-cache")
    assert files(project) == before


def test_it_lies_where_the_user_says(program: Program, project: Path, tmp_path: Path) -> None:
    (project / "trainlint.toml").write_text('cache-dir = "of/settings"\n')
    below = type(program)(project / "pkg", program.environment)
    below("check")
    assert (project / "of/settings/CACHEDIR.TAG").is_file()
    by_variable = type(program)(project, {**program.environment, "TRAINLINT_CACHE_DIR": str(tmp_path / "variable")})
    by_variable("check")
    assert (tmp_path / "variable/CACHEDIR.TAG").is_file()
    by_variable("check", "--cache-dir", str(tmp_path / "option"))
    assert (tmp_path / "option/CACHEDIR.TAG").is_file()
    assert not (project / PLACE).exists()


def test_a_path_in_the_settings_that_is_none_is_told(program: Program, project: Path) -> None:
    (project / "trainlint.toml").write_text("cache-dir = 3\n")
    result = program("check")
    assert result.code == 2
    assert "trainlint.toml:1: `cache-dir` must be a path, not 3" in result.out + result.err


def test_a_directory_of_other_things_is_no_cache(program: Program, project: Path) -> None:
    (project / "thesis").mkdir()
    (project / "thesis/thesis.tex").write_text("mine")
    result = program("check", "--verbose", "--cache-dir", "thesis")
    assert result.out == program("check", "--no-cache").out
    assert "cache: thesis is of no use" in result.err
    assert "holds other files than a cache of trainlint" in result.err
    assert files(project / "thesis") == {"thesis.tex"}
    cleaned = program("clean", "--cache-dir", "thesis")
    assert cleaned.code == 2
    assert "is no cache of trainlint, so nothing in it was deleted" in cleaned.err
    assert files(project / "thesis") == {"thesis.tex"}


def test_a_damaged_cache_is_replaced_in_silence(program: Program, project: Path) -> None:
    first = program("check")
    (project / PLACE / "results.sqlite").write_bytes(b"garbage" * 10_000)
    assert program("check") == first
    assert "nothing has changed" in program("check", "--verbose").err


def test_clean_deletes_it_and_says_so(program: Program, project: Path) -> None:
    program("check")
    result = program("clean")
    assert result.code == 0
    assert f"Deleted {project / PLACE}" in result.err
    assert not (project / PLACE).exists()
    again = program("clean")
    assert again.code == 0
    assert "There is no cache at" in again.err


def test_two_runs_at_once_say_what_one_says(program: Program, project: Path) -> None:
    alone = program("check", "--no-cache", "--output-format", "json").out
    both = [program.start("check", "--output-format", "json") for _ in range(2)]
    assert [process.communicate(timeout=120)[0].decode() for process in both] == [alone, alone]
    assert "nothing has changed" in program("check", "--verbose").err


def test_fixed_files_are_judged_anew(program: Program, write: Write) -> None:
    write("train.py", "import torch\n" * 2_000 + "scaler = torch.cuda.amp.GradScaler()\n")
    assert program("check").code == 1
    assert program("check", "--fix").code == 0
    assert program("check").code == 0


def test_standard_input_is_judged_by_itself(program: Program, project: Path) -> None:
    text = (project / "pkg/utils.py").read_bytes()
    arguments = ("check", "-", "--stdin-filename", "pkg/utils.py")
    found = program(*arguments, stdin=text)
    assert "pkg/utils.py:5" in found.out
    assert program(*arguments, stdin=text) == found
    assert program(*arguments, stdin=text.replace(b"step, loss.item()", b"step")).code == 0


def test_why_says_the_same_from_the_cache(program: Program, project: Path) -> None:
    arguments = ("why", "pkg/utils.py:5")
    without = program(*arguments, "--no-cache")
    assert [program(*arguments), program(*arguments)] == [without, without]
