"""The cache as a user meets it: where it lies, what it says, how it is switched off and deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.engine.linked_project import FILES, write_project

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Program, Write

TABLE = {"pkg/table.py": "".join(f"ROW_{number} = {number}\n" for number in range(1_500))}
"""Less source than this is not worth a cache."""
RUN = """\
import sys
from trainlint.cli import main
main()
print("MODULES", *sys.modules, file=sys.stderr)
"""


@pytest.fixture
def places(tmp_path: Path) -> Path:
    """The directory of caches, for this test alone."""
    return tmp_path / "caches"


@pytest.fixture
def program(places: Path, program: Program) -> Program:
    """trainlint with that directory of caches."""
    return type(program)(program.directory, {**program.environment, "TRAINLINT_CACHE_DIR": str(places)})


@pytest.fixture
def project(program: Program) -> Path:
    """The linked project, in which there is one finding."""
    return write_project(program.directory, FILES | TABLE)


def caches(directory: Path) -> list[Path]:
    return [path for path in directory.glob("*") if path.is_dir()]


def cache(directory: Path) -> Path:
    """The only cache in a directory of caches."""
    [found] = caches(directory)
    return found


def files(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir()}


def test_the_second_run_says_the_same_and_that_it_knew(program: Program, project: Path, places: Path) -> None:
    first = program("check", "--verbose")
    second = program("check", "--verbose")
    assert (first.code, first.out) == (second.code, second.out)
    assert "pkg/utils.py:5" in first.out
    assert f"cache: {cache(places)} knew what 0 of 5 files gave" in first.err
    assert f"cache: nothing has changed since this was last found out, by {cache(places)}" in second.err
    (project / "pkg/engine.py").write_text((project / "pkg/engine.py").read_text() + "\n\nLIMIT = 1\n")
    third = program("check", "--verbose")
    assert "knew what 4 of 5 files gave, and what 2 of 3 files say to others" in third.err
    assert third.out == first.out


@pytest.mark.parametrize("output", ["full", "concise", "json", "github", "sarif"])
def test_every_format_is_the_same_from_the_cache(program: Program, project: Path, output: str) -> None:
    without = program("check", "--no-cache", "--output-format", output)
    for _ in range(2):
        assert program("check", "--output-format", output) == without


def test_an_unchanged_run_imports_neither_rules_nor_models(program: Program, project: Path) -> None:
    program("check")
    result = program("check", "--output-format", "concise", program=("-c", RUN))
    found = set(result.err.split("MODULES")[1].split())
    of_gate = {"trainlint.analysis.tables", "trainlint.analysis.tables.frameworks"}
    of_gate.add("trainlint.analysis.tables.frameworks.packages")
    assert not {name for name in found - of_gate if name.startswith(("trainlint_rules.", "trainlint.analysis."))}
    assert not {"libcst", "multiprocessing", "torch", "rich"} & found


def test_nothing_is_written_into_the_project(program: Program, project: Path) -> None:
    before = files(project)
    program("check")
    assert files(project) == before


def test_what_an_older_version_left_is_not_judged(program: Program, write: Write) -> None:
    write(".trainlint_cache/looks_like.py")
    assert program("check", "--show-files").out == ""


def test_the_project_has_one_cache(program: Program, project: Path, places: Path) -> None:
    below = type(program)(project / "pkg", program.environment)
    below("check")
    program("check")
    assert cache(places).is_dir()


def test_without_a_cache_nothing_is_written(program: Program, project: Path, places: Path) -> None:
    before = files(project)
    program("check", "--no-cache")
    program("why", "pkg/utils.py:5", "--no-cache")
    assert files(project) == before
    assert caches(places) == []


def test_it_lies_where_the_user_says(program: Program, project: Path, tmp_path: Path) -> None:
    variables = {**program.environment, "XDG_CACHE_HOME": str(tmp_path / "user")}
    del variables["TRAINLINT_CACHE_DIR"]
    type(program)(project, variables)("check")
    assert [path.name for path in caches(tmp_path / "user/trainlint")] == [cache(tmp_path / "user/trainlint").name]
    by_variable = type(program)(project, {**program.environment, "TRAINLINT_CACHE_DIR": str(tmp_path / "variable")})
    by_variable("check")
    assert cache(tmp_path / "variable").name.startswith("project-")
    by_variable("check", "--cache-dir", str(tmp_path / "option"))
    assert cache(tmp_path / "option").name == cache(tmp_path / "variable").name


def test_a_directory_of_other_things_stays_as_it_is(program: Program, project: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis").mkdir(mode=0o700)
    (tmp_path / "thesis/thesis.tex").write_text("mine")
    program("check", "--cache-dir", str(tmp_path / "thesis"))
    (cache(tmp_path / "thesis") / "mine.txt").write_text("mine")
    cleaned = program("clean", "--cache-dir", str(tmp_path / "thesis"))
    assert cleaned.code == 2
    assert "could not be deleted as a whole (directory not empty)" in cleaned.err
    again = program("clean", "--cache-dir", str(tmp_path / "thesis"))
    assert again.code == 2
    assert "is no cache of trainlint, so nothing in it was deleted" in again.err
    left = {str(path.relative_to(tmp_path / "thesis")) for path in (tmp_path / "thesis").rglob("*") if path.is_file()}
    assert {name.partition("/")[2] or name for name in left} == {"thesis.tex", "mine.txt"}


def test_a_damaged_cache_is_replaced_in_silence(program: Program, project: Path, places: Path) -> None:
    first = program("check")
    (cache(places) / "results.sqlite").write_bytes(b"garbage" * 10_000)
    assert program("check") == first
    assert "nothing has changed" in program("check", "--verbose").err


def test_clean_deletes_it_and_says_so(program: Program, project: Path, places: Path) -> None:
    program("check")
    directory = cache(places)
    result = program("clean")
    assert result.code == 0
    assert f"Deleted {directory}" in result.err
    assert not directory.exists()
    again = program("clean")
    assert again.code == 0
    assert "There is no cache at" in again.err


@pytest.mark.slow
def test_clean_all_deletes_those_of_other_projects(program: Program, project: Path, places: Path) -> None:
    program("check")
    write_project(project.parent / "other", FILES | TABLE)
    type(program)(project.parent / "other", program.environment)("check")
    (places / "mine").mkdir()
    assert len(caches(places)) == 3
    program("clean")
    assert len(caches(places)) == 2
    assert program("clean", "--all").code == 0
    assert caches(places) == [places / "mine"]
    assert "There is no cache in" in program("clean", "--all").err


def test_clean_all_deletes_the_list_of_rules(program: Program, project: Path, places: Path, tmp_path: Path) -> None:
    # No list of rules lies beside bytecode, whatever other runs have left there.
    nowhere = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPYCACHEPREFIX": str(tmp_path / "bytecode")}
    without_bytecode = type(program)(project, {**program.environment, **nowhere})
    without_bytecode("check")
    kept = {name for name in files(places) if name.endswith(".json")}
    for unfinished in (".trainlint-0123456789abcdef", f"{kept.copy().pop()}.4711"):  # as today, and as before
        (places / unfinished).write_text("half")
    (places / "rules.json").write_text("mine")
    assert len(kept) == 1
    without_bytecode("clean")
    assert kept <= files(places)
    result = without_bytecode("clean", "--all")
    assert f"Deleted the list of rules in {places}." in result.err
    assert files(places) == {"rules.json"}


def test_too_little_source_is_told(program: Program, write: Write) -> None:
    write("plain.py", "x = 1\n")
    assert "cache: not used: there is too little source for it to pay" in program("check", "--verbose").err


@pytest.mark.slow
def test_two_runs_at_once_say_what_one_says(program: Program, project: Path) -> None:
    alone = program("check", "--no-cache", "--output-format", "json").out
    both = [program.start("check", "--output-format", "json") for _ in range(2)]
    assert [process.communicate(timeout=120)[0].decode() for process in both] == [alone, alone]
    assert "nothing has changed" in program("check", "--verbose").err


@pytest.mark.slow
def test_fixed_files_are_judged_anew(program: Program, write: Write) -> None:
    write("requirements.txt", "torch>=2.4\n")
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


@pytest.mark.slow
def test_why_says_the_same_from_the_cache(program: Program, project: Path) -> None:
    arguments = ("why", "pkg/utils.py:5")
    without = program(*arguments, "--no-cache")
    assert [program(*arguments), program(*arguments)] == [without, without]
