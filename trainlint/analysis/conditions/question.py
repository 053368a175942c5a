"""One test whose meaning is asked for, with where it stands."""

from __future__ import annotations

import ast

from trainlint.analysis.conditions.branch_bodies import assigns
from trainlint.analysis.conditions.condition import UNKNOWN, Condition
from trainlint.analysis.conditions.option_defaults import Flags
from trainlint.analysis.syntax.blocks import Binding, Block
from trainlint.analysis.syntax.names import position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Question:
    """Which condition holds where `test` comes out as `outcome`?"""

    test: ast.expr
    outcome: bool
    block: Block
    """Where the test stands, or the branch that it opens."""
    flags: Flags
    """What options are by default."""
    evaluate: Callable[[Question], Condition]
    """Reads another question: forms need it, and the evaluator knows the forms."""
    depth: int = 0

    def ask(self, test: ast.expr, outcome: bool, block: Block | None = None) -> Condition:
        """The condition of another test, such as a part of this one or what a name was assigned."""
        if self.depth >= _DEEPEST:
            return UNKNOWN
        return self.evaluate(Question(test, outcome, block or self.block, self.flags, self.evaluate, self.depth + 1))

    def branch_assigns(self, name: str) -> bool:
        """Whether the branch that the test opens assigns something: "self.table", "cache[]"."""
        return assigns(self.block, name, self.flags.assignments)

    def bindings(self, node: ast.expr) -> list[Binding]:
        """What assigns the name, or the attribute of the object itself, that a test reads."""
        if isinstance(node, ast.Name):
            return reaching(node.id, self.block, position(node))
        if isinstance(node, ast.Attribute):
            owner = self.flags.owner(node, self.block)
            return owner.attributes.get(node.attr, []) if owner is not None else []
        return []
