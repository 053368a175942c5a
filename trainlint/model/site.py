"""What a rule is asked about: one place, with the facts that decide whether it is a defect."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from trainlint.finding import Span
from trainlint.model.backward import BackwardFlow, Backwards
from trainlint.model.batches import Batches
from trainlint.model.blocks import Block, Function, Place
from trainlint.model.gradients import Gradients
from trainlint.model.graph import CallGraph, call_graph
from trainlint.model.heat import HeatFact, Heats
from trainlint.model.kinds import Kinds
from trainlint.model.loaders import Loaders
from trainlint.model.loops import Loops
from trainlint.model.names import end_position, position
from trainlint.model.outline import Outline
from trainlint.model.values import Home, Value
from trainlint.model.walk import outline
from trainlint.source import SourceFile

if TYPE_CHECKING:
    from trainlint.config import Config

_DEVICE_WORDS = re.compile(
    r"cuda|\bdevice\b|accelerat|\bgpu|deepspeed|\bfabric\b|\.to\(\w*dev|dist_util\.dev|torch_xla|\bxla\b|"
    r"LightningModule|Trainer\b"
)
_IDLE_PATH = re.compile(
    r"(^|/)(tests?|unit_tests|test_utils|benchmarks?)/|(^|/)(test_\w+|\w+_test|conftest|bench\w*|\w*benchmark\w*)\.py$"
)
"""Files that test or measure: nobody waits for their training."""
_DEFAULT_PLACES = ("set_default_device", "set_default_tensor_type")
_ON_DEVICE = re.compile(r"cuda|dev|gpu", re.IGNORECASE)
_IDLE_CEILING = 0.5


class FileModel:
    """All that is known of one file. Facts are worked out when first asked for."""

    def __init__(self, source: SourceFile, tree: ast.Module, config: Config) -> None:
        """`tree` is what `ast.parse` makes of `source.text`."""
        self.source = source
        self.tree = tree
        self.config = config

    @cached_property
    def outline(self) -> Outline:
        """The index of the tree."""
        return outline(self.tree)

    @cached_property
    def graph(self) -> CallGraph:
        """Calls between the file's functions."""
        return call_graph(self.outline)

    @cached_property
    def loops(self) -> Loops:
        """What each loop is in units of training."""
        return Loops(self.outline, self.graph)

    @cached_property
    def heats(self) -> Heats:
        """How hot each block is."""
        ceiling = _IDLE_CEILING if _IDLE_PATH.search(self.source.path) else 1.0
        return Heats(
            self.outline, self.graph, self.loops, frozenset(self.config.hot), frozenset(self.config.cold), ceiling
        )

    @cached_property
    def gradients(self) -> Gradients:
        """Where autograd is off."""
        return Gradients(self.outline, self.graph)

    @cached_property
    def kinds(self) -> Kinds:
        """What values are."""
        return Kinds(self.outline, self.graph, self.gradients, self.device)

    @cached_property
    def loaders(self) -> Loaders:
        """The data loaders that the file builds, with their options."""
        return Loaders(self.outline)

    @cached_property
    def batches(self) -> Batches:
        """Which of these loaders a batch comes from."""
        return Batches(self.outline, self.graph, self.loaders)

    @cached_property
    def creates_on_device(self) -> bool:
        """Whether the file makes a device the default place of new tensors, so that its own data lies there."""
        calls = [place.node for name in _DEFAULT_PLACES for place in self.outline.calls.get(name, [])]
        return any(
            isinstance(call, ast.Call)
            and any(_ON_DEVICE.search(ast.unparse(item)) for item in (*call.args, *(k.value for k in call.keywords)))
            for call in calls
        )

    @cached_property
    def backward_flow(self) -> BackwardFlow:
        """Which values backward passes go through."""
        return BackwardFlow(self.tree)

    def backwards(self, block: Block) -> Backwards:
        """The same, for names as the function around a block uses them."""
        function = self.graph.enclosing(block)
        return self.backward_flow.seen_from(function.node if function is not None else None)

    @cached_property
    def reads_by_statement(self) -> dict[ast.stmt, list[Place]]:
        """Places where Python reads a value, by the statement that holds them, in source order."""
        found: dict[ast.stmt, list[Place]] = {}
        for place in self.outline.reads:
            found.setdefault(place.statement, []).append(place)
        return found

    @cached_property
    def device(self) -> Home:
        """Where tensors live unless something says otherwise: on the host in a file that names no device."""
        return Home.DEVICE if _DEVICE_WORDS.search(self.source.text) else Home.HOST


@dataclass(slots=True, eq=False)
class Site:
    """One place of a file, as a rule sees it."""

    file: FileModel
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
    def gradients_off(self) -> bool:
        """Whether autograd is off here."""
        return self.file.gradients.off(self.place.block, getattr(self.place.node, "lineno", None))

    def value(self, node: ast.expr) -> Value:
        """What an expression at this place is."""
        return self.file.kinds.of(node, self.place.block)

    def origin(self, node: ast.expr) -> str | None:
        """The dotted origin of an imported name chain, such as "torch.utils.data.DataLoader"; None for other things."""
        return self.file.kinds.imported(node, self.place.block)

    def span(self, node: ast.AST | None = None) -> Span:
        """Where a node, or the site's own, stands in the text."""
        target = node if node is not None else self.place.node
        if not isinstance(target, ast.expr | ast.stmt | ast.arg):
            target = self.place.statement
        source = self.file.source
        return source.span(source.offset(*position(target)), source.offset(*end_position(target)))

    def at(self, node: ast.AST, block: Block | None = None) -> Site:
        """The same file seen from another node."""
        return Site(self.file, Place(node, block if block is not None else self.place.block, self.place.statement))

    def calls(self, *names: str) -> Iterator[Site]:
        """The file's calls of things with one of these last names."""
        for name in names:
            for place in self.file.outline.calls.get(name, []):
                yield Site(self.file, place)
