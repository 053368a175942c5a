"""The least that a linter must do, bare: `python limits.py read|ast|libcst PATH...`.

read      read every Python file
ast       and parse it with `ast`, and walk over every node once
libcst    and parse it with LibCST, and nothing else

Files that cannot be parsed are passed over. The garbage collector is off: trees have no cycles, and none of these
should look slower than it has to be.
"""

from __future__ import annotations

import ast
import gc
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path


def read(data: bytes) -> None:
    """Nothing more: the file has been read."""


def parse_and_walk(data: bytes) -> None:
    """One tree, one look at each of its nodes."""
    for _ in ast.walk(ast.parse(data)):
        pass


def _libcst() -> Callable[[bytes], object]:
    import libcst

    return libcst.parse_module


def _files(paths: list[str]) -> Iterator[Path]:
    for path in map(Path, paths):
        yield from sorted(path.rglob("*.py")) if path.is_dir() else [path]


def main() -> int:
    """Do it to every file."""
    name, *paths = sys.argv[1:]
    work = {"read": lambda: read, "ast": lambda: parse_and_walk, "libcst": _libcst}[name]()
    gc.disable()
    warnings.simplefilter("ignore")
    for path in _files(paths):
        data = path.read_bytes()
        try:
            work(data)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        except Exception as error:  # LibCST's class, which is imported only where it is used
            if type(error).__name__ != "ParserSyntaxError":
                raise
    return 0


if __name__ == "__main__":
    sys.exit(main())
