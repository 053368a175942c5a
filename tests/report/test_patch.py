"""What --diff shows is a patch that git takes."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainlint.finding import Edit, Finding, Fix, Safety, Severity, Span, apply_edits
from trainlint.report.patch import fix_difference, in_colors, patch_of, unified_difference
from trainlint.report.settings import Style
from trainlint.source import source_from_text


def test_it_reads_like_any_other_patch() -> None:
    assert unified_difference("src/train.py", "a\nb\nc\n", "a\nB\nc\n") == (
        "--- a/src/train.py\n+++ b/src/train.py\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"
    )


def test_colours_are_those_of_git_where_there_are_any() -> None:
    patch = "@@ -1 +1 @@\n-a\n+A\n b\n"
    assert in_colors(patch, Style()) == patch
    assert in_colors(patch, Style(color=True)) == (
        "\x1b[36m@@ -1 +1 @@\x1b[0m\n\x1b[31m-a\x1b[0m\n\x1b[32m+A\x1b[0m\n b\n"
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


def difference(text: str, edits: tuple[Edit, ...]) -> str:
    """The diff of a fix with these edits."""
    fix = Fix("mend", edits, Safety.SAFE)
    finding = Finding("TRN201", "slow", "train.py", Span(1, 1, 1, 2), "it waits", Severity.WARNING, fix=fix)
    found = fix_difference(finding, source_from_text("train.py", text))
    assert found is not None
    return found


def test_the_diff_of_a_fix_shows_the_lines_around_each_change() -> None:
    text = "".join(f"{number}\n" for number in range(1, 31))
    at = text.index("5\n"), text.index("20\n")
    assert difference(text, (Edit(at[0], at[0] + 1, "five\nand"), Edit(at[1], at[1] + 3, ""))) == (
        "--- a/train.py\n+++ b/train.py\n"
        "@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-5\n+five\n+and\n 6\n 7\n 8\n"
        "@@ -17,8 +18,7 @@\n 17\n 18\n 19\n-20\n 21\n 22\n 23\n 24\n"
    )


def test_the_diff_of_one_fix_in_a_large_file_is_small() -> None:
    """However often its lines are repeated."""
    text = "import torch\nsafe()\n" * 200
    assert len(difference(text, (Edit(13, 17, "fast"),)).splitlines()) == 9


@settings(max_examples=40, deadline=None)
@given(
    text=st.text(alphabet="ab\n\r", min_size=1, max_size=60),
    places=st.lists(st.integers(0, 60), min_size=2, max_size=6, unique=True),
    new=st.lists(st.text(alphabet="ab\n", max_size=3), min_size=3, max_size=3),
)
def test_git_applies_the_diff_of_a_fix(text: str, places: list[int], new: list[str]) -> None:
    places = sorted({min(place, len(text)) for place in places})
    pairs = zip(places[::2], places[1::2], new, strict=False)
    edits = tuple(Edit(start, stop, words) for start, stop, words in pairs if text[start:stop] != words)
    if not edits or apply_edits(text, edits) == text:
        return
    with tempfile.TemporaryDirectory() as directory:
        target = Path(directory, "train.py")
        target.write_bytes(text.encode())
        command = ["git", "apply", "--whitespace=nowarn", "-"]
        subprocess.run(command, input=difference(text, edits).encode(), cwd=directory, check=True, capture_output=True)
        after = target.read_bytes() if target.exists() else b""
    assert after == apply_edits(text, edits).encode()
