"""All that is known of one file, worked out when first asked for."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.walk import outline
from trainlint.analysis.types.imported_facts import ALONE, ImportedFacts
from trainlint.finding import NOTHING_EXECUTED, Frequencies
from trainlint.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:  # each fact imports what finds it out: most files have few places, and few facts are asked of them
    from typing import Any, TypeVar

    from trainlint.analysis.heats import Heats
    from trainlint.analysis.programs.grad_mode import Gradients, Switches
    from trainlint.analysis.syntax.blocks import Block
    from trainlint.analysis.syntax.code_names import CodeNames
    from trainlint.analysis.syntax.local_calls import LocalCalls
    from trainlint.analysis.syntax.outline import Outline
    from trainlint.analysis.tables.fact_kinds import Use
    from trainlint.analysis.types.backward import BackwardFlow, Backwards
    from trainlint.analysis.types.batches import Batches
    from trainlint.analysis.types.inference import Kinds
    from trainlint.analysis.types.loaders import Loaders
    from trainlint.config import Config
    from trainlint.source import SourceFile

    _Fact = TypeVar("_Fact")

_ON_DEVICE = lazy(r"cuda|dev|gpu", re.IGNORECASE)
_FACTS_OF_ONE_FILE = (
    "outline",
    "names",
    "graph",
    "switches",
    "training_calls",
    "loaders",
    "creates_on_device",
    "backward_flow",
    "reads_by_statement",
    "uses",
)
"""Facts that no other file has a say in."""


@dataclass(frozen=True, slots=True, eq=False)
class EarlierFacts:
    """What is still known of a file whose model was dropped."""

    text: int
    """The hash of the file's text, which would take more memory than anything else here."""
    facts: Mapping[str, object]
    """By their names in the model. They hold no piece of the tree, and no other file has a say in them."""


class SemanticModel:
    """All that is known of one file. Facts are worked out when first asked for."""

    def __init__(
        self,
        source: SourceFile,
        tree: ast.Module,
        config: Config,
        outside: ImportedFacts = ALONE,
        frequencies: Frequencies = NOTHING_EXECUTED,
    ) -> None:
        """`tree` is what `ast.parse` makes of `source.text`; `outside` is what other files say of this one.

        `frequencies` say how often the statements of the file are executed.
        """
        self.source = source
        self.tree = tree
        self.config = config
        self.outside = outside
        self.frequencies = frequencies

    def recall(self, remains: EarlierFacts) -> None:
        """Take over what was worked out before, if the file is still the same."""
        if remains.text == hash(self.source.text):
            self.__dict__.update(remains.facts)

    def with_context(self, outside: ImportedFacts, frequencies: Frequencies = NOTHING_EXECUTED) -> SemanticModel:
        """The same file with what other files and the run say of it.

        What only its own text decides is not worked out again.
        """
        if (outside, frequencies) == (self.outside, self.frequencies):
            return self
        model = SemanticModel(self.source, self.tree, self.config, outside, frequencies)
        model.__dict__.update((name, self.__dict__[name]) for name in _FACTS_OF_ONE_FILE if name in self.__dict__)
        return model

    def rest(self) -> None:
        """Forget what is worked out anew as soon as other files have their say: it takes a tenth of the memory."""
        kept = {"source", "tree", "config", "outside", "frequencies", *_FACTS_OF_ONE_FILE}
        for name in self.__dict__.keys() - kept:
            del self.__dict__[name]

    def forget_code(self) -> None:
        """Keep the source alone, of a file of which need only be known that it was parsed."""
        source = self.source
        self.release()
        self.source = source

    def release(self) -> None:
        """Free what was worked out, once nobody asks any more.

        Scopes and bindings, and classes and methods, refer to each other, so that the memory would else wait for the
        garbage collector, which runs rarely meanwhile (engine/pool/process_settings.py).
        """
        index: Outline | None = self.__dict__.get("outline")
        if index is not None:
            for block in index.blocks:
                block.scope.bindings.clear()
            owners = (function.owner for function in index.functions if function.owner is not None)
            for cls in (*index.classes.values(), *owners):  # of classes with one name, the index knows the last
                cls.methods.clear()
                cls.attributes.clear()
        self.__dict__.clear()

    @cached_property
    def outline(self) -> Outline:
        """The index of the tree."""
        return outline(self.tree)

    @cached_property
    def names(self) -> CodeNames:
        """The names that the code uses."""
        from trainlint.analysis.syntax.code_names import CodeNames

        return CodeNames(self.outline)

    @cached_property
    def graph(self) -> LocalCalls:
        """Calls between the file's functions."""
        from trainlint.analysis.syntax.local_calls import call_graph

        return call_graph(self.outline)

    @cached_property
    def switches(self) -> Switches:
        """What the text itself switches autograd off for."""
        from trainlint.analysis.programs.grad_mode import Switches

        return Switches(self.outline)

    @cached_property
    def training_calls(self) -> Mapping[ast.AST, Place]:
        """The calls that show by themselves that a training step is taken around them."""
        from trainlint.analysis.programs.training_calls import training_calls

        return {} if self.never_updates else training_calls(self.outline, self.graph)

    @cached_property
    def never_updates(self) -> bool:
        """Whether the file belongs to a program that updates no parameters, so that a backward is no training."""
        if self.outside.never_updates is not None:
            return self.outside.never_updates
        from trainlint.analysis.tables.common_names import FOREIGN
        from trainlint.analysis.tables.file_words.programs import program

        found = program(self.source.text.encode(errors="replace"))
        if found.updates or not found.runs:
            return False
        packages = {origin.partition(".")[0] for origin in (*self.outline.imports.values(), *self.outline.stars)}
        return packages <= FOREIGN

    @cached_property
    def heats(self) -> Heats:
        """How hot each block is."""
        from trainlint.analysis.heats import Heats

        return Heats(self.outline, self.frequencies)

    @cached_property
    def is_of_other_framework(self) -> bool:
        """Whether the file imports another framework and not PyTorch, itself or through the project."""
        from trainlint.analysis.tables.frameworks.packages import OTHERS, brings_torch

        packages = {origin.partition(".")[0] for origin in (*self.outline.imports.values(), *self.outline.stars)}
        others = not packages.isdisjoint(OTHERS)
        return others and not self.outside.reaches_torch and not any(map(brings_torch, packages))

    @cached_property
    def uses(self) -> frozenset[Use]:
        """What the file itself uses somewhere: autocast, DDP, a framework."""
        from trainlint.analysis.programs.facts import uses_of
        from trainlint.analysis.tables.fact_kinds import FactKind, Use
        from trainlint.analysis.tables.signs import HALF, LOSS_SCALING, MIXED_PRECISION

        names_half = self.names.show(*HALF, MIXED_PRECISION, LOSS_SCALING)
        return uses_of(self.outline) | ({Use(FactKind.HALF_NAMED)} if names_half else frozenset())

    @property
    def used_around(self) -> frozenset[Use]:
        """What the file uses, or one of those that import it or that these import."""
        return self.uses | (self.outside.uses or frozenset())

    @cached_property
    def gradients(self) -> Gradients:
        """Where autograd is off."""
        from trainlint.analysis.programs.grad_mode import Gradients

        return Gradients(self.outline, self.graph, self.switches)

    @cached_property
    def kinds(self) -> Kinds:
        """What values are."""
        from trainlint.analysis.types.inference import Kinds

        return Kinds(self.outline, self.graph)

    @cached_property
    def loaders(self) -> Loaders:
        """The data loaders that the file builds, with their options."""
        from trainlint.analysis.types.loaders import Loaders

        return Loaders(self.outline)

    @cached_property
    def batches(self) -> Batches:
        """Which of these loaders a batch comes from."""
        from trainlint.analysis.types.batches import Batches

        return Batches(self.outline, self.graph, self.loaders)

    @cached_property
    def creates_on_device(self) -> bool:
        """Whether the file makes a device the default place of new tensors, so that its own data lies there."""
        from trainlint.analysis.tables.file_words.devices import DEFAULT_PLACES

        calls = [place.node for name in DEFAULT_PLACES for place in self.outline.calls.get(name, [])]
        return any(
            isinstance(call, ast.Call)
            and any(_ON_DEVICE.search(ast.unparse(item)) for item in (*call.args, *(k.value for k in call.keywords)))
            for call in calls
        )

    @cached_property
    def autocast_is_set(self) -> bool:
        """Whether the file or another one of the project may set the type of all autocasts of a program."""
        from trainlint.analysis.tables.file_words.settings import sets_autocast

        return self.outside.standing.autocast_set or sets_autocast(self.source.text.encode(errors="replace"))

    @cached_property
    def copies_without_waiting(self) -> bool:
        """Whether the file or another one of the project may copy to a device while the host goes on."""
        from trainlint.analysis.tables.file_words.settings import copies_without_waiting

        standing, data = self.outside.standing, self.source.text.encode(errors="replace")
        return standing.copies_without_waiting or copies_without_waiting(data)

    @cached_property
    def backward_flow(self) -> BackwardFlow:
        """Which values backward passes go through."""
        from trainlint.analysis.types.backward import BackwardFlow

        return BackwardFlow(self.tree)

    def backwards(self, block: Block) -> Backwards:
        """The same, for names as the function around a block uses them."""
        function = self.graph.enclosing(block)
        return self.backward_flow.seen_from(function.node if function is not None else None)

    @cached_property
    def answers(self) -> dict[tuple[object, ...], Any]:
        """What functions marked with `once` have said of this file, by the function and what it was asked."""
        return {}

    @cached_property
    def may_compute_on_device(self) -> bool:
        """Whether the file, or one that it works together with, names a device."""
        from trainlint.analysis.tables.file_words.devices import names_device

        return self.outside.names_device or names_device(self.source.text.encode(errors="replace"))
