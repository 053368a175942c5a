"""Who is measured: trainlint in its several ways, other linters, and the least that any of them must do."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from benchmarks.speed.measure import SANE

HERE = Path(__file__).resolve().parent

COLD = "trainlint"
"""The name of the run that all others are compared with: one core, no cache."""
FIRST = "trainlint-first"
WARM = "trainlint-warm"
TWO_CORES = "trainlint-two-cores"
UNHURRIED = "trainlint-unhurried"
"""Without the gate, and with all rules imported first: it must report the same."""
PYTHON = "python"
"""Python with the modules that no linter can do without, and nothing to do."""
AST = "limit-ast"
LIBCST = "limit-libcst"
READ = "limit-read"


class Cache(Enum):
    """What a run of trainlint finds in its cache."""

    NONE = "none"
    EMPTY = "empty"
    FILLED = "filled"
    EDITED = "edited"
    """What an earlier run left there, before the first of its files was edited."""


@dataclass(frozen=True, slots=True)
class Contestant:
    """A command, to which the paths are added."""

    name: str
    title: str
    """What the page calls it."""
    command: tuple[str, ...]
    cores: int = 1
    """How many it may use."""
    cache: Cache | None = None
    """Only of trainlint: `--cache-dir` or `--no-cache` is added to its command."""
    slow: bool = False
    """Whether it is held to a sample of a large repository."""
    sane: frozenset[int] = SANE
    """Exit codes with which it did its work."""
    absent: str = ""
    """Why it cannot run."""
    version: str = ""

    @property
    def ours(self) -> bool:
        """Whether it is trainlint, whose report must be the same however it ran."""
        return self.cache is not None


_CHECK = ("check", "--isolated", "--quiet", "--output-format", "json")


def trainlint() -> tuple[Contestant, ...]:
    """The several ways of running trainlint."""
    check = (*program(), *_CHECK)
    unhurried = (sys.executable, str(HERE / "unhurried.py"), *_CHECK, "-j1")
    return (
        _ours(COLD, "trainlint", (*check, "-j1"), Cache.NONE),
        _ours(FIRST, "trainlint, filling its cache", (*check, "-j1"), Cache.EMPTY),
        _ours(WARM, "trainlint, nothing changed since", (*check, "-j1"), Cache.FILLED),
        _ours(TWO_CORES, "trainlint on two cores", (*check, "-j2"), Cache.NONE, cores=2),
        _ours(UNHURRIED, "trainlint, every file judged by every rule", unhurried, Cache.NONE),
    )


def _ours(name: str, title: str, command: tuple[str, ...], cache: Cache, cores: int = 1) -> Contestant:
    # Exit code 2: some file could not be judged, which the report names.
    return Contestant(name, title, command, cores, cache, sane=SANE | {2})


def program() -> tuple[str, ...]:
    """The command of trainlint as users start it, of the Python that runs this."""
    script = Path(sys.executable).parent / "trainlint"
    return (str(script),) if script.is_file() else (sys.executable, "-m", "trainlint")


def limits() -> tuple[Contestant, ...]:
    """What every linter must do at the least, with this Python."""
    # -I: no module beside the script may stand in for one of Python's own.
    script = (sys.executable, "-I", str(HERE / "limits.py"))
    return (
        Contestant(READ, "bare: read the files", (*script, "read")),
        Contestant(AST, "bare: `ast.parse` and one `ast.walk`", (*script, "ast")),
        Contestant(LIBCST, "bare: `libcst.parse_module`", (*script, "libcst"), slow=True),
    )


def bare_python() -> Contestant:
    """Python's own start."""
    return Contestant(
        PYTHON, '`python -c "import argparse, ast, json"`', (sys.executable, "-c", "import argparse, ast, json")
    )


@dataclass(frozen=True, slots=True)
class _Peer:
    """Another linter: the program, the package that brings it, and how it is asked."""

    name: str
    title: str
    package: str
    command: tuple[str, ...]
    slow: bool = True
    sane: frozenset[int] = SANE


_OR_NOT_ALL = SANE | {2, 3}
"""Exit codes as well of a run in which some file could not be judged."""
_RUFF = ("ruff", "check", "--isolated", "--no-cache")
_PEERS = (
    _Peer("torchfix", "TorchFix `--select=ALL`", "torchfix", ("torchfix", "--select=ALL", "-j1")),
    _Peer("fixit", "Fixit", "fixit", ("fixit", "lint"), sane=_OR_NOT_ALL),
    _Peer("torch-preflight", "torch-preflight", "torch-preflight", ("torch-preflight", "check", "-j1")),
    _Peer("hotpath-ai", "hotpath-ai", "hotpath-ai", ("hotpath", "analyze"), slow=False),
    _Peer("ruff", "ruff", "ruff", _RUFF, slow=False),
    _Peer("ruff-all", "ruff `--select ALL`", "ruff", (*_RUFF, "--select", "ALL"), slow=False),
)
SLOW_PEERS = tuple(peer.name for peer in _PEERS if peer.slow)
RUFF_ALL = "ruff-all"


def peers(environments: Sequence[Path]) -> Iterator[Contestant]:
    """The other linters, each out of the first environment that has it, or from PATH."""
    for peer in _PEERS:
        program, *options = peer.command
        found = _find(program, environments)
        if found is None:
            absent = f"there is no `{program}` on PATH" + (" or where --peers says" if environments else "")
            yield Contestant(peer.name, peer.title, peer.command, slow=peer.slow, absent=absent)
        else:
            yield Contestant(
                peer.name,
                peer.title,
                (str(found), *options),
                slow=peer.slow,
                sane=peer.sane,
                version=_version(found, peer.package),
            )


def _find(program: str, environments: Sequence[Path]) -> Path | None:
    for environment in environments:
        path = environment / "bin" / program
        if path.is_file() and os.access(path, os.X_OK):
            return path
    found = shutil.which(program)
    return Path(found) if found else None


_ASK = """\
import sys
from importlib.metadata import requires, version
words = version(sys.argv[1])
if any(line.startswith("libcst") for line in requires(sys.argv[1]) or ()):
    words += " with LibCST " + version("libcst")
print(words)
"""


def _version(program: Path, package: str) -> str:
    """The version of a package, as the Python beside its program knows it."""
    python = program.absolute().parent / "python"
    asked = subprocess.run([python, "-c", _ASK, package], capture_output=True, text=True, check=False)
    return asked.stdout.strip() if asked.returncode == 0 else "of unknown version"
