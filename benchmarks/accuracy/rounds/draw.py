"""Draws the repositories of a round from a pool, at random."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from benchmarks.accuracy.json_files import BadFile, each, objects, read_json, text

if TYPE_CHECKING:
    from pathlib import Path

_REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*/(?!\.)[A-Za-z0-9._-]+")
SPARE = 5
"""How many more are named, to take the place of those that cannot be fetched."""


def read_pool(path: Path) -> tuple[str, ...]:
    """The repositories of a pool file. Raises BadFile where it lists none or one that is no "owner/name"."""
    listed = read_json(path)
    repos = listed.get("repos") if isinstance(listed, dict) else None
    if not (isinstance(repos, list) and repos):
        raise BadFile(f'{path} has no list "repos"')
    # The names are printed as commands to copy into a shell, so nothing else than a name may stand there.
    wrong = [repo for repo in repos if not (isinstance(repo, str) and _REPOSITORY.fullmatch(repo))]
    if wrong:
        raise BadFile("\n".join(f'{path}: {repo!r} is no "owner/name"' for repo in wrong))
    return tuple(repos)


def used_otherwise(directory: Path) -> tuple[str, ...]:
    """What served for something else than a round: label sets for development, and the lines of `drawn.txt`.

    There, a line that begins with `#` is a comment. Raises BadFile where a label set lists no repositories.
    """
    sets = sorted(directory.glob("development/*/repos.json"))
    labelled = [
        repo for path in sets for repo in each(path, objects(path, read_json(path)), lambda item: text(item, "repo"))
    ]
    lines = (line.strip() for line in (directory / "drawn.txt").read_text(encoding="utf-8").splitlines())
    return (*labelled, *(line for line in lines if line and not line.startswith("#")))


def drawn(pool: Iterable[str], left_out: Iterable[str], *, count: int, seed: int) -> tuple[str, ...]:
    """`count` repositories at random, and some to spare: the same ones for the same seed, pool and rounds so far.

    Of two with the same last part only the first drawn is kept, as clones lie under it.
    Raises ValueError where fewer than `count` are left.
    """
    unwanted = {repo.lower() for repo in left_out}
    left = sorted({repo for repo in pool if repo.lower() not in unwanted}, key=str.lower)
    random.Random(seed).shuffle(left)  # noqa: S311 - a draw that can be repeated, and no secret
    one_of_each_name = {repo.rpartition("/")[2].lower(): repo for repo in reversed(left)}.values()
    kept = [repo for repo in left if repo in one_of_each_name]
    if len(kept) < count:
        raise ValueError(f"{count} repositories are asked for, and the pool has {len(kept)} left")
    return tuple(kept[: count + SPARE])


def as_text(repos: Sequence[str], *, count: int, seed: int) -> str:
    """What to clone, as commands for a shell. Nothing is fetched here."""
    clones = (f"git clone https://github.com/{repo} CLONES/{repo.rpartition('/')[2]}" for repo in repos[:count])
    lines = [f"# Drawn with seed {seed}", *clones]
    if repos[count:]:
        lines.append(f"# If one cannot be fetched, take the next of: {' '.join(repos[count:])}")
    return "\n".join(lines) + "\n"
