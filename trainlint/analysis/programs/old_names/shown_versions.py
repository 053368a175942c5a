"""Which PyTorch a file must run on, as its own code shows by what it imports and calls without asking for it.

Only fixes ask this, for what they may write. What a project supports is what its files of requirements say, and rules
about old names go by that alone: a file with a name that is gone is to be found all the same.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from trainlint.analysis.conditions.alternatives import depends_on_version, is_tried
from trainlint.analysis.conditions.forms.entry_points import is_main_block
from trainlint.analysis.syntax.blocks import BlockKind, Place
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import imported_names
from trainlint.analysis.tables.versions.introductions import gone_since, introduced_in

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel
    from trainlint.analysis.tables.versions.torch_releases import Shown

_STARTS = ("torch.", "functorch")
_ALWAYS = frozenset({BlockKind.MODULE, BlockKind.CLASS, BlockKind.WITH})


@once
def shown_versions(file: SemanticModel) -> Shown:
    """The oldest PyTorch that the code may run on, and the first that it no longer runs on; None for not known."""
    lower = max(filter(None, map(introduced_in, _needed(file))), default=None)
    upper = min(filter(None, map(gone_since, _needed(file))), default=None)
    return (None, None) if lower is not None and upper is not None and lower >= upper else (lower, upper)


@once
def _needed(file: SemanticModel) -> frozenset[str]:
    """The dotted names of PyTorch without which the file cannot be imported."""
    return frozenset(name for name in _at_import(file) if name.startswith(_STARTS))


def _at_import(file: SemanticModel) -> Iterator[str]:
    """What is imported, and named, at the top of the module, where no test and no `try` chooses."""
    for place in file.outline.import_statements:
        if isinstance(place.node, ast.Import | ast.ImportFrom) and _always_runs(file, place):
            yield from (origin for _, origin in imported_names(place.node))
            if isinstance(place.node, ast.Import):
                yield from (alias.name for alias in place.node.names)
            elif place.node.module and not place.node.level:
                yield place.node.module
    for place in file.outline.references:
        if isinstance(place.node, ast.expr) and _always_runs(file, place):
            origin = file.kinds.imported(place.node, place.block)
            if origin is not None:
                yield origin


def _always_runs(file: SemanticModel, place: Place) -> bool:
    """Whether a place runs as soon as the module is imported, whatever PyTorch offers."""
    if any(block.kind not in _ALWAYS and not is_main_block(block) for block in place.block.outwards()):
        return False
    return not is_tried(file, place.statement) and not depends_on_version(place.block)
