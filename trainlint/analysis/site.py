"""What a rule is asked about: one place, with the facts that decide whether it is a defect."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.names import end_position, nodes_in, position
from trainlint.finding import RelatedPlace, Span

TYPE_CHECKING = False
if TYPE_CHECKING:  # each fact imports what finds it out: most files have few places, and few facts are asked of them
    from trainlint.analysis.syntax.blocks import Block, Function
    from trainlint.analysis.syntax.literal_dicts import Settings
    from trainlint.analysis.types.values import Value
    from trainlint.finding import HeatFact
    from trainlint.source import SourceFile


_OF_PROCESSES = "torch.distributed."


@dataclass(slots=True, eq=False)
class Site:
    """One place of a file, as a rule sees it."""

    file: SemanticModel
    place: Place

    @property
    def node(self) -> ast.AST:
        """The node that the rule's trigger named."""
        return self.place.node

    @property
    def call(self) -> ast.Call:
        """The node of a call trigger. Raises TypeError at another kind of site."""
        if not isinstance(self.place.node, ast.Call):
            raise TypeError("this site is no call")
        return self.place.node

    @property
    def receiver(self) -> ast.expr:
        """What the method of a call is called on: `x` in `x.item()`. Raises TypeError where no method is called."""
        if not isinstance(self.call.func, ast.Attribute):
            raise TypeError("this call is not that of a method")
        return self.call.func.value

    @property
    def loop(self) -> Block:
        """The block of the loop that the rule's trigger named. Raises KeyError at another kind of site."""
        return self.file.outline.loop_blocks[self.place.node]

    @property
    def settings(self) -> Settings:
        """The settings in a dict, or in the keywords of a call. Raises TypeError at another kind of site."""
        from trainlint.analysis.syntax.literal_dicts import Settings, keywords_as_dict

        if isinstance(self.place.node, ast.Call):
            return Settings(keywords_as_dict(self.place.node))
        if not isinstance(self.place.node, ast.Dict):
            raise TypeError("this site is no dict and no call")
        return Settings(self.place.node)

    @property
    def block(self) -> Block:
        """The innermost block around the node."""
        return self.place.block

    @property
    def statement(self) -> ast.stmt:
        """The smallest statement that holds the node."""
        return self.place.statement

    @property
    def source(self) -> SourceFile:
        """The file's text."""
        return self.file.source

    @property
    def path(self) -> str:
        """The file's path as shown to the user."""
        return self.file.source.path

    @property
    def heat(self) -> HeatFact:
        """How often this place runs."""
        return self.file.heats.of(self.place.block)

    @property
    def function(self) -> Function | None:
        """The innermost function around the node."""
        return self.file.graph.enclosing(self.place.block)

    @property
    def hot_calls(self) -> tuple[RelatedPlace, ...]:
        """The calls through which the function around the node runs in each training step, nearest first."""
        function = self.function
        return self.file.heats.calls_of(function) if function is not None else ()

    @property
    def gradients_off(self) -> bool:
        """Whether autograd is off here."""
        return self.file.gradients.off(self.place.block, getattr(self.place.node, "lineno", None))

    @property
    def is_run_by_nobody(self) -> bool:
        """Whether no program in sight runs this, where programs show what is run: nobody gains by a fix here.

        Calls of `torch.distributed` are run by nobody either where no program starts a process group.
        """
        if self.file.outside.standing.run_by_nobody:
            return True
        return self.file.outside.standing.one_process and any(
            (self.origin(part) or "").startswith(_OF_PROCESSES)
            for part in nodes_in(self.place.node)
            if isinstance(part, ast.Name | ast.Attribute)
        )

    def value(self, node: ast.expr) -> Value:
        """What an expression at this place is."""
        return self.file.kinds.of(node, self.place.block)

    def origin(self, node: ast.expr) -> str | None:
        """The dotted origin of an imported name chain, such as "torch.utils.data.DataLoader"; None for other things."""
        return self.file.outline.imported(node, self.place.block)

    def lacks(self, version: tuple[int, int]) -> bool:
        """Whether some PyTorch that the project targets is older than a version; False where no target is known."""
        target = self.file.config.target_torch
        return target is not None and target.lacks(version)

    def has(self, version: tuple[int, int]) -> bool:
        """Whether all PyTorch that the project targets is of a version or newer; False where no target is known."""
        target = self.file.config.target_torch
        return target is not None and target.has(version)

    def reaches(self, version: tuple[int, int]) -> bool:
        """Whether the project may run a version of PyTorch or a newer one."""
        target = self.file.config.target_torch
        return target is None or target.reaches(version)

    def text(self, node: ast.AST | None = None) -> str:
        """The code of a node, or of the site's own, on one line and shortened, to be quoted in a sentence."""
        from trainlint.analysis.syntax.written import written

        return written(self.file.source, self.place.node if node is None else node)

    def span(self, node: ast.AST | None = None) -> Span:
        """Where a node, or the site's own, stands in the text."""
        target = node if node is not None else self.place.node
        if not isinstance(target, ast.expr | ast.stmt | ast.arg):
            target = self.place.statement
        source = self.file.source
        return source.span(source.offset(*position(target)), source.offset(*end_position(target)))

    def related(self, node: ast.expr | ast.stmt, message: str) -> RelatedPlace:
        """A further place of a defect, in this file, with a short clause that says what is the case there."""
        span = self.span(node)
        return RelatedPlace(self.path, span.start_line, span.start_column, message)

    def at(self, node: ast.AST, block: Block | None = None) -> Site:
        """The same file seen from another node."""
        return Site(self.file, Place(node, block if block is not None else self.place.block, self.place.statement))

    def calls(self, *names: str) -> Iterator[Site]:
        """The file's calls of things with one of these last names."""
        for name in names:
            for place in self.file.outline.calls.get(name, []):
                yield Site(self.file, place)
