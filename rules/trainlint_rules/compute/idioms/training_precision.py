"""Guards about the precision in which a network trains."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import constant, nodes_in
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.analysis.tables.signs import FLOAT64, QUANTISED, SMALL, SMALL_IMAGES
from trainlint.contract.guard import guard
from trainlint.contract.guards.names import shows
from trainlint.contract.guards.programs import uses

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel
    from trainlint.analysis.site import Site

_NARROW = 64
"""Up to this many channels, products of small images do not fill tensor cores, and casts cost more than they spare."""
trains_in_16_bits = uses("training uses 16 bits", FactKind.AUTOCAST, FactKind.HALF_WEIGHTS, FactKind.GRAD_SCALER)
in_float64 = shows("the code is in float64", FLOAT64)
quantised = shows("the code is quantised", QUANTISED)
trains_little = shows("the code trains on a small data set, graphs or a simulator", *SMALL)
_uses_half = uses("the type of the forward is one of 16 bits", FactKind.AUTOCAST, FactKind.HALF_WEIGHTS)


@guard
def trains_in_float32(site: Site) -> bool:
    """Training is in float32, where the gain is uncertain."""
    return not _uses_half.holds(site)


@guard
def holds_other_layers(site: Site) -> bool:
    """The network holds attention or convolutions in three dimensions."""
    return any(use.kind is FactKind.NETWORK and use.detail != "conv2d" for use in site.file.used_around)


@guard
def narrow_network(site: Site) -> bool:
    """The network is for images of CIFAR's size, and no layer is wider than 64."""
    return site.file.names.show(SMALL_IMAGES) and 0 < _greatest_width(site.file) <= _NARROW


@once
def _greatest_width(file: SemanticModel) -> int:
    """The greatest whole number that the constructors of a file's modules pass on; 0 where it defines none."""
    builders = (
        cls.methods["__init__"].node
        for cls in file.outline.classes.values()
        if "forward" in cls.methods and "__init__" in cls.methods
    )
    numbers = (
        constant(given)
        for builder in builders
        for call in nodes_in(builder)
        if isinstance(call, ast.Call)
        for given in (*call.args, *(keyword.value for keyword in call.keywords))
    )
    return max((number for number in numbers if isinstance(number, int)), default=0)
