"""Which files work together, by their imports and, where these join more than one project, by their directories."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from trainlint.analysis.project.modules import Modules

MOST_BYTES = 64_000_000
"""Bytes of source that are linked at a time, which takes some 600 MB of memory. transformers 4.57 has 52 MB in all."""


def imports_among(origins: Sequence[Iterable[str]], modules: Modules) -> list[set[int]]:
    """For each file, the files that it imports, of the dotted origins of its imports."""
    found: list[set[int]] = []
    for number, imported in enumerate(origins):
        targets = (modules.resolve(number, origin) for origin in imported)
        found.append({target[0] for target in targets if target is not None} - {number})
    return found


def groups(imports: Sequence[set[int]]) -> list[int]:
    """For each file, the number of its group: files that import each other, at any distance, share one."""
    leader = list(range(len(imports)))

    def find(number: int) -> int:
        while leader[number] != number:
            leader[number] = leader[leader[number]]
            number = leader[number]
        return number

    for number, targets in enumerate(imports):
        for target in targets:
            leader[find(target)] = find(number)
    return [find(number) for number in range(len(imports))]


def divided(groups: Sequence[int], folders: Sequence[tuple[str, ...]], sizes: Sequence[int]) -> list[int]:
    """The same groups, but that those of more than MOST_BYTES are divided by their directories, from the outermost on.

    `folders` are the parts of the absolute path of each file's directory, `sizes` those of the files in bytes. Such a
    group is no project but a collection of packages, as an environment is. The files of one directory stay together.
    """
    found = list(groups)
    members: dict[int, list[int]] = {}
    for number, group in enumerate(groups):
        members.setdefault(group, []).append(number)
    waiting = [(numbers, 0) for numbers in members.values()]
    while waiting:
        numbers, depth = waiting.pop()
        if sum(sizes[number] for number in numbers) > MOST_BYTES and any(len(folders[n]) > depth for n in numbers):
            parts: dict[tuple[str, ...], list[int]] = {}
            for number in numbers:
                parts.setdefault(folders[number][: depth + 1], []).append(number)
            waiting += [(part, depth + 1) for part in parts.values()]
        else:
            for number in numbers:
                found[number] = numbers[0]
    return found
