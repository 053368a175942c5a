"""Which files work together, by their imports alone."""

from __future__ import annotations

from collections.abc import Sequence

from trainlint.linking.modules import Modules


def imports_among(origins: Sequence[Sequence[str]], modules: Modules) -> list[set[int]]:
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
