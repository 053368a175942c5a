"""What coding agents are told names options that exist."""

from __future__ import annotations

import re

import pytest

from tests.environments import REPOSITORY
from trainlint.cli.arguments import check_parser


@pytest.mark.parametrize("name", ["AGENTS.md", "SKILL.md"])
def test_the_options_of_check_that_agents_are_told_of_exist(name: str) -> None:
    text = (REPOSITORY / "packaging" / "agents" / name).read_text(encoding="utf-8")
    commands = re.findall(r"trainlint check ([^`#\n]*)", text)
    assert commands
    known = check_parser()._option_string_actions
    assert {word for command in commands for word in command.split() if word.startswith("--")} <= known.keys()
