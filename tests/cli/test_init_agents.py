"""`trainlint init --agents`: a section for coding agents beside whatever a user has written."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING

import pytest

from trainlint.cli.arguments import check_parser
from trainlint.cli.setup.agents import END, START

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Program, Write

SKILL = ".claude/skills/trainlint/SKILL.md"
OURS = "# Ours\n\nBe kind.\n"


def section(text: str) -> str:
    """What stands between the marks, which stand once."""
    assert (text.count(START), text.count(END)) == (1, 1)
    return text.partition(START)[2].partition(END)[0]


def test_three_files_are_written_and_each_is_named(program: Program) -> None:
    done = program("init", "--agents")
    assert (done.code, done.out, done.err) == (0, f"Wrote: AGENTS.md\nWrote: CLAUDE.md\nWrote: {SKILL}\n", "")
    agents, claude = ((program.directory / name).read_text() for name in ("AGENTS.md", "CLAUDE.md"))
    assert agents == claude
    assert SKILL in section(agents)
    skill = (program.directory / SKILL).read_text()
    assert skill.startswith("---\nname: trainlint\ndescription: ")
    assert "| waiting for the GPU: `wait` |" in section(skill)
    assert not (program.directory / "trainlint.toml").exists()


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_what_a_user_wrote_stays_byte_for_byte(program: Program, write: Write, newline: str) -> None:
    before = OURS.replace("\n", newline).encode()
    place = write("AGENTS.md", before)
    assert "Added to: AGENTS.md\n" in program("init", "--agents").out
    place.write_bytes(place.read_bytes() + f"More.{newline}".encode())
    added = place.read_bytes()
    assert added.startswith(before)
    assert (b"\r\n" in added) is (newline == "\r\n")
    assert added.replace(b"\r\n", newline.encode()) == added
    again = program("init", "--agents")
    assert again.out == f"Left as it is: AGENTS.md\nLeft as it is: CLAUDE.md\nLeft as it is: {SKILL}\n"
    assert place.read_bytes() == added


def test_an_older_section_is_written_anew_and_nothing_around_it(program: Program, write: Write) -> None:
    place = write("CLAUDE.md", f"{OURS}<!-- trainlint:start, of old -->\nold\n{END}\nMore.\n")
    assert program("init", "--agents").code == 0
    text = place.read_text()
    assert text.startswith(OURS + START)
    assert text.endswith(f"{END}\nMore.\n")
    assert "old" not in section(text)


@pytest.mark.parametrize("marks", [START, END, f"{END}\n{START}", f"{START}\n{END}\n{START}\n{END}"])
def test_where_marks_are_broken_nothing_is_written(program: Program, write: Write, marks: str) -> None:
    place = write("CLAUDE.md", f"{OURS}{marks}\n")
    before = place.read_text()
    refused = program("init", "--agents")
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "CLAUDE.md has other marks than one" in refused.err
    assert place.read_text() == before
    assert not (program.directory / "AGENTS.md").exists()


def test_with_diff_nothing_is_written(program: Program, write: Write) -> None:
    write("AGENTS.md", OURS)
    before = sorted(program.directory.rglob("*"))
    shown = program("init", "--agents", "--diff")
    assert shown.code == 0
    assert "+## PyTorch training code" in shown.out
    assert f"+++ b/{SKILL}" in shown.out
    assert sorted(program.directory.rglob("*")) == before


def test_a_link_to_the_other_file_is_left_and_any_other_link_is_refused(program: Program, tmp_path: Path) -> None:
    link, agents = program.directory / "CLAUDE.md", program.directory / "AGENTS.md"
    agents.write_text(OURS)
    link.symlink_to("AGENTS.md")
    assert program("init", "--agents").out == f"Added to: AGENTS.md\nWrote: {SKILL}\n"
    assert link.is_symlink()
    link.unlink()
    outside = tmp_path / "CLAUDE.md"
    outside.write_text(OURS)
    link.symlink_to(outside)
    agents.write_text(OURS)
    assert program("init", "--agents").code == 2
    assert (outside.read_text(), agents.read_text()) == (OURS, OURS)


@pytest.mark.parametrize("name", ["section.md", "SKILL.md"])
def test_the_options_of_check_that_agents_are_told_of_exist(name: str) -> None:
    text = (files("trainlint.cli.setup") / "for_agents" / name).read_text(encoding="utf-8")
    commands = re.findall(r"trainlint check ([^`#\n]*)", text)
    assert commands
    known = check_parser()._option_string_actions
    assert {word for command in commands for word in command.split() if word.startswith("--")} <= known.keys()
