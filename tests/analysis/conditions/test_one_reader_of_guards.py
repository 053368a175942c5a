"""Guards are read in `trainlint/analysis/conditions` alone: other modules ask it, and look at no test themselves."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SOURCES = ("trainlint/analysis", "trainlint/fixing", "rules/trainlint_rules")
"""What judges code."""
READERS = ("trainlint/analysis/conditions/", "trainlint/analysis/syntax/")
"""The reader, and the package that builds the blocks."""
OTHER_TESTS = {
    "trainlint/analysis/programs/proof_of_absence.py": "the head of a `while`, to show a finding there",
    "rules/trainlint_rules/sync/idioms/advice.py": "whether a value that is read is what a statement tests",
    "trainlint/analysis/effects/removable_calls.py": "whether a test that would decide nothing may go, too",
}
"""Files that look at the `test` of a statement for something else than when code runs."""
INTERNAL = "trainlint.analysis.conditions.guards"
"""Hands out the tests around a block, to the reader alone."""
_OF_TEST = ("test", "negated", "after_exit", "BRANCH")


def _read_by_hand(source: str) -> list[str]:
    """Each place of a module that looks at a test or at what stands behind one, as "line: text".

    `block.test`, `.negated`, `.after_exit` and `BlockKind.BRANCH`; `case ast.If(test=...)`, and imports of what
    hands out tests.
    """
    return [f"{line}: {text}" for node in ast.walk(ast.parse(source)) for line, text in _reading(node)]


def _reading(node: ast.AST) -> list[tuple[int, str]]:
    match node:
        case ast.Attribute(attr=name) if name in _OF_TEST:
            return [(node.lineno, ast.unparse(node))]
        case ast.MatchClass(kwd_attrs=names) if "test" in names:
            return [(node.lineno, f"{ast.unparse(node.cls)}.test")]
        case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=name), *_]) if name in _OF_TEST:
            return [(node.lineno, f"getattr.{name}")]
        case ast.ImportFrom(module=str() as module) if module == INTERNAL:
            return [(node.lineno, module)]
        case ast.ImportFrom() | ast.Import():
            inside = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            return [(node.lineno, INTERNAL) for alias in node.names if inside + alias.name == INTERNAL]
    return []


def _modules() -> list[str]:
    paths = (path for folder in SOURCES for path in (ROOT / folder).rglob("*.py"))
    return sorted(path.relative_to(ROOT).as_posix() for path in paths)


def _read_in(module: str) -> list[str]:
    return _read_by_hand((ROOT / module).read_text(encoding="utf-8"))


def test_no_other_module_reads_guards() -> None:
    allowed = dict.fromkeys(OTHER_TESTS, ".test")
    found = [
        f"{module}:{item}: ask trainlint.analysis.conditions instead"
        for module in _modules()
        if not module.startswith(READERS)
        for item in _read_in(module)
        if module not in allowed or not item.endswith(allowed[module])
    ]
    assert not found, "\n".join(found)


def test_exceptions_are_needed() -> None:
    assert [name for name in OTHER_TESTS if not any(item.endswith(".test") for item in _read_in(name))] == []


@pytest.mark.parametrize(
    "line",
    [
        "found = block.test",
        "found = outer.kind is BlockKind.BRANCH",
        "found = not around.after_exit",
        "found = getattr(statement, 'test', None)",
        "match node:\n    case ast.While(test=head): pass",
        "from trainlint.analysis.conditions.guards import guards_around",
        "from trainlint.analysis.conditions import guards",
        "import trainlint.analysis.conditions.guards",
    ],
)
def test_a_hand_written_reader_is_seen(line: str) -> None:
    assert _read_by_hand(line)


@pytest.mark.parametrize(
    "line", ["from trainlint.analysis.conditions import around", "match node:\n    case ast.If(body=found): pass"]
)
def test_what_asks_is_no_reader(line: str) -> None:
    assert not _read_by_hand(line)
