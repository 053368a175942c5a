"""One test whose meaning is asked for, with where it stands."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from trainlint.analysis.conditions.branch_bodies import assigns
from trainlint.analysis.conditions.condition import UNKNOWN, Condition
from trainlint.analysis.conditions.settings.option_defaults import Flags
from trainlint.analysis.syntax.blocks import Binding, Block
from trainlint.analysis.syntax.names import last_name, nodes_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

Answers = dict[tuple[ast.expr, bool, Block], Condition]
_NAMED = frozenset({ast.Name, ast.Attribute})
_DEEPEST = 8


@dataclass(slots=True, eq=False)
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
    known: Answers = field(default_factory=dict)
    """What was found for the tests of this file: names are tested again and again."""
    _nodes: list[ast.AST] | None = None
    _names: list[str] | None = None
    _bindings: list[Binding] | None = None

    @property
    def nodes(self) -> list[ast.AST]:
        """All nodes of the test."""
        if self._nodes is None:
            self._nodes = nodes_in(self.test)
        return self._nodes

    @property
    def names(self) -> list[str]:
        """The last word of each name and attribute in the test."""
        if self._names is None:
            self._names = [last_name(part) for part in self.nodes if type(part) in _NAMED]
        return self._names

    def ask(self, test: ast.expr, outcome: bool, block: Block | None = None) -> Condition:
        """The condition of another test, such as a part of this one or what a name was assigned."""
        if self.depth >= _DEEPEST:
            return UNKNOWN
        where = block or self.block
        found = self.known.get((test, outcome, where))
        if found is None:
            deeper = Question(test, outcome, where, self.flags, self.evaluate, self.depth + 1, self.known)
            found = self.known[test, outcome, where] = self.evaluate(deeper)
        return found

    def branch_assigns(self, name: str) -> bool:
        """Whether the branch that the test opens assigns something: "self.table", "cache[]"."""
        return assigns(self.block, name, self.flags.assignments)

    def bindings(self, node: ast.expr, block: Block | None = None) -> list[Binding]:
        """What assigns the name, or the attribute of the object itself, that a test reads, here or in another block."""
        where = block or self.block
        if node is not self.test or where is not self.block:
            return self.flags.outline.bindings(node, where)
        if self._bindings is None:  # a dozen forms ask about the test itself
            self._bindings = self.flags.outline.bindings(node, where)
        return self._bindings
