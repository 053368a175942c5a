"""`trainlint server` where it cannot start."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from trainlint.installation.install_command import install_command

if TYPE_CHECKING:
    from tests.cli.conftest import Program, Write

WITHOUT = """\
import sys
sys.modules[{name!r}] = None
from trainlint.cli import main
sys.exit(main())
"""


@pytest.mark.parametrize("name", ["pygls", "lsprotocol"])
def test_a_missing_extra_is_one_sentence(program: Program, name: str) -> None:
    result = program("server", program=("-c", WITHOUT.format(name=name)))
    assert (result.code, result.out) == (2, "")
    assert result.err == f"trainlint: the language server needs pygls: run `{install_command('pygls')}`\n"


def test_a_wrong_option_is_one_sentence(program: Program, write: Write) -> None:
    result = program("server", "--select", "TRN999")
    assert result.code == 2
    assert len(result.err.splitlines()) == 1
    assert "TRN999" in result.err


def test_an_editor_that_leaves_without_a_word_ends_the_server(program: Program) -> None:
    """Its standard input ends."""
    result = program("server")
    assert (result.code, result.out) == (0, "")
