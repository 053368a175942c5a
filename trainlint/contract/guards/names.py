"""Guards about the names that the code of a file uses. Comments, docstrings and sentences do not count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainlint.contract.guard import Guard

if TYPE_CHECKING:
    from trainlint.analysis.site import Site
    from trainlint.analysis.tables.signs import Sign


def shows(sentence: str, *signs: Sign) -> Guard:
    """A guard: the file uses a name of one of these signs."""

    def holds(site: Site) -> bool:
        return any(site.file.names.show(sign) for sign in signs)

    return Guard(sentence, holds)
