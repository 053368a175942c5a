"""Guards are read in `trainlint/analysis/conditions` alone: other modules ask it, and look at no test themselves."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SOURCES = ("trainlint/analysis", "trainlint/fixing", "rules/trainlint_rules")
"""What judges code. `trainlint/engine` reads tests too: those in the sources of rules, for `trainlint why`."""
READERS = ("trainlint/analysis/conditions/", "trainlint/analysis/syntax/")
"""The reader, and the package that builds the blocks."""
OTHER_TESTS = {
    "trainlint/analysis/programs/loops.py": "the head of a `while`, for the words about a loop",
    "trainlint/analysis/programs/proof_of_absence.py": "the head of a `while`, to show a finding there",
    "rules/trainlint_rules/data/loader_built_in_loop.py": "the head of a `while`: what the loop counts",
    "rules/trainlint_rules/data/iterable_dataset_duplicates.py": "the head of a `while` that never ends",
    "rules/trainlint_rules/data/idioms/samplers.py": "the head of a `while` that never ends",
    "rules/trainlint_rules/data/idioms/passes.py": "the head of a `while` that never ends",
    "rules/trainlint_rules/sync/idioms/agreements.py": "whether a value that is read is what a statement tests",
    "rules/trainlint_rules/sync/idioms/read_purposes.py": "whether a value that is read is what a statement tests",
}
"""Files that look at the `test` of a statement for something else than when code runs."""
BRANCHES = {
    "trainlint/analysis/frequency/block_ways.py": "finds the branch of a skeleton that a whole update stands under",
}


def _read_by_hand(source: str) -> list[str]:
    """Each `block.test`, `.negated`, `.after_exit` and `BlockKind.BRANCH` of a module, as "line: text"."""
    return [
        f"{node.lineno}: {ast.unparse(node)}"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute) and node.attr in ("test", "negated", "after_exit", "BRANCH")
    ]


def _modules() -> list[str]:
    paths = (path for folder in SOURCES for path in (ROOT / folder).rglob("*.py"))
    return sorted(path.relative_to(ROOT).as_posix() for path in paths)


@pytest.mark.parametrize("module", [name for name in _modules() if not name.startswith(READERS)])
def test_no_other_module_reads_guards(module: str) -> None:
    found = _read_by_hand((ROOT / module).read_text(encoding="utf-8"))
    if module in OTHER_TESTS:
        found = [item for item in found if not item.endswith(".test")]
    if module in BRANCHES:
        found = [item for item in found if not item.endswith(".BRANCH")]
    assert not found, f"ask trainlint.analysis.conditions instead: {found}"


@pytest.mark.parametrize("module", [*OTHER_TESTS, *BRANCHES])
def test_exceptions_are_needed(module: str) -> None:
    assert _read_by_hand((ROOT / module).read_text(encoding="utf-8"))


@pytest.mark.parametrize("line", ["block.test", "outer.kind is BlockKind.BRANCH", "not around.after_exit"])
def test_a_hand_written_reader_is_seen(line: str) -> None:
    assert _read_by_hand(f"found = {line}")
