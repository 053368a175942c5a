"""What a training step gains by copies from pinned memory that do not wait, as far as the file shows."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from enum import Enum, auto

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, How
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import last_name, nodes_in, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.tables.signs import IMAGES_WITH_CAPTIONS, SIGNALS
from trainlint.analysis.tables.waits.device_copies import COPIES, TAKING_NON_BLOCKING
from trainlint.analysis.types.loaders import Loader
from trainlint_rules.data import LoaderRule
from trainlint_rules.data.idioms.datasets import Items
from trainlint_rules.data.idioms.loader_purposes import copies_by_loader
from trainlint_rules.data.idioms.loading_work import items_at
from trainlint_rules.sync.idioms.copies import cast_on_host, copied, copies_to_cuda, says_whether_to_wait
from trainlint_rules.sync.idioms.host_memory.pageable import Why, pageable
from trainlint_rules.sync.idioms.reads_besides import reads_besides

_DEEPEST = 6


class Gain(Enum):
    """What a step gains."""

    NONE = auto()
    LITTLE = auto()
    """At most microseconds, or nothing: that is left to who asks for it."""
    LIKELY = auto()


def gain_of_copying(copies: Sequence[Site], loaders: Sequence[Site]) -> Gain:
    """What a step gains if these copies of one batch go on. `loaders` are those that would pin it.

    It gains nothing where the same function copies a part of the batch that it has computed on the host: that lies in
    pageable memory, and the host waits for it, whatever becomes of the other parts.
    """
    first, changed = copies[0], [_changes_type(copy) for copy in copies]
    sources = first.file.batches.sources(copied(first), first.block)
    computing = {copy.function for loader in sources for copy in _computed_copies(first.file).get(loader, ())}
    if all(changed) or first.function in computing or any(map(_is_computed, copies)):
        return Gain.NONE
    gain = _gain_beside_a_wait(first.file, loaders) if loaders and reads_besides(first) else Gain.LIKELY
    return Gain.LITTLE if gain is Gain.LIKELY and any(changed) else gain


def gain_of_pinning(site: Site) -> Gain:
    """What a step gains if the loader that is built at a place pins memory, and its copies stay as they are."""
    copies = _copies_in_steps(site)
    computing = {copy.function for copy in _computed_copies(site.file).get(LoaderRule.loader(site), ())}
    left = [copy for copy in copies if copy.function not in computing]
    if not left:
        return Gain.NONE if computing else Gain.LIKELY
    if all(map(_changes_type, left)):
        return Gain.NONE
    return _gain_beside_a_wait(site.file, [site]) if all(map(_waits, left)) else Gain.LIKELY


def _copies_in_steps(built: Site) -> list[Site]:
    """The copies of a loader's batches to the device: those in training steps where there are some."""
    places = copies_by_loader(built.file).get(LoaderRule.loader(built), ())
    copies = [Site(built.file, place) for place in places]
    return [copy for copy in copies if copy.heat.heat.in_step] or copies


def _waits(copy: Site) -> bool:
    """Whether a copy waits, and the step reads a tensor to the host besides."""
    return _batch(copy) is not None and not says_whether_to_wait(copy) and reads_besides(copy)


@once
def _computed_copies(file: SemanticModel) -> dict[Loader, list[Site]]:
    """The copies to the device of what is computed on the host from a loader's batches."""
    found: dict[Loader, list[Site]] = {}
    for name in TAKING_NON_BLOCKING if file.loaders.built else ():
        for place in file.outline.calls.get(name, ()):
            copy = Site(file, place)
            batch = _batch(copy)
            if batch is not None and _is_computed(copy) and copies_to_cuda(copy):
                for loader in _drawn_from(file, batch, place.block, 0):
                    found.setdefault(loader, []).append(copy)
    return found


def _drawn_from(file: SemanticModel, node: ast.expr, block: Block, depth: int) -> set[Loader]:
    """The loaders whose batches go into an expression, also through functions of libraries."""
    found: set[Loader] = set()
    for part in nodes_in(node) if depth <= _DEEPEST else ():
        if isinstance(part, ast.Name):
            found |= file.batches.sources(part, block)
            for binding in reaching(part.id, block, position(part)):
                if binding.how is How.ASSIGN and binding.value is not None:
                    found |= _drawn_from(file, binding.value, binding.block, depth + 1)
    return found


def _gain_beside_a_wait(file: SemanticModel, loaders: Sequence[Site]) -> Gain:
    """The same where the step reads a tensor to the host in any case: a large batch still takes its time."""
    found = {items_at(loader) for loader in loaders}
    if found == {Items.MEMORY}:
        return Gain.NONE
    return Gain.LIKELY if file.names.show(SIGNALS, IMAGES_WITH_CAPTIONS) else Gain.LITTLE


def _batch(copy: Site) -> ast.expr | None:
    """What a call copies; None for functions of the project's own that bring a batch to the device."""
    known = isinstance(copy.call.func, ast.Attribute) and last_name(copy.call.func) in COPIES
    return copied(copy) if known else None


def _is_computed(copy: Site) -> bool:
    """Whether this surely copies another tensor than the loader's: a cast may be to the type that it has."""
    batch = _batch(copy)
    found = pageable(copy.file, batch, copy.block) if batch is not None else None
    return found is not None and found.why is not Why.CAST


def _changes_type(copy: Site) -> bool:
    """Whether a batch is cast on the host before a copy, by which it leaves pinned memory.

    A cast to float mostly changes nothing: what loaders collate of fractions is of that type.
    """
    batch = _batch(copy)
    return batch is not None and cast_on_host(copy, batch) not in (None, "float")
