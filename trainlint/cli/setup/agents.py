"""`trainlint init --agents`: what coding agents are told of training code, beside whatever a project tells them."""

from __future__ import annotations

import os
import re
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from trainlint.bounded import SETTINGS_BYTES, read_bounded, reason_of
from trainlint.cli import console
from trainlint.cli.console import UsageError
from trainlint.cli.setup.written_file import require_no_link, write_file
from trainlint.paths import exists, shown_path
from trainlint.report.characters import quoted
from trainlint.report.patch import unified_difference

if TYPE_CHECKING:
    from argparse import Namespace

START = "<!-- trainlint:start, written by `trainlint init --agents`, which writes it anew up to trainlint:end -->"
END = "<!-- trainlint:end -->"
_MARK = re.compile(r"<!-- trainlint:(start|end)\b")
_SKILL = Path(".claude", "skills", "trainlint", "SKILL.md")
_PLACES = ((Path("AGENTS.md"), "section.md"), (Path("CLAUDE.md"), "section.md"), (_SKILL, "SKILL.md"))
"""Each file, and the text that belongs there."""
_FRONT = "---\n"
"""What stands before and after the facts at the head of a skill, which must be its first lines."""


class _Change(NamedTuple):
    place: Path
    shown: str
    before: str
    after: str


def init_agents(directory: Path, options: Namespace) -> int:
    """Write the section into each file, or show it with --diff. Raises UsageError, and then nothing is written."""
    changes = [change for place, text in _PLACES if (change := _change(directory / place, text)) is not None]
    for change in changes:
        if options.diff:
            console.out(unified_difference(change.shown, change.before, change.after))
        elif change.before != change.after:
            change.place.parent.mkdir(parents=True, exist_ok=True)
            write_file(change.place, change.after, change.shown)
    for change in () if options.diff else changes:
        done = "Left as it is" if change.after == change.before else "Added to" if change.before else "Wrote"
        console.out(f"{done}: {quoted(change.shown)}\n")
    return 0


def _change(place: Path, name: str) -> _Change | None:
    """What becomes of a file; None where it leads to another that gets the same text."""
    shown = shown_path(place, Path.cwd())
    twin = place.with_name(_PLACES[0][0].name)
    if place.is_symlink() and place != twin and exists(twin) and os.path.samefile(place, twin):
        return None
    require_no_link(place, shown)
    before = _text_of(place, shown)
    newline = "\r\n" if "\r\n" in before else "\n"
    text = (files("trainlint.cli.setup") / "for_agents" / name).read_text(encoding="utf-8")
    front, text = _parted(text)
    section = f"{START}\n{text}{END}\n".replace("\n", newline)
    if not before:
        return _Change(place, shown, before, front + section)
    marks = _MARK.findall(before)
    start, end = before.find("<!-- trainlint:start"), before.find(END)
    if marks and (marks != ["start", "end"] or end < start):
        raise UsageError(
            f"{shown} has other marks than one `<!-- trainlint:start -->` and one `{END}` behind it; mend or remove "
            "them, and run again"
        )
    if marks:
        after = before[:start] + section.removesuffix(newline) + before[end + len(END) :]
        return _Change(place, shown, before, after)
    gap = newline if before.endswith("\n") else newline * 2
    return _Change(place, shown, before, before + gap + section)


def _parted(text: str) -> tuple[str, str]:
    """The facts at the head of a skill, and its text."""
    if not text.startswith(_FRONT):
        return "", text
    end = text.index(f"\n{_FRONT}") + len(_FRONT) + 1
    return text[:end] + "\n", text[end:].lstrip("\n")


def _text_of(place: Path, shown: str) -> str:
    """The text of a file with its own line ends; empty where there is none. Raises UsageError."""
    try:
        return read_bounded(str(place), SETTINGS_BYTES).decode("utf-8")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise UsageError(f"{shown} is not UTF-8, so nothing is added to it; save it as UTF-8") from error
    except OSError as error:
        raise UsageError(f"{shown} cannot be read ({reason_of(error)})") from error
