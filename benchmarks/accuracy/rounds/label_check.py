"""Looks a blind label set over before it is scored: every mistake in a sentence of its own."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from benchmarks.accuracy.json_files import BadFile, read_json_lines
from benchmarks.accuracy.labels import Label, LabelSet, Verdict, read_labels
from benchmarks.accuracy.run import CannotScore, clone_of, require_clones

if TYPE_CHECKING:
    from pathlib import Path

EXHAUSTIVE_FILES = 2
"""How many files of a repository are to be labelled exhaustively."""
LEAST_LOOKALIKES, MOST_LOOKALIKES = 1.5, 3.0
"""For one defect, about two look-alikes are to be labelled: fewer or more than this are pointed out."""


def mistakes(directory: Path, clones: Path) -> tuple[str, ...]:
    """What is wrong with a label set, in sentences; empty where it can be scored."""
    try:
        label_set = read_labels(directory, mended=False)
    except BadFile as error:
        return tuple(str(error).splitlines())
    found = [*_of_other_keys(directory / "labels.jsonl"), *_of_groups(label_set), *_of_duplicates(label_set)]
    for repo, _ in label_set.commits:
        found += _of_repository(label_set, repo)
    found += [
        f"exhaustive.json: {repo} has no file {path}"
        for repo, path in sorted(label_set.exhaustive)
        if not (clone_of(clones, repo) / path).is_file()
    ]
    try:
        require_clones(label_set, clones)
    except CannotScore as error:
        found += str(error).splitlines()
    return tuple(found)


def _of_other_keys(path: Path) -> list[str]:
    """Mistakes in the keys that scoring does not read."""
    found = []
    for number, item in read_json_lines(path):
        if not isinstance(item.get("in_loop"), bool):
            found.append(f'{path}, entry {number}: "in_loop" is neither true nor false')
        if not isinstance(item.get("func", 0), str | None):
            found.append(f'{path}, entry {number}: "func" is neither the name of a function nor null')
    return found


def _of_groups(label_set: LabelSet) -> list[str]:
    found = []
    members: defaultdict[str, list[Label]] = defaultdict(list)
    for label in label_set.labels:
        if label.group:
            members[label.group].append(label)
        elif label.verdict is Verdict.DEFECT:
            found.append(f"{_place(label)} is a defect without a group: name one, even if it has this line alone")
    for group, labels in members.items():
        if len({label.repo for label in labels}) > 1:
            found.append(f'the group "{group}" has lines of several repositories, and one defect is in one')
        if len({label.verdict for label in labels}) > 1:
            found.append(f'the group "{group}" mixes defects and look-alikes: {", ".join(map(_place, labels))}')
    return found


def _of_duplicates(label_set: LabelSet) -> list[str]:
    times = Counter((_place(label), label.issue) for label in label_set.labels)
    return [f"{place} has {count} labels of {issue}" for (place, issue), count in times.items() if count > 1]


def _of_repository(label_set: LabelSet, repo: str) -> list[str]:
    found = []
    labels = [label for label in label_set.labels if label.repo == repo]
    defects = len({label.defect for label in labels if label.verdict is Verdict.DEFECT})
    lookalikes = sum(label.verdict is Verdict.LOOKALIKE for label in labels)
    if not labels:
        found.append(f"{repo} has no label")
    elif not LEAST_LOOKALIKES * defects <= lookalikes <= MOST_LOOKALIKES * max(defects, 1):
        found.append(f"{repo} has {defects} defects and {lookalikes} look-alikes: there should be about two for one")
    exhaustive = sum(name == repo for name, _ in label_set.exhaustive)
    if exhaustive != EXHAUSTIVE_FILES:
        found.append(
            f"{repo} has {exhaustive} exhaustive files in exhaustive.json and should have {EXHAUSTIVE_FILES}: "
            "its training loop and one file that the loop calls"
        )
    return found


def _place(label: Label) -> str:
    return f"{label.repo} {label.path}:{label.line}"
