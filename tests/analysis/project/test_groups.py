"""Files that import each other are linked together, unless they are more than one project can be."""

from __future__ import annotations

import pytest

from trainlint.analysis.project import neighbours
from trainlint.analysis.project.neighbours import divided, groups

FOLDERS = [("/", "env", "torch"), ("/", "env", "torch", "nn"), ("/", "env", "timm"), ("/", "env", "timm"), ("/", "env")]
CHAIN = [{1}, set(), {0, 3}, set(), {2}]
"""Each file, and the files that it imports: all of them are linked to each other."""


@pytest.mark.parametrize(
    ("most", "parts"),
    [
        (50, [{0, 1, 2, 3, 4}]),
        (49, [{0, 1}, {2, 3}, {4}]),
        (20, [{0, 1}, {2, 3}, {4}]),
        (19, [{0}, {1}, {2, 3}, {4}]),
    ],
    ids=["it fits", "packages", "packages that just fit", "folders, which are never divided"],
)
def test_too_large_a_group_is_divided_by_folders(
    most: int, parts: list[set[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neighbours, "MOST_BYTES", most)
    found: dict[int, set[int]] = {}
    for number, group in enumerate(divided(groups(CHAIN), FOLDERS, [10] * 5)):
        found.setdefault(group, set()).add(number)
    assert sorted(found.values(), key=min) == parts


def test_groups_that_are_divided_are_not_mixed_with_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbours, "MOST_BYTES", 20)
    apart = [{1}, {2}, set(), {4}, set()]
    same = [("/", "here")] * 5
    assert len(set(divided(groups(apart), same, [10] * 5))) == 2
