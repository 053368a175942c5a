"""`trainlint mcp` where it cannot start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cli.test_server import WITHOUT
from trainlint.installation.install_command import install_command

if TYPE_CHECKING:
    from tests.cli.conftest import Program


def test_a_missing_extra_is_one_sentence(program: Program) -> None:
    result = program("mcp", program=("-c", WITHOUT.format(name="mcp")))
    assert (result.code, result.out) == (2, "")
    assert result.err == f"trainlint: the server for agents needs mcp: run `{install_command('mcp>=2')}`\n"
