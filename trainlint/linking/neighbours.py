"""Which files work together, by their imports alone: read off the text, before anything is parsed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trainlint.linking.modules import Modules

_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)|import[ \t]+([^\n]+))", re.M)
_NAME = re.compile(r"(?:^|[,(])\s*(\w+)")


def imported_by(text: str) -> list[str]:
    """The dotted origins that a source text imports; relative ones keep their dots."""
    found: list[str] = []
    for module, names, plain in _IMPORT.findall(text):
        if plain:
            found += [part.split()[0] for part in plain.partition("#")[0].split(",") if part.split()]
            continue
        separator = "" if module.endswith(".") else "."
        found += [f"{module}{separator}{name}" for name in _NAME.findall(names)] or [module]
    return found


def imports_among(texts: Sequence[str], modules: Modules) -> list[set[int]]:
    """For each file, the files that it imports."""
    found: list[set[int]] = []
    for number, text in enumerate(texts):
        targets = (modules.resolve(number, origin) for origin in imported_by(text))
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
