"""What counts as a source of batches: data loaders and what people wrap around them."""

from __future__ import annotations

import ast
import re

from trainlint.model.blocks import Block, How
from trainlint.model.lookup import reaching
from trainlint.model.names import last_name, position

LOADER_NAME = re.compile(
    r"loader|(^|_)dl($|_)|prefetcher|data_?iter|(train|val|valid|test|eval)_?(iter|set|ds|gen|batches)?($|"
    r"_)iter|iterator|batches|"
    r"(^|_)(train|val|valid|test|eval)(_data|_iter|_set|set|_batches)$",
    re.IGNORECASE,
)
LOADER_CLASSES = frozenset(
    {
        "DataLoader",
        "StatefulDataLoader",
        "WebLoader",
        "NodeLoader",
        "NeighborLoader",
        "LinkNeighborLoader",
        "InfiniteDataLoader",
        "MultiEpochsDataLoader",
    }
)
_WRAPPERS = frozenset(
    "enumerate tqdm trange zip iter islice cycle track log_every progress_bar prange list reversed prefetch "
    "notebook_tqdm "
    "range_progress itertools chain take skip_first_batches MpDeviceLoader ParallelLoader Prefetcher DataPrefetcher "
    "data_prefetcher repeat".split()
)
_UNWRAPPED_ATTRIBUTES = frozenset({"dataset", "sampler", "batch_sampler"})


def is_batch_source(node: ast.expr, block: Block, depth: int = 0) -> bool:
    """Whether iterating this expression yields batches: a loader, by construction or by name, also when wrapped."""
    if depth > 6:
        return False
    if isinstance(node, ast.Call):
        name = last_name(node.func)
        if name in LOADER_CLASSES:
            return True
        if name in _WRAPPERS or name.lower().endswith("tqdm"):
            inside = [
                *node.args,
                *(keyword.value for keyword in node.keywords if keyword.arg in ("iterable", "sequence")),
            ]
            return any(is_batch_source(item, block, depth + 1) for item in inside)
        return bool(LOADER_NAME.search(name)) and name not in ("len", "next")
    if isinstance(node, ast.Starred | ast.Subscript):
        return is_batch_source(node.value, block, depth + 1)
    if isinstance(node, ast.Attribute):
        return node.attr not in _UNWRAPPED_ATTRIBUTES and bool(LOADER_NAME.search(node.attr))
    if isinstance(node, ast.Name):
        for binding in reaching(node.id, block, position(node)):
            if binding.how is How.ASSIGN and binding.value is not None and not binding.path:
                if isinstance(binding.value, ast.Call) and is_batch_source(binding.value, binding.block, depth + 1):
                    return True
                if isinstance(binding.value, ast.List | ast.Dict | ast.ListComp | ast.Constant):
                    return False
        return bool(LOADER_NAME.search(node.id))
    return False
