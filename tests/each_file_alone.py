"""Runs each test file in a process of its own, and says which fail there: python -m tests.each_file_alone [PATH...]

A file that passes only beside others needs something that they did: an import, a cache, a directory. PATHs are files or
directories of tests; without any, all. What is marked `nightly` is left out.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter

TESTS = Path(__file__).parent
NOT_COLLECTED = {"cases", "coverage_sheet"}
PASSED, NOTHING_SELECTED = 0, 5
"""Exit codes of pytest."""
LAST_LINES = 30


def test_files(paths: list[Path]) -> Iterator[Path]:
    """The test files at the given paths and below them."""
    for path in paths:
        below = [path] if path.is_file() else sorted(path.rglob("test_*.py"))
        yield from (each for each in below if not NOT_COLLECTED & set(each.parts))


def failure_of(path: Path) -> str:
    """The end of what pytest printed about a file that fails by itself; empty where it passes."""
    words = ("-q", "-m", "not nightly", "-p", "no:cacheprovider", str(path))
    start = perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    passed = done.returncode in {PASSED, NOTHING_SELECTED}
    print(f"{'passed' if passed else 'FAILED'} {path} ({perf_counter() - start:.0f} s)", flush=True)
    return "" if passed else "\n".join([f"== {path}", *done.stdout.splitlines()[-LAST_LINES:]])


def main() -> int:
    """0 where each file passes by itself."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, default=[TESTS], metavar="PATH")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="files at once (default: one a core)")
    options = parser.parse_args()
    with ThreadPoolExecutor(options.jobs) as pool:
        failures = [failure for failure in pool.map(failure_of, test_files(options.paths)) if failure]
    print(*failures, sep="\n\n")
    print(f"{len(failures)} files fail by themselves")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
