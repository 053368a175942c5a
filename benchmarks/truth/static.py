"""What a trainlint says of copies of packages, each judged as a project: its findings, and why it misses lines."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.truth.compare import Flag
from benchmarks.truth.failures import NotRun, last_line
from benchmarks.truth.reasons import reason_of


class Judge(NamedTuple):
    """A trainlint and what it reads."""

    program: Sequence[str]
    directory: str
    """Holds the copies."""


@contextmanager
def judge_of(packages: Mapping[str, str], trainlint: Path | None = None) -> Iterator[Judge]:
    """Copies of packages, which are gone afterwards.

    Args:
        packages: the name of each → where it lies.
        trainlint: the program of another version, to compare it with; None is this one.
    """
    with tempfile.TemporaryDirectory(prefix="trainlint-truth-") as directory:
        for place in map(Path, packages.values()):
            if place.is_dir():
                shutil.copytree(place, Path(directory) / place.name, ignore=shutil.ignore_patterns("*.so", "*.pyc"))
            else:
                shutil.copy(place, directory)
        yield Judge([str(trainlint)] if trainlint else [sys.executable, "-m", "trainlint"], directory)


def flags_of(judge: Judge) -> tuple[Flag, ...]:
    """The findings at every level. Raises NotRun."""
    shown = {_place(item) for item in _findings(judge)}
    everything = _findings(judge, "--select", "ALL", "--preview", "--min-confidence", "unlikely")
    return tuple(
        Flag(path, first, last, code, is_default=(path, first, last, code) in shown)
        for path, first, last, code in sorted({*map(_place, everything), *shown})
    )


def reasons_of(
    judge: Judge, places: Iterable[tuple[str, int]], codes: Collection[str]
) -> Mapping[tuple[str, int], str]:
    """Why no default finding names some lines; of those about which trainlint gives no answer nothing is said.

    Args:
        judge: who is asked.
        places: path and line of each.
        codes: the rules that could name them.
    """
    found = {}
    for path, group in groupby(sorted(places), key=lambda place: place[0]):
        lines = [line for _, line in group]
        asked = f"{path}:{lines[0]}-{lines[-1]}"
        try:
            answer = _answer(judge, "why", asked, "--isolated")
        except NotRun:
            continue
        found.update({(path, line): reason_of(answer, line, codes) for line in lines})
    return found


def _findings(judge: Judge, *options: str) -> Sequence[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = _answer(judge, "check", ".", "--isolated", *options)["findings"]
    return found


def _answer(judge: Judge, *words: str) -> Mapping[str, Any]:
    """The JSON of a command. Raises NotRun."""
    command = [*judge.program, *words, "--output-format", "json"]
    ended = subprocess.run(command, cwd=judge.directory, check=False, capture_output=True, text=True)
    try:
        answer: Mapping[str, Any] = json.loads(ended.stdout)
    except ValueError:
        raise NotRun(f"trainlint gave no report: {last_line(ended.stderr)}") from None
    return answer


def _place(finding: Mapping[str, Any]) -> tuple[str, int, int, str]:
    span = finding["span"]
    return str(finding["path"]), span["start_line"], span["end_line"], str(finding["code"])
