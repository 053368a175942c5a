"""What --diff shows is a patch that git takes."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainlint.report.patch import unified_difference


def test_it_reads_like_any_other_patch() -> None:
    assert unified_difference("src/train.py", "a\nb\nc\n", "a\nB\nc\n") == (
        "--- a/src/train.py\n+++ b/src/train.py\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"
    )


def test_nothing_changed_shows_nothing() -> None:
    assert unified_difference("x.py", "a\n", "a\n") == ""


def test_a_missing_line_end_is_told_on_both_sides() -> None:
    assert unified_difference("x.py", "a", "b") == (
        "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n"
    )


def test_a_form_feed_ends_no_line() -> None:
    assert "-a\x0cb\n+a\x0cc\n" in unified_difference("x.py", "a\x0cb\n", "a\x0cc\n")


def apply_with_git(directory: Path, path: str, before: str, after: str) -> str:
    target = directory / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(before.encode())
    patch = unified_difference(path, before, after)
    command = ["git", "apply", "--whitespace=nowarn", "-"]
    subprocess.run(command, input=patch.encode(), cwd=directory, check=True, capture_output=True)
    return target.read_bytes().decode()


HARMLESS = ["train.py", "src/train.py", "my code/train it.py", "größe.py"]
HOSTILE = ["a\nb.py", "\u202e\x1b.py", "::error::", '"\\.py', "##[group]x.py"]


@pytest.mark.parametrize("path", HARMLESS + HOSTILE)
def test_git_applies_it_whatever_the_name(tmp_path: Path, path: str) -> None:
    assert apply_with_git(tmp_path, path, "a\r\nb\n", "a\r\nc") == "a\r\nc"


@settings(max_examples=25, deadline=None)
@given(st.text(alphabet="ab\n\r\x0c", min_size=1), st.text(alphabet="ab\n\r\x0c", min_size=1))
def test_git_applies_it_whatever_the_text(before: str, after: str) -> None:
    if before != after:
        with tempfile.TemporaryDirectory() as directory:
            assert apply_with_git(Path(directory), "x.py", before, after) == after
