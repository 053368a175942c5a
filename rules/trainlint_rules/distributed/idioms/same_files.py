"""Files that all ranks of a run would write."""

from __future__ import annotations

import ast
import re

from trainlint.analysis.conditions.forms.ranks import speaks_of_rank
from trainlint.analysis.conditions.rank_ways import all_ranks_come_here
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Binding, Block, How
from trainlint.analysis.syntax.names import argument, last_name, names_in, nodes_in, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.contract.guard import guard
from trainlint.patterns import lazy

_FOLLOWED = 4
"""How many names are followed from the path back to what made it."""
_OWN = frozenset(
    {"BytesIO", "StringIO", "mkdtemp", "mkstemp", "NamedTemporaryFile", "TemporaryDirectory", "uuid4", "getpid"}
)
"""What each process has of its own."""
_SETTINGS = lazy(r"^(self|args?|cfg|config|opts?|hparams|params|settings|h|flags)$", re.IGNORECASE)
"""Parameters that hold the same on all ranks."""


@guard
def some_ranks_only(site: Site) -> bool:
    """Every path to it checks the rank, or trainlint sees no path to it."""
    return not all_ranks_come_here(site.file, site.block)


@guard
def other_file_on_each_rank(site: Site) -> bool:
    """Each process may write to its own path (the rank, a caller, a buffer, a temporary file)."""
    path = argument(site.call, "f", 1)
    return path is not None and not _is_same_file(path, site.block, _FOLLOWED)


def _is_same_file(path: ast.expr, block: Block, depth: int) -> bool:
    """Whether a path is the same on all ranks, as far as the names in it are followed."""
    if not depth or any(speaks_of_rank(name) for name in names_in(path)):
        return False
    if any(last_name(part.func) in _OWN for part in nodes_in(path) if isinstance(part, ast.Call)):
        return False
    return all(
        _is_same_binding(binding, depth)
        for part in nodes_in(path)
        if isinstance(part, ast.Name)
        for binding in reaching(part.id, block, position(part))
    )


def _is_same_binding(binding: Binding, depth: int) -> bool:
    if binding.how is How.PARAMETER:
        return bool(_SETTINGS.search(binding.name))
    if binding.how is How.ASSIGN and binding.value is not None:
        return _is_same_file(binding.value, binding.block, depth - 1)
    return binding.how in (How.IMPORT, How.FOR, How.AUGMENT)
