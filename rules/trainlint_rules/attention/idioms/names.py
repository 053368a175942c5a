"""Guards about what the code around a place is called."""

from __future__ import annotations

import re

from trainlint.analysis.site import Site
from trainlint.contract.guard import Guard


def around_is_named(sentence: str, pattern: re.Pattern[str]) -> Guard:
    """A guard: the qualified name of the function around it, with its classes, holds a pattern."""

    def holds(site: Site) -> bool:
        return site.function is not None and pattern.search(site.function.qualified_name) is not None

    return Guard(sentence, holds)
