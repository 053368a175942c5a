"""What is not needed is not imported: asked of the list of modules, not of a clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Program, Write

HEAVY = {"libcst", "rich", "torch", "multiprocessing", "concurrent", "asyncio", "numpy", "pygments"}
DUMP = """\
import sys
from trainlint.cli import main
try:
    code = main()
except SystemExit as end:
    code = end.code
print("MODULES", *sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
print("OURS", *sorted(name for name in sys.modules if name.startswith("trainlint")), file=sys.stderr)
sys.exit(code)
"""


def modules(program: Program, *arguments: str) -> tuple[set[str], set[str]]:
    """The top-level modules, and trainlint's own, that a run imports."""
    result = program(*arguments, program=("-c", DUMP))
    assert result.code == 0, result
    lines = {line.partition(" ")[0]: set(line.split()[1:]) for line in result.err.splitlines()}
    return lines["MODULES"], lines["OURS"]


def test_version_imports_next_to_nothing(program: Program) -> None:
    found, ours = modules(program, "--version")
    assert not found & (HEAVY | {"ast", "dataclasses", "inspect", "json", "subprocess", "tomllib", "typing"})
    assert ours == {"trainlint", "trainlint.cli", "trainlint.cli.arguments", "trainlint.cli.console"}


CLEAN = """\
import torch



def train(model, loader, optimizer):
    for batch in loader:
        loss = model(batch)
        loss.backward()
        optimizer.step()
"""


@pytest.mark.parametrize("content", [CLEAN, "import json\n"], ids=["speaks of torch", "does not"])
def test_a_clean_file_needs_no_heavy_module(program: Program, write: Write, content: str) -> None:
    write("train.py", content)
    found, _ = modules(program, "check", "train.py", "--select", "TRN201,TRN002")
    assert not found & (HEAVY | {"subprocess", "tomllib", "difflib", "json"})


def test_a_clean_directory_needs_no_heavy_module(program: Program, write: Write) -> None:
    write("train.py", CLEAN)
    found, _ = modules(program, "check", "--select", "TRN201,TRN002")
    assert not found & HEAVY
