"""What surely does not happen around a training loop: asked only where the whole way into the loop is in sight."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainlint.analysis.programs.evaluation import forwards_with_graph, steps_environment
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.tables.fact_kinds import FactKind, Use
from trainlint.analysis.tables.signs import ACCELERATOR, CUDA, MOVES, REMOTE
from trainlint.finding import LoopKind

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel
    from trainlint.analysis.site import Site


@dataclass(frozen=True, slots=True)
class ProofOfAbsence:
    """A training loop on CUDA with all that the project uses on the way into it and out of it."""

    loop: Block
    used: frozenset[Use]

    def uses(self, *kinds: FactKind) -> bool:
        """Whether anything of these kinds is used, or spoken of."""
        return any(use.kind in kinds for use in self.used)

    def shown_at(self, file: SemanticModel) -> ast.expr:
        """Where a finding about the loop is shown: at its first forward, else at its head."""
        forwards = forwards_with_graph(file, self.loop)
        node = forwards[0].node if forwards else self.loop.node
        if isinstance(node, ast.expr):
            return node
        assert isinstance(node, ast.For | ast.AsyncFor | ast.While)
        return node.test if isinstance(node, ast.While) else node.iter

    def details(self, kind: FactKind) -> set[str]:
        """The details of all uses of one kind."""
        return {use.detail for use in self.used if use.kind is kind}


def way_into_training(site: Site) -> ProofOfAbsence | None:
    """What is in sight of the way into a loop that trains on CUDA; None for another loop.

    Loops inside a step (critics of a GAN, updates of an agent), simulators, tests and benchmarks have none.
    """
    loop = site.file.outline.loop_blocks.get(site.node)
    if loop is None or site.file.heats.kind(loop) is not LoopKind.STEP or is_test_path(site.path):
        return None
    outer = [block for block in loop.loops() if block is not loop]
    if site.file.heats.of(loop.parent or loop).heat.in_step:
        return None
    if any(steps_environment(site.file, block) for block in (loop, *outer)) or not _on_cuda(site.file):
        return None
    return ProofOfAbsence(loop, site.file.used_around)


def _on_cuda(file: SemanticModel) -> bool:
    """Whether a file trains on CUDA where there is one: it says so, or it moves things to a device that others name."""
    names = file.names
    if names.show(REMOTE):  # the model lives in other processes, which run it in their own way
        return False
    return names.show(CUDA) or names.show(ACCELERATOR) or (file.outside.names_device and names.show(MOVES))
