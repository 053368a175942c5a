"""The scripts that are run, each with what it needs, as its first comments say."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

SCRIPTS = Path(__file__).parent / "scripts"
SEED = 20261128
"""Of the lot that splits the libraries."""
_FIELD = re.compile(r"# (requires|packages|kind): (.+)")


class BadScript(ValueError):
    """A script does not say what it needs; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Script:
    """A short training with a library's own means."""

    name: str
    path: Path
    requires: tuple[str, ...]
    """What pip is to install, with pinned versions."""
    packages: tuple[str, ...]
    """The packages whose lines are counted, as they are imported."""
    kind: str
    """As in "vision"; for a row of the table."""


def read_scripts(directory: Path = SCRIPTS) -> tuple[Script, ...]:
    """All scripts, by name. Raises BadScript."""
    return tuple(read_script(path) for path in sorted(directory.glob("*.py")))


def read_script(path: Path) -> Script:
    """A script and the comments at its top: `# requires:`, `# packages:` and `# kind:`. Raises BadScript."""
    found: dict[str, str] = {}
    for line in path.read_text("utf-8").splitlines():
        if not line.startswith("#"):
            break
        if field := _FIELD.fullmatch(line):
            found[field[1]] = field[2]
    missing = [name for name in ("requires", "packages", "kind") if name not in found]
    if missing:
        raise BadScript(f"{path}: write `# {missing[0]}: ...` at its top, as the other scripts do")
    return Script(path.stem, path, tuple(found["requires"].split()), tuple(found["packages"].split()), found["kind"])


def for_development(packages: Sequence[str], spent: Sequence[str] = ()) -> frozenset[str]:
    """The half of the packages whose misses may be looked at, by lot, and those that are spent."""
    drawn = sorted(set(packages))
    random.Random(SEED).shuffle(drawn)  # noqa: S311 - a lot that anybody can draw again
    return frozenset(drawn[: len(drawn) // 2]) | frozenset(spent)
