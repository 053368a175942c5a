"""The headline figures of one run as a row of a Markdown table, to be appended after each larger step."""

from __future__ import annotations

import subprocess
from datetime import date
from typing import TYPE_CHECKING

from benchmarks.accuracy.report import mended_shares
from benchmarks.accuracy.score import by_scope, figures
from benchmarks.accuracy.tables import share
from benchmarks.accuracy.vocabulary import ISSUES

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.accuracy.report import Outcome

HEADER = (
    "| date | commit | issues with rules | recall | needs another function or file | look-alikes flagged"
    " | strict precision | mended: flagged before | silent after |"
)
"""What stands above the rows; below it belongs a line of `| --- |` for each column."""


def history_line(outcome: Outcome, commit: str, day: date) -> str:
    """One row under `HEADER`."""
    headline = outcome.headline
    of = figures(headline)
    scopes = by_scope(headline)
    before, after, _ = mended_shares(headline.mended)
    cells = (
        day.isoformat(),
        commit,
        f"{len(outcome.covered)} of {len(ISSUES)}",
        share(of.recall),
        share(scopes["interproc"].recall) if "interproc" in scopes else "-",
        share(of.lookalikes),
        share(of.precision),
        before,
        after,
    )
    return f"| {' | '.join(cells)} |"


def commit_of(directory: Path) -> str:
    """The short name of the commit that is checked out, with a "+" where tracked files differ from it.

    "-" where the directory is in no repository of Git.
    """
    named = _git(directory, "rev-parse", "--short", "HEAD")
    if named is None:
        return "-"
    changed = _git(directory, "status", "--porcelain", "--untracked-files=no")
    return f"{named}+" if changed else named


def _git(directory: Path, *arguments: str) -> str | None:
    command = ["git", "-C", str(directory), *arguments]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return None if result.returncode else result.stdout.strip()
