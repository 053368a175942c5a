"""The edits that turn an `all_gather` into a list, and the joining of that list, into a gathering into one tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainlint.analysis.site import Site
from trainlint.analysis.tables.collectives import ALL_GATHER_INTO_TENSOR

if TYPE_CHECKING:
    pass


_RENAMED_IN = (2, 13)
_FIRST_WITH_ONE_TENSOR = (1, 13)


def newest_function(site: Site) -> tuple[str, tuple[int, int]]:
    """The newest name of the function that all targeted versions surely have, and the first version that has it."""
    if site.has(_RENAMED_IN):
        return ALL_GATHER_INTO_TENSOR.newest, _RENAMED_IN
    return ALL_GATHER_INTO_TENSOR.name, _FIRST_WITH_ONE_TENSOR
