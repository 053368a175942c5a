"""What --diff shows is a patch that git takes."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainlint.report.patch import patch_of, unified_difference


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


def apply_with_git(directory: Path, path: str, before: bytes, after: bytes) -> bytes:
    target = directory / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(before)
    command = ["git", "apply", "--whitespace=nowarn", "-"]
    patch = patch_of(path, before, after)
    subprocess.run(command, input=patch, cwd=directory, check=True, capture_output=True)
    return target.read_bytes()


HARMLESS = ["train.py", "src/train.py", "my code/train it.py", "größe.py"]
HOSTILE = ["a\nb.py", "\u202e\x1b.py", "::error::", '"\\.py', "##[group]x.py"]


BYTES = ["utf-8", "utf-8-sig", "latin-1"]


@pytest.mark.parametrize("path", HARMLESS + HOSTILE)
def test_git_applies_it_whatever_the_name(tmp_path: Path, path: str) -> None:
    assert apply_with_git(tmp_path, path, b"a\r\nb\n", b"a\r\nc") == b"a\r\nc"


@settings(max_examples=25, deadline=None)
@given(st.text(alphabet="ab\n\r\x0cé", min_size=1), st.text(alphabet="ab\n\r\x0cé", min_size=1), st.sampled_from(BYTES))
def test_git_applies_it_whatever_the_bytes(before: str, after: str, encoding: str) -> None:
    if before != after:
        with tempfile.TemporaryDirectory() as directory:
            old, new = before.encode(encoding), after.encode(encoding)
            assert apply_with_git(Path(directory), "x.py", old, new) == new
