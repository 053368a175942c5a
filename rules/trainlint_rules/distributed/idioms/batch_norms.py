"""Batch norms of a network, and the batches that each process feeds to them."""

from __future__ import annotations

import ast

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, Class, How
from trainlint.analysis.syntax.names import constant, nodes_in, position
from trainlint.analysis.syntax.reaching import reaching, single_value
from trainlint.contract.guard import guard
from trainlint.patterns import lazy

_BATCH_NORM = lazy(r"^torch\.nn\.(modules\.batchnorm\.)?BatchNorm[123]d$")
_NETWORKS = lazy(r"^torchvision\.models\.(\w+\.)*(wide_)?(res|dense|mobile|shuffle|google|efficient|mnas|reg)ne?x?t")
"""Networks of torchvision with batch norm."""
_FOLLOWED = 4
_FEW = 8
"""Samples of a process whose statistics are estimated badly."""


def largest_batch(file: SemanticModel) -> int | None:
    """The largest batch that a loader of the file draws; None where one of them is not written out."""
    sizes = []
    for loader in file.loaders.built.values():
        given = file.loaders.option(loader, "batch_size")
        value = given.value if given.given else None
        size = constant(single_value(value, loader.block) or value) if value is not None else ...
        if not isinstance(size, int):
            return None
        sizes.append(size)
    return max(sizes, default=None)


def has_batch_norm(file: SemanticModel, node: ast.expr, block: Block, depth: int = _FOLLOWED) -> bool:
    """Whether an expression is a network with batch norm: of torchvision, or of a class of the file."""
    match node:
        case ast.Call(func=func) if depth:
            if _NETWORKS.search(file.kinds.imported(func, block) or ""):
                return True
            cls = file.graph.instance_class(node, block)
            if cls is not None:
                return _builds_batch_norm(file, cls)
            return isinstance(func, ast.Attribute) and has_batch_norm(file, func.value, block, depth - 1)
        case ast.Name(id=name) if depth:
            return any(
                has_batch_norm(file, item.value, item.block, depth - 1)
                for item in reaching(name, block, position(node))
                if item.how is How.ASSIGN and item.value is not None
            )
    return False


def _builds_batch_norm(file: SemanticModel, cls: Class) -> bool:
    inside = {part for part in nodes_in(cls.node) if isinstance(part, ast.expr)}
    return any(
        place.node in inside and _BATCH_NORM.match(file.kinds.imported(place.node, place.block) or "")
        for place in file.outline.references
        if isinstance(place.node, ast.expr)
    )


@guard
def enough_samples(site: Site) -> bool:
    """A process has more than 8 samples per batch, or trainlint cannot tell how many."""
    size = largest_batch(site.file)
    return size is None or size > _FEW
