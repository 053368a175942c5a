"""--fix and its levels, --diff, and files that cannot be written."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Program, Write

ALL = "import torch\nsafe()\nnumeric()\nunsafe()\n"


@pytest.mark.parametrize(
    ("flags", "fixed"),
    [
        (["--fix"], "import torch\ncured()\nnumeric()\nunsafe()\n"),
        (["--fix", "--numeric-fixes"], "import torch\ncured()\ncured()\nunsafe()\n"),
        (["--fix", "--unsafe-fixes"], "import torch\ncured()\ncured()\ncured()\n"),
    ],
)
def test_each_level_applies_its_fixes_and_reports_the_rest(
    toys: Program, write: Write, flags: list[str], fixed: str
) -> None:
    path = write("train.py", ALL)
    diff = toys("check", "--diff", *flags)
    assert path.read_text() == ALL
    result = toys("check", *flags, "--output-format", "json")
    assert path.read_text() == fixed
    report = json.loads(result.out)
    assert report["counts"]["fixed"] == fixed.count("cured")
    assert report["counts"]["findings"] == 3 - fixed.count("cured")
    assert result.code == (1 if report["findings"] else 0)
    assert diff.code == 1
    assert diff.out.count("\n+cured()") == fixed.count("cured")


@pytest.mark.parametrize("level", ["--numeric-fixes", "--unsafe-fixes"])
def test_a_level_alone_writes_nothing_and_says_what_does(toys: Program, write: Write, level: str) -> None:
    path = write("train.py", ALL)
    result = toys("check", level)
    assert (result.code, path.read_text()) == (1, ALL)
    assert result.err == f"note: {level} only chooses fixes; add --fix to write them, or --diff to see them\n"
    assert (
        "Found 3 problems in 1 file, which does not train (1 fixable with --fix, 1 more with --fix\n"
        "--numeric-fixes, 1 more with --fix --unsafe-fixes).\n"
    ) in result.out
    assert toys("check", level, "--quiet").err == ""
    assert toys("check", level, "-", stdin=ALL.encode()).out.startswith("error["), "no code, but a report"


@pytest.mark.parametrize(
    ("flags", "fixed"),
    [
        (["--unfixable", "TOY102"], "import torch\ncured()\nnumeric()\ncured()\n"),
        (["--unfixable", "TOY"], ALL),
        (["--fixable", "TOY102,TOY103"], "import torch\nsafe()\ncured()\ncured()\n"),
        (["--fixable", "TOY1", "--unfixable", "TOY103"], "import torch\ncured()\ncured()\nunsafe()\n"),
        (["--fixable", "TOY103", "--unfixable", "TOY"], "import torch\nsafe()\nnumeric()\ncured()\n"),
        (["--fixable", "TOY103", "--unfixable", "TOY103"], ALL),
    ],
)
def test_only_fixable_rules_are_fixed_and_all_are_reported(
    toys: Program, write: Write, flags: list[str], fixed: str
) -> None:
    path = write("train.py", ALL)
    report = json.loads(toys("check", "--fix", "--unsafe-fixes", *flags, "--output-format", "json").out)
    assert path.read_text() == fixed
    assert report["counts"]["findings"] == 3 - fixed.count("cured")
    assert all("fix" not in finding or finding["fix"] is None for finding in report["findings"])


@pytest.mark.parametrize(
    ("flags", "left"),
    [
        (["--fix"], "Left: 1 problem needs --fix --numeric-fixes, 1 needs --fix --unsafe-fixes."),
        (["--fix", "--fixable", "TOY102"], "Left: 1 problem needs --fix --numeric-fixes, 2 are not to be fixed ("),
        (
            ["--fix", "--unsafe-fixes", "--unfixable", "TOY102"],
            "Left: 1 problem is not to be fixed (`fixable`, `unfixable`).",
        ),
    ],
)
def test_what_was_left_is_told_with_the_reason(toys: Program, write: Write, flags: list[str], left: str) -> None:
    write("train.py", ALL)
    assert left in toys("check", "--show-fixes", *flags).err


def test_a_path_is_no_reason(toys: Program, write: Write) -> None:
    path = write("src/train.py", ALL)
    result = toys("check", "--add-ignores", "src")
    assert (result.code, path.read_text()) == (2, ALL)
    assert '"src" is a path; write --add-ignores "not looked at yet" PATH' in result.err


def test_a_project_says_what_is_not_to_be_fixed(toys: Program, write: Write) -> None:
    write("trainlint.toml", 'unfixable = ["TOY101"]\n')
    path = write("train.py", ALL)
    toys("check", "--fix", "--numeric-fixes")
    assert path.read_text() == ALL.replace("numeric", "cured")
    toys("check", "--fix", "--unfixable", "TOY102")
    assert path.read_text() == ALL.replace("numeric", "cured"), "the option adds to the key"


def test_what_stays_after_fixes_gets_ignore_comments(toys: Program, write: Write) -> None:
    path = write("train.py", ALL)
    ignored = "  # trainlint: ignore[{}] seen in the profile"
    expected = f"import torch\ncured()\nnumeric(){ignored.format('TOY102')}\nunsafe(){ignored.format('TOY103')}\n"
    flags = ("--fix", "--add-ignores", "seen in the profile")
    diff = toys("check", "--diff", *flags)
    assert path.read_text() == ALL
    assert "Would fix 1 place and add ignore comments for 2 places in 1 file." in diff.err
    result = toys("check", *flags)
    assert path.read_text() == expected
    assert result.code == 0
    assert (
        "Fixed 1 problem. Added ignore comments for 2 problems. All clear: 1 file, which does not train." in result.out
    )
    again = toys("check", "--add-ignores", "another reason")
    assert (again.code, path.read_text()) == (0, expected)


@pytest.mark.parametrize("reason", ["", "  ", "two\nlines", "# nothing"])
def test_ignores_need_a_reason(toys: Program, write: Write, reason: str) -> None:
    path = write("train.py", ALL)
    result = toys("check", "--add-ignores", reason)
    assert (result.code, path.read_text()) == (2, ALL)
    assert "the reason why findings are to be ignored" in result.err


def test_a_reason_that_the_encoding_cannot_hold_changes_nothing(toys: Program, write: Write) -> None:
    text = "# coding: ascii\nimport torch\nunsafe()\n"
    path = write("train.py", text)
    result = toys("check", "--add-ignores", "gemessen – später")
    assert (result.code, path.read_text()) == (1, text)
    assert "ignore comments were not added: its text does not fit the file's encoding, ascii" in result.err


def test_what_was_fixed_is_listed_by_file_and_rule(toys: Program, write: Write) -> None:
    write("train.py", ALL + "safe()\n")
    write("other.py", "import torch\nunsafe()\n")
    result = toys("check", "--fix", "--numeric-fixes", "--show-fixes")
    left = "Left: 2 problems need --fix --unsafe-fixes.\n"
    assert result.err == f"train.py:\n  TOY101: 2 problems\n  TOY102: 1 problem\n{left}"
    assert toys("check", "--fix", "--show-fixes").err == left
    assert toys("check", "--diff", "--unsafe-fixes").err == "Would fix 2 places in 2 files.\n"
    assert toys("check", "--show-fixes").code == 2


def test_a_word_that_is_no_rule_is_refused(toys: Program, write: Write) -> None:
    write("train.py", ALL)
    result = toys("check", "--unfixable", "TOY999")
    assert result.code == 2
    assert "--unfixable" in result.err


def test_the_patch_is_one_that_git_applies(toys: Program, write: Write) -> None:
    import subprocess

    path = write("src/train.py", ALL)
    diff = toys("check", "--diff")
    assert (
        "Would fix 1 place in 1 file. Left: 1 problem needs --fix --numeric-fixes, 1 needs --fix --unsafe-fixes."
        in diff.err
    )
    subprocess.run(["git", "apply"], cwd=toys.directory, input=diff.out.encode(), check=True)
    assert path.read_text() == ALL.replace("safe()\nnumeric", "cured()\nnumeric", 1)


def test_nothing_to_fix_is_0_with_diff(toys: Program, write: Write) -> None:
    write("train.py", "import torch\nunsafe()\n")
    result = toys("check", "--diff")
    assert (result.code, result.out, result.err) == (
        *(0, ""),
        "Nothing would be changed. Left: 1 problem needs --fix --unsafe-fixes.\n"
        "`trainlint check --diff --unsafe-fixes` shows the other fixes.\n",
    )
    assert toys("check", "--diff", "--quiet").err == ""


def test_a_failure_is_2_with_diff(toys: Program, write: Write) -> None:
    write("train.py", ALL)
    write("broken.py", "import torch\nf(\n")
    result = toys("check", "--diff", "--quiet")
    assert result.code == 2
    assert "+cured()" in result.out
    assert "broken.py" in result.err
    assert "broken.py" not in result.out


def test_many_files_are_fixed_in_several_processes(toys: Program, write: Write) -> None:
    paths = [write(f"train{index}.py", ALL) for index in range(10)]
    result = toys("check", "--fix", "--unsafe-fixes", "--jobs", "2")
    assert result.code == 0
    assert "Fixed 30 problems" in result.out
    assert {path.read_text() for path in paths} == {"import torch\ncured()\ncured()\ncured()\n"}


def test_encoding_line_ends_and_mode_survive(toys: Program, write: Write) -> None:
    path = write("train.py", "# coding: latin-1\r\nimport torch\r\nsafe()  # na\xefve\r\n".encode("latin-1"))
    path.chmod(0o750)
    marked = write("marked.py", b"\xef\xbb\xbfimport torch\nsafe()")
    assert toys("check", "--fix").code == 0
    assert path.read_bytes() == "# coding: latin-1\r\nimport torch\r\ncured()  # na\xefve\r\n".encode("latin-1")
    assert path.stat().st_mode & 0o777 == 0o750
    assert marked.read_bytes() == b"\xef\xbb\xbfimport torch\ncured()"


def test_a_link_stays_a_link(toys: Program, write: Write) -> None:
    write("shared/real.py", ALL)
    link = toys.directory / "link.py"
    link.symlink_to("shared/real.py")
    assert "Fixed 1 problem" in toys("check", "--fix").out
    assert link.is_symlink()
    assert "cured()" in link.read_text()


def test_clean_files_are_not_written(toys: Program, write: Write) -> None:
    path = write("train.py", "import torch\nunsafe()\n")
    os.utime(path, (1, 1))
    toys("check", "--fix")
    assert path.stat().st_mtime == 1


@pytest.mark.usefixtures("permissions")
def test_a_file_that_cannot_be_written_is_named_and_its_findings_stand(toys: Program, write: Write) -> None:
    write("train.py", "import torch\nsafe()\n").chmod(0o444)
    result = toys("check", "--fix", "--output-format", "json")
    report = json.loads(result.out)
    assert result.code == 2
    assert report["failures"][0]["path"] == "train.py"
    assert [finding["code"] for finding in report["findings"]] == ["TOY101"]
    assert report["counts"]["fixed"] == 0


def test_a_fix_that_cannot_be_applied_leaves_its_finding_and_no_failure(toys: Program, write: Write) -> None:
    text = "import torch\na[(0)].safe()\n"  # the toy's fix would leave a bracket open
    path = write("train.py", text)
    first = toys("check", "--fix", "--output-format", "concise")
    assert (first.code, path.read_text()) == (1, text)
    assert "note: train.py: TOY101: the fix" in first.err
    assert "[fix" not in first.out
    assert "TOY101" in first.out
    assert toys("check", "--fix", "--output-format", "concise") == first
    assert "failures" not in first.out
