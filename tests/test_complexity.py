"""No function of the product has more than 15 independent paths, as radon counts them.

Radon also counts each `and`, `or`, conditional expression and comprehension. Ruff's C901 does not, and so lets pass
conditions that nobody can read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from radon.complexity import cc_visit
from radon.visitors import Function

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("trainlint", "rules", "runtime_probe", "benchmarks", "docs")
MOST = 15
KEPT: Mapping[str, str] = {
    "trainlint/analysis/syntax/expressions.py::ExpressionWalk.expression": "the walk over all nodes: a call costs time",
    "trainlint/analysis/types/batches.py::Batches._of_call": "one guard clause for each way to call what makes batches",
    "trainlint/cli/check.py::_refuse_nonsense": "one sentence for each pair of options that exclude each other",
    "trainlint/engine/discover.py::_Search.walk": "one pass over a directory, each entry asked once",
    "trainlint/engine/pool/worker_pool.py::WorkerPool.run_tasks": "one loop over the events of processes",
    "trainlint/engine/run.py::_gathered": "one loop that sorts each outcome into the parts of a report",
    "trainlint/engine/why/line_facts.py::_parts": "one part for each fact of a line, in the order shown",
}
"""Functions that are easier to read in one piece, as "path::name", with the reason. Keep it short."""


def complex_functions(source: str) -> Iterator[tuple[str, int]]:
    """The functions and methods of a module that have too many paths, by their full names, with their number."""
    for block in cc_visit(source):
        if isinstance(block, Function) and block.complexity > MOST:
            yield block.fullname, block.complexity


@pytest.mark.parametrize("folder", FOLDERS)
def test_functions_have_few_paths(folder: str) -> None:
    """Split what fails here into functions that each answer one question, or give a reason in KEPT."""
    found = {
        f"{path.relative_to(ROOT).as_posix()}::{name}": paths
        for path in sorted((ROOT / folder).rglob("*.py"))
        for name, paths in complex_functions(path.read_text("utf-8"))
    }
    kept = {name for name in KEPT if name.startswith(f"{folder}/")}
    assert {name: paths for name, paths in found.items() if name not in kept} == {}
    assert kept <= found.keys(), "these have few paths by now: take them out of KEPT"


def test_conditions_and_comprehensions_count() -> None:
    """Fifteen paths are allowed and sixteen are not, wherever they come from."""
    names = [f"a{number}" for number in range(MOST)]
    allowed, too_many = " and ".join(names), " and ".join([*names, "z"])
    source = f"class C:\n def few(self): return {allowed}\n def many(self): return {too_many}\n"
    assert list(complex_functions(source)) == [("C.many", MOST + 1)]
    nested = f"def of(items): return [item for item in items if {allowed}]\n"
    assert list(complex_functions(nested)) == [("of", MOST + 2)]
