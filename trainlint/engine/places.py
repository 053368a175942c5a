"""Which places of a file each rule wants to see: the file's own words are visited once, for all rules together."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.names import last_name
from trainlint.rule import IN_STEP
from trainlint.training_settings.files import is_settings

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel
    from trainlint.analysis.syntax.blocks import Block
    from trainlint.analysis.syntax.outline import Outline
    from trainlint.catalogue import InstalledRule
    from trainlint.finding import Heat
    from trainlint.source import SourceFile

_Words = dict[str, list[int]]
"""The numbers of the rules that want a word."""
_Named = list[Iterable[Place]]
"""The places that a rule's triggers name, in as many lists as words name them."""


def places_by_rule(
    rules: Sequence[InstalledRule],
    model: SemanticModel,
    *,
    however_seldom: bool = False,
    may_show: Callable[[InstalledRule], bool] = lambda rule: True,
) -> list[Iterator[Place]]:
    """For each rule, in their order, the places of a file that its triggers name.

    Each place comes once for each trigger that names it, in an order that does not depend on the other rules.
    `however_seldom` hands out places as well that run too seldom for the rule. There are none in a file of another
    framework than PyTorch, nor for rules that may not show anything. `may_show` is asked where a rule has places.
    """
    wanted = _trigger_index(tuple(rules))
    named = wanted.places_by_rule(model.outline)
    for number in wanted.held_words(model.source):
        named[number].append(_places_in(rules[number], model))
    if however_seldom:
        return [_places_of_rule(rule, places, model) for rule, places in zip(rules, named, strict=True)]
    moments = _HeatOfBlocks(model)
    return [
        _often_enough(rule, places, model, moments, may_show) if places else iter(())
        for rule, places in zip(rules, named, strict=True)
    ]


def _often_enough(
    rule: InstalledRule,
    named: _Named,
    model: SemanticModel,
    moments: _HeatOfBlocks,
    may_show: Callable[[InstalledRule], bool],
) -> Iterator[Place]:
    """The places that run as often as the rule wants. A crash on the way costs only the rules that ask."""
    heats = rule.triggers.heats
    if not moments.are_possible(heats) or not may_show(rule):
        return
    if not heats:
        yield from _places_of_rule(rule, named, model)
    elif moments.may_hold(heats):
        for place in _places_of_rule(rule, named, model):
            if moments.heat(place.block) in heats:
                yield place


def _places_of_rule(rule: InstalledRule, named: _Named, model: SemanticModel) -> Iterator[Place]:
    callees = rule.triggers.callees
    for places in named:
        for place in places:
            if model.is_of_other_framework:
                return
            if not callees or not isinstance(place.node, ast.Call) or _is_meant(place.node, place, callees, model):
                yield place


def _places_in(rule: InstalledRule, model: SemanticModel) -> Iterator[Place]:
    """What the rule itself finds. Its class is imported when the first place is asked for."""
    yield from rule.loaded().places_in(model)


def _is_meant(call: ast.Call, place: Place, callees: frozenset[str], model: SemanticModel) -> bool:
    """Whether a call is one of `callees`, in the notation of `trainlint.contract.bases.CallRule`."""
    name = last_name(call.func)
    if name in callees or (isinstance(call.func, ast.Attribute) and f".{name}" in callees):
        return True
    origin = model.outline.imported(call.func, place.block)
    if origin is None:
        return False
    name = origin.rpartition(".")[2]  # an import may have renamed it
    if origin in callees or name in callees:
        return True
    return any(f"{head}.*.{name}" in callees for head in _heads(origin))


def _heads(origin: str) -> Iterator[str]:
    """The modules around an imported name: "torch", "torch.nn" for "torch.nn.Linear"."""
    for index, letter in enumerate(origin):
        if letter == ".":
            yield origin[:index]


def runs_in_step(model: SemanticModel) -> bool:
    """Whether any code of a file runs in each training step."""
    # To ask for heat costs a file without functions and loops more than all else that is asked of it.
    return len(model.outline.blocks) > 1 and model.heats.any_in_step


class _HeatOfBlocks:
    """When the code of a file runs. Each block is asked once, for all rules and places."""

    def __init__(self, model: SemanticModel) -> None:
        self.model = model
        self._any_in_step: bool | None = None
        self._known: dict[Block, Heat] = {}

    def are_possible(self, heats: frozenset[Heat]) -> bool:
        """Whether a file such as this could have code that runs so often: without functions and loops, it has none."""
        return not heats or not heats <= IN_STEP or len(self.model.outline.blocks) > 1

    def may_hold(self, heats: frozenset[Heat]) -> bool:
        """Whether any code of the file may run so often."""
        if not heats <= IN_STEP:
            return True
        if self._any_in_step is None:
            self._any_in_step = runs_in_step(self.model)
        return self._any_in_step

    def heat(self, block: Block) -> Heat:
        """How often a block runs."""
        known = self._known.get(block)
        if known is None:
            known = self._known[block] = self.model.heats.of(block).heat
        return known


@dataclass(frozen=True, slots=True)
class _TriggerIndex:
    """What the triggers of some rules name, turned around: from a word to the rules that want it."""

    rules: int
    calls: _Words = field(default_factory=dict)
    assignments: _Words = field(default_factory=dict)
    dicts: _Words = field(default_factory=dict)
    references: _Words = field(default_factory=dict)
    subscripts: list[int] = field(default_factory=list)
    accumulations: list[int] = field(default_factory=list)
    loops: list[int] = field(default_factory=list)
    words: list[tuple[int, list[list[str]]]] = field(default_factory=list)
    """Rules that ask for words, each with the lists of words of which a file must hold one whole; the longest word,
    which most files lack, comes first."""
    below: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """The rules that want a dotted name, as far as one was asked about: the same few come in file after file."""

    def places_by_rule(self, outline: Outline) -> list[_Named]:
        """For each rule, the places of one file."""
        found: list[_Named] = [[] for _ in range(self.rules)]
        for words, named in (
            (self.calls, outline.calls),
            (self.assignments, outline.stores),
            (self.dicts, outline.dicts),
        ):
            for word in sorted(words.keys() & named.keys()):
                _give(found, words[word], named[word])
        for name, word in _renamed(outline):
            if word in self.calls and name in outline.calls:
                _give(found, self.calls[word], outline.calls[name])
        for rules, place in self._references(outline):
            _give(found, rules, (place,))
        for several, places in (
            (self.subscripts, outline.subscripts),
            (self.accumulations, outline.accumulations),
            (self.loops, outline.loops),
        ):
            _give(found, several, places)
        return found

    def held_words(self, source: SourceFile) -> Iterator[int]:
        """The rules that ask for words, of those that a file of Python holds."""
        if self.words and not is_settings(source.path):
            text = source.text
            for number, ways in self.words:
                for words in ways:
                    if words[0] in text and _contains_words(text, words):
                        yield number
                        break

    def _references(self, outline: Outline) -> Iterator[tuple[Iterable[int], Place]]:
        """The import statements that bring in wanted names, then the uses of such names."""
        for place in outline.import_statements:
            node = place.node
            if isinstance(node, ast.ImportFrom) and node.module is not None and node.level == 0:
                imported = (self._rules_for(f"{node.module}.{alias.name}") for alias in node.names)
                yield {rule for rules in imported for rule in rules}, place
        for place in outline.references:
            origin = outline.origin(place.node)
            if origin is not None and (rules := self._rules_for(origin)):
                yield rules, place

    def _rules_for(self, origin: str) -> tuple[int, ...]:
        known = self.below.get(origin)
        if known is None:
            heads = (*_heads(origin), origin)
            known = tuple({rule for head in heads for rule in self.references.get(head, ())})
            self.below[origin] = known
        return known


def _renamed(outline: Outline) -> Iterator[tuple[str, str]]:
    """Each name that an import gives to something else, as in `import Linear as Dense`, with the name it had."""
    for name, origin in outline.imports.items():
        word = origin.rpartition(".")[2]
        if word != name:
            yield name, word


def _contains_words(text: str, words: Sequence[str]) -> bool:
    return all(word in text for word in words) and all(re.search(rf"\b{re.escape(word)}\b", text) for word in words)


def _give(found: list[_Named], rules: Iterable[int], places: Sequence[Place]) -> None:
    if places:
        for rule in rules:
            found[rule].append(places)


@lru_cache(maxsize=4)
def _trigger_index(rules: tuple[InstalledRule, ...]) -> _TriggerIndex:
    """The wishes of a set of rules. All files of a run share them, as a rule."""
    index = _TriggerIndex(len(rules))
    for number, rule in enumerate(rules):
        wanted = rule.triggers
        for words, named in (
            (index.calls, wanted.calls),
            (index.assignments, wanted.assignments),
            (index.dicts, wanted.dicts),
            (index.references, frozenset(wanted.references)),
        ):
            for word in named:
                words.setdefault(word, []).append(number)
        for several, is_wanted in (
            (index.subscripts, wanted.subscripts),
            (index.accumulations, wanted.accumulations),
            (index.loops, wanted.loops),
        ):
            if is_wanted:
                several.append(number)
        if wanted.words:
            index.words.append(
                (number, [sorted(entry.split(), key=len, reverse=True) for entry in wanted.words if entry])
            )
    return index
