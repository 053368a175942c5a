"""Methods of modules of which the module itself is the result."""

from __future__ import annotations

RETURN_SELF = frozenset(
    "to cuda cpu train eval half float double bfloat16 requires_grad_ apply share_memory compile to_empty "
    "merge_and_unload".split()
)
