"""Rules whose pattern is an expression of `libcst.matchers`, and whose fix is a LibCST node.

For authors who know LibCST. Where a file holds the words of a pattern, LibCST parses it, once for all such rules; each
node that matches becomes a `Site` like any other, with its frequency, values and conditions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from trainlint.contract.declared_rule import DeclaredRule, Match
from trainlint.rule import BadRule, Triggers

TYPE_CHECKING = False
if TYPE_CHECKING:  # LibCST takes longer to import than most files to judge
    from typing import Any, ClassVar

    import libcst as cst
    from libcst.matchers import MatchMetadataIfTrue

    from trainlint.analysis.semantic_model import SemanticModel
    from trainlint.analysis.site import Site
    from trainlint.analysis.syntax.blocks import Place
    from trainlint.finding import Edit


def origin(*names: str) -> MatchMetadataIfTrue:
    """A matcher of names and attributes that mean one of these imported things, however the file imports them.

    `m.Call(func=origin("torch.solve"))` matches `torch.solve(a, b)`, and `s(a, b)` after
    `from torch import solve as s`.
    """
    from libcst.matchers import MatchMetadataIfTrue

    from trainlint.contract.cst_file import Origin

    return MatchMetadataIfTrue(Origin, _IsOneOf(frozenset(names)))


@dataclass(frozen=True, slots=True)
class _IsOneOf:
    origins: frozenset[str]

    def __call__(self, name: object) -> bool:
        return name in self.origins


@dataclass(frozen=True, slots=True, eq=False)
class Captured:
    """A part of a match that `m.SaveMatchedNode` names. In a template it stands for its code."""

    node: cst.CSTNode
    site: Site | None
    """The place of the part, for its value; None where the part is no expression or statement, such as an argument."""
    code: str

    def __str__(self) -> str:
        return self.code


class CstRule(DeclaredRule, base=True):
    """About nodes that a `libcst.matchers` expression matches.

    `site.node` is the node of `ast` for the same code. Only expressions and statements have a place. No place have
    therefore arguments, parameters, names after a dot, decorators, elements, handlers, comments and whitespace: match
    what holds them. Parts of what `ast` keeps as one are not found either: `a and b` in `a and b and c`, and the pieces
    of strings that stand side by side.
    """

    pattern: ClassVar[Any]
    """The matcher: `m.Call(func=origin("torch.solve"))`."""
    words: ClassVar[tuple[str, ...]] = ()
    """Needed where the pattern names no word: a file is asked about only if it holds one of these. An entry of several
    words stands for all of them."""

    def __init_subclass__(cls, *, base: bool = False, **kwargs: object) -> None:
        """Refuse a pattern of which no place or no word is known, and a fix without a title or a level."""
        super().__init_subclass__(base=base, **kwargs)
        if not base:
            for problem in _problems(cls):
                raise BadRule(f"rule {cls.__module__}.{cls.__qualname__}: {problem}")

    @classmethod
    def places(cls) -> Triggers:
        """Files that hold the words of the pattern."""
        from trainlint.contract.cst_words import needed_words

        return Triggers(words=frozenset(cls.words) or needed_words(cls.pattern))

    @classmethod
    def places_in(cls, file: SemanticModel) -> Iterator[Place]:
        """The places of what the pattern matches."""
        from trainlint.contract.cst_file import cst_file

        return cst_file(file).matched(cls.pattern)

    def found(self, site: Site) -> Match | Iterable[Match] | None:
        """All that the pattern matches, with the captured parts as fields. Override it to ask for facts."""
        return Match(site, fields=self.captured(site))

    def captured(self, site: Site) -> Mapping[str, Any]:
        """The parts of a match that `m.SaveMatchedNode` names: a `Captured`, or a list of them for a sequence."""
        from trainlint.contract.cst_file import cst_file

        seen = cst_file(site.file)
        parts = seen.captured(seen.node_of[site.node], self.pattern) or {}
        return {
            name: [_captured(site, item) for item in part] if isinstance(part, list | tuple) else _captured(site, part)
            for name, part in parts.items()
        }

    def replacement(self, node: Any, match: Match) -> cst.BaseExpression | cst.BaseSmallStatement | None:
        """What is to stand for a matched node, mostly `node.with_changes(...)`; None where there is no fix.

        The node must be an expression or a simple statement. Override `edits` for more than one replacement.
        """
        return None

    def edits(self, site: Site, match: Match) -> Iterable[Edit]:
        """The edit that puts the replacement in."""
        from trainlint.contract.cst_file import cst_file

        new = self.replacement(cst_file(site.file).node_of[site.node], match)
        return () if new is None else (replace(site, new),)


def replace(site: Site, new: cst.BaseExpression | cst.BaseSmallStatement) -> Edit:
    """Put a LibCST node where a site's own node stands. Raises Unfixable where that is not safe."""
    import ast

    import libcst as cst

    from trainlint.fixing.rewrite import Unfixable, replace_expression, replace_simple_statement

    old = site.node
    if isinstance(old, ast.expr) and isinstance(new, cst.BaseExpression):
        return replace_expression(site.source, old, new)
    if isinstance(old, ast.stmt) and not hasattr(old, "body") and isinstance(new, cst.BaseSmallStatement):
        return replace_simple_statement(site.source, old, new)
    raise Unfixable(f"a {type(new).__name__} cannot stand for the code at line {site.span().start_line}")


def _captured(site: Site, node: cst.CSTNode) -> Captured:
    from trainlint.contract.cst_file import cst_file

    seen = cst_file(site.file)
    place = seen.place_of.get(node)
    code = " ".join(seen.wrapper.module.code_for_node(node).split())
    return Captured(node, type(site)(site.file, place) if place is not None else None, code)


def _problems(cls: type[CstRule]) -> Iterator[str]:
    from trainlint.contract.cst_file import KINDS
    from trainlint.contract.cst_words import node_kinds, words_of

    kinds = node_kinds(cls.pattern)
    if not kinds:
        yield "its pattern does not say which kind of node it matches, as m.Call(...) does"
    for kind in sorted(kinds - KINDS.keys()):
        yield f"its pattern matches a node of the kind {kind}, which is no expression or statement; match what holds it"
    if cls.also != Triggers():
        yield "it is asked about what its pattern matches, so `also` has no effect; widen the pattern"
    words = cls.triggers.words
    if not words:
        yield "its pattern names no word; declare in `words` those of which a file must hold one"
    for entry in sorted(words):
        if not words_of(entry) or words_of(entry) != set(entry.split()):
            yield f"`words` has the entry {entry!r}; write identifiers, with spaces between those that belong together"
    shown = words_of(cls.manual.example)
    if shown and not any(words_of(entry) <= shown for entry in words):
        yield f"its example holds none of the words that a file must hold: {', '.join(sorted(words))}"
    if cls.replacement is not CstRule.replacement and not (cls.fix_title and cls.fix_safety):
        yield "it has a `replacement`, so it needs `fix_title` and `fix_safety`"
