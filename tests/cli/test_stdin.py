"""Code on standard input, as editors send it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.engine.linked_project import UTILS, write_project

if TYPE_CHECKING:
    from tests.cli.conftest import Program, Write

SAFE = b"import torch\nsafe()\nunsafe()\n"


def test_code_on_stdin_is_judged(toys: Program) -> None:
    result = toys("check", "-", "--output-format", "concise", stdin=SAFE)
    assert result.code == 1
    assert "<stdin>:2:1: TOY101" in result.out
    clean = toys("check", "-", stdin=b"import torch\n")
    assert clean.code == 0
    assert "1 file" in clean.out


def test_the_diff_shows_the_code_that_came_in(toys: Program) -> None:
    assert "2 │ - safe()" in toys("check", "-", stdin=SAFE).out


def test_the_name_decides_which_settings_hold(toys: Program, write: Write) -> None:
    write("inner/trainlint.toml", 'select = ["TOY103"]\n')
    result = toys("check", "-", "--stdin-filename", "inner/new.py", "--output-format", "json", stdin=SAFE)
    assert [(finding["path"], finding["code"]) for finding in json.loads(result.out)["findings"]] == [
        ("inner/new.py", "TOY103")
    ]


def test_fixed_code_goes_to_stdout_and_the_report_to_stderr(toys: Program) -> None:
    windows = SAFE.replace(b"\n", b"\r\n")
    result = toys("check", "-", "--fix", "--output-format", "concise", stdin=windows)
    assert result.code == 1
    assert result.out == "import torch\r\ncured()\r\nunsafe()\r\n"
    assert "TOY103" in result.err
    assert "TOY101" not in result.err


def test_code_that_needs_no_fix_comes_back_as_it_was(toys: Program) -> None:
    for code in (b"", b"x = 1\n", b"import torch\nunsafe()", "# na\u00efve torch\n".encode()):
        assert toys("check", "-", "--fix", "--quiet", stdin=code).out == code.decode()


def test_code_that_cannot_be_judged_comes_back_as_it_was(toys: Program) -> None:
    broken = b"import torch\nf(\n"
    result = toys("check", "-", "--fix", stdin=broken)
    assert (result.code, result.out) == (2, broken.decode())
    assert "<stdin>" in result.err
    assert toys("check", "-", stdin=b"import torch\0").code == 2


def test_the_patch_of_stdin(toys: Program) -> None:
    result = toys("check", "-", "--diff", "--stdin-filename", "new.py", stdin=SAFE)
    assert result.code == 1
    assert "-safe()\n+cured()\n" in result.out
    assert "a/new.py" in result.out


@pytest.mark.slow
def test_the_name_decides_which_project_has_a_say(program: Program) -> None:
    write_project(program.directory)
    options = ("--output-format", "concise", "--quiet")
    named = ("check", "-", "--stdin-filename", "pkg/utils.py", *options)
    result = program(*named, stdin=UTILS.encode())
    assert result.out == program("check", "pkg/utils.py", *options).out
    assert result.out in program("check", ".", *options).out
    assert "pkg/utils.py:5:17: TRN201" in result.out
    moved = program(*named, stdin=UTILS.replace("import torch\n", "import torch\n\n").encode())
    assert "pkg/utils.py:6:17: TRN201" in moved.out, "the text counts, not the file"
    assert program("check", "-", *options, stdin=UTILS.encode()).out == ""
    fixed = program(*named, "--fix", stdin=UTILS.encode())
    assert "TRN201" in fixed.err
