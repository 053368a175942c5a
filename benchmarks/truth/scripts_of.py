"""The scripts that are run, each with what it needs, as its first comments say."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

SCRIPTS = Path(__file__).parent / "scripts"
SEED = 20261128
"""Of the lot that splits the libraries."""
SPENT = (
    "d3rlpy",
    "denoising_diffusion_pytorch",
    "diffusers",
    "fastai",
    "lightning",
    "pykeen",
    "pyro",
    "pytorch_forecasting",
    "pytorch_tabnet",
    "scvi",
    "sentence_transformers",
    "skorch",
    "stable_baselines3",
    "torchdiffeq",
    "torchmetrics",
    "transformers",
    "trl",
    "vector_quantize_pytorch",
    "x_transformers",
)
"""Packages whose misses have been looked at, whatever the lot says. Those of the first try are among them."""
_FIELD = re.compile(r"# (repository|requires|packages|kind|per): (.+)")


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
    per: str = ""
    """The function that takes a step of the environment, in reinforcement learning."""
    repository: str = ""
    """Of GitHub, with its commit: "karpathy/nanoGPT@3adf...". Then `packages` are folders of it."""


def read_scripts(directory: Path = SCRIPTS) -> tuple[Script, ...]:
    """All scripts, by name. Raises BadScript."""
    return tuple(read_script(path) for path in sorted(directory.glob("*.py")))


def read_script(path: Path) -> Script:
    """A script and what the comments at its top say, such as `# requires: torch`. Raises BadScript."""
    found: dict[str, str] = {}
    for line in path.read_text("utf-8").splitlines():
        if not line.startswith("#"):
            break
        if field := _FIELD.fullmatch(line):
            found[field[1]] = field[2]
    missing = [name for name in ("requires", "packages", "kind") if name not in found]
    if missing:
        raise BadScript(f"{path}: write `# {missing[0]}: ...` at its top, as the other scripts do")
    requires, packages = (tuple(found[name].split()) for name in ("requires", "packages"))
    return Script(path.stem, path, requires, packages, found["kind"], found.get("per", ""), found.get("repository", ""))


def for_development(packages: Iterable[str], spent: Collection[str] = SPENT) -> frozenset[str]:
    """The packages whose misses may be looked at: about half of them by lot, and those that are spent.

    Each package draws by itself, so that a new one changes nothing for the others.
    """
    drawn = (name for name in packages if hashlib.sha256(f"{SEED} {name}".encode()).digest()[0] % 2)
    return frozenset(drawn) | frozenset(spent)
