"""Whatever lies in a directory: it is named, the rest is judged, and the exit code is 2."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from trainlint.report import FORMATS

if TYPE_CHECKING:
    from tests.cli.conftest import Program, Write

GOOD = "import torch\nsafe()\n"
DEEP_BLOCKS = "import torch\n" + "".join(f"{' ' * depth}if x:\n" for depth in range(100)) + " " * 100 + "safe()\n"
DEEP_BRACKETS = "import torch\nx = " + "[" * 100 + "]" * 100 + "\n"
TOO_DEEP_BRACKETS = "import torch\nx = " + "(" * 1000 + ")" * 1000 + "\n"

UNREADABLE = {
    "binary": (b"import torch\n\x00\x01\x02\xff\xfe", "NUL"),
    "binary that never speaks of torch": (bytes(range(256)) * 20, "NUL"),
    "broken, without a word of torch": (b"def f(:\n", "line 1"),
    "Python 2, without a word of torch": (b'print "hello"\n', "Python 2"),
    "noise without NUL": (bytes(range(1, 256)), "does not decode"),
    "UTF-16": ("import torch\n".encode("utf-16"), "NUL"),
    "unknown encoding": (b"# -*- coding: klingon -*-\nimport torch\n", "encoding"),
    "unknown encoding, no torch": (b"#!/usr/bin/python\n# vim: set fileencoding=klingon :\n", "encoding"),
    "wrong encoding": (b"# -*- coding: ascii -*-\nimport torch  # na\xc3\xafve\n", "does not decode"),
    "Latin-1 without a coding line": ("import torch  # na\xefve\n".encode("latin-1"), "encoding"),
    "syntax error": (b"import torch\n\ndef f(:\n    pass\n", "line 3"),
    "unfinished": (b"import torch\nsafe(\n", "line 2"),
    "tabs and spaces": (b"import torch\nif x:\n        a\n\tb\n", "line 4"),
    "Python 2 print": (b"import torch\nprint 'loss', loss\n", "Python 2"),
    "Python 2 except": (b"import torch\ntry:\n    f()\nexcept IOError, e:\n    pass\n", "Python 2"),
    "merge conflict": (b"import torch\n<<<<<<< HEAD\nsafe()\n=======\n>>>>>>> b\n", "line 2"),
    "brackets 1000 deep": (TOO_DEEP_BRACKETS.encode(), "nested"),
    "blocks 100 deep": (DEEP_BLOCKS.encode(), "line 102"),
    "too large": (b"import torch\n" + b"# filler\n" * 600_000, "5 MB"),
}


@pytest.mark.parametrize(("content", "why"), UNREADABLE.values(), ids=UNREADABLE)
def test_a_file_that_is_no_python_is_named(toys: Program, write: Write, content: bytes, why: str) -> None:
    write("bad.py", content)
    write("good.py", GOOD)
    result = toys("check", "--output-format", "json")
    report = json.loads(result.out)
    assert result.code == 2
    assert result.err == ""
    (failure,) = report["failures"]
    assert (failure["path"], failure["rule"]) == ("bad.py", "TRN001")
    assert why in failure["reason"]
    assert [finding["path"] for finding in report["findings"]] == ["good.py"]
    assert report["counts"]["files"] == 1


READABLE = {
    "empty": b"",
    "blank": b"\n\n   \n\t\n",
    "one comment": b"# torch",
    "brackets 100 deep": DEEP_BRACKETS.encode(),
    "a byte order mark": b"\xef\xbb\xbfimport torch\n",
    "Latin-1 by its coding line": "# coding: latin-1\nimport torch  # na\xefve\n".encode("latin-1"),
    "Windows line ends": b"import torch\r\nx = 1\r\n",
    "old Macintosh line ends": b"import torch\rx = 1\r",
    "a form feed": b"import torch\n\x0cx = 1\n",
    "an odd escape in a text": b"import torch\nx = '\\d'\n",
    "300 terms": b"import torch\nx = " + b" + ".join([b"1"] * 300) + b"\n",
}


@pytest.mark.parametrize("content", READABLE.values(), ids=READABLE)
def test_odd_files_that_python_reads_are_judged_without_a_word(toys: Program, write: Write, content: bytes) -> None:
    write("odd.py", content)
    result = toys("check", "odd.py", "--output-format", "json")
    report = json.loads(result.out)
    assert report["failures"] == []
    assert (result.code, result.err, report["counts"]["files"]) == (0, "", 1)


def test_links_to_nowhere_links_to_themselves_and_directories_with_a_files_name(toys: Program, write: Write) -> None:
    write("good.py", GOOD)
    write("package.py/inner.py", GOOD)
    (toys.directory / "broken.py").symlink_to("nowhere.py")
    (toys.directory / "loop.py").symlink_to("loop.py")
    (toys.directory / "around").symlink_to(".")
    result = toys("check", "--output-format", "json")
    report = json.loads(result.out)
    assert result.code == 2
    assert {failure["path"]: failure["reason"].partition(";")[0] for failure in report["failures"]} == {
        "broken.py": "it is a symbolic link that leads nowhere",
        "loop.py": "it is a symbolic link that leads back to itself",
        "package.py": "it is a directory, though its name is that of a file with code",
    }
    assert [finding["path"] for finding in report["findings"]] == ["good.py", "package.py/inner.py"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_not_waited_for(toys: Program, write: Write) -> None:
    write("good.py", GOOD)
    os.mkfifo(toys.directory / "pipe.py")
    result = toys("check", "--output-format", "concise")
    assert result.code == 2
    assert "pipe.py: it is a pipe" in result.out
    assert "good.py:2:1" in result.out


@pytest.mark.usefixtures("permissions")
@pytest.mark.parametrize("in_git", [False, True], ids=["no git", "git"])
def test_files_and_directories_without_permission(toys: Program, write: Write, in_git: bool) -> None:
    if in_git:
        subprocess.run(["git", "init", "-q"], cwd=toys.directory, check=True)
    write("good.py", GOOD)
    write("secret.py", GOOD).chmod(0)
    inner = write("closed/inner.py", GOOD).parent
    inner.chmod(0)
    try:
        result = toys("check", "--output-format", "concise")
    finally:
        inner.chmod(0o755)
    assert result.code == 2
    assert "secret.py: it cannot be read (permission denied)" in result.out
    assert "closed: the directory cannot be" in result.out
    assert "good.py:2:1" in result.out


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux takes file names of any bytes")
def test_a_file_name_that_is_no_text(toys: Program, write: Write) -> None:
    name = os.fsdecode(b"caf\xe9.py")
    write(name, GOOD)
    for output_format in FORMATS:
        result = toys("check", "--output-format", output_format)
        assert result.code == 1
        assert "caf" in result.out
        assert result.err == ""
    assert toys("check", "--show-files").code == 0


def test_a_broken_notebook_hides_no_other_file(toys: Program, write: Write) -> None:
    write("run.ipynb", '{"cells": ["import torch"]}')
    write("train.py", GOOD)
    result = toys("check", ".", "--output-format", "concise")
    assert result.code == 2
    assert "could not judge run.ipynb: cell 1 is no JSON object" in result.out
    assert "train.py:" in result.out


def test_a_named_file_is_judged_whatever_its_suffix(toys: Program, write: Write) -> None:
    write("train", GOOD)
    write("train.cfg", GOOD)
    result = toys("check", "train", "train.cfg", "--output-format", "concise")
    assert [line.partition(":")[0] for line in result.out.splitlines()[:2]] == ["train", "train.cfg"]


def test_a_worker_that_dies_costs_only_the_file_that_it_died_of(toys: Program, write: Write) -> None:
    for index in range(20):
        write(f"file{index:02}.py", GOOD)
    write("file07x.py", "die()  # torch\n")
    result = toys("check", "--jobs", "2", "--output-format", "json")
    report = json.loads(result.out)
    assert result.code == 2
    assert [failure["path"] for failure in report["failures"]] == ["file07x.py"]
    assert "died" in report["failures"][0]["reason"]
    assert len(report["findings"]) == report["counts"]["files"] == 20


def test_all_of_it_at_once(toys: Program, write: Write, tmp_path: Path) -> None:
    for index, (content, _) in enumerate(UNREADABLE.values()):
        write(f"bad{index:02}.py", content)
    for index, content in enumerate(READABLE.values()):
        write(f"odd{index:02}.py", content)
    write("good.py", GOOD)
    report = json.loads(toys("check", "--output-format", "json").out)
    assert [failure["path"] for failure in report["failures"]] == [
        f"bad{index:02}.py" for index in range(len(UNREADABLE))
    ]
    assert [finding["path"] for finding in report["findings"]] == ["good.py"]
    assert report["counts"]["files"] == len(READABLE) + 1
