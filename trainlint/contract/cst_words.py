"""Which words a file must hold for a `libcst.matchers` expression to match anything in it, and which kinds of nodes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import reduce

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    WordSets: TypeAlias = frozenset[frozenset[str]]
    """Sets of words, of which the file must hold at least one whole set."""

_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_ANY: WordSets = frozenset({frozenset()})
_MOST_WAYS = 100


def needed_words(pattern: Any) -> frozenset[str]:
    """Words in the form of `Triggers.words`: one entry for each set of words. Empty where the pattern names no word."""
    ways = _word_sets(pattern)
    return frozenset() if frozenset() in ways else frozenset(" ".join(sorted(way)) for way in ways)


def words_of(text: str) -> frozenset[str]:
    """The identifiers in a piece of code."""
    return frozenset(_IDENTIFIER.findall(text))


def node_kinds(pattern: Any) -> frozenset[str]:
    """The names of the node classes that a pattern matches, such as "Call". Empty where it does not say."""
    import libcst.matchers as m

    pattern = _unsaved(pattern)
    if isinstance(pattern, m.OneOf | m.TypeOf):
        kinds = [node_kinds(option) for option in pattern.options]
        return frozenset().union(*kinds) if all(kinds) else frozenset()
    if isinstance(pattern, m.AllOf):
        return next(filter(None, map(node_kinds, pattern.options)), frozenset())
    return frozenset({type(pattern).__name__}) if isinstance(pattern, m.BaseMatcherNode) else frozenset()


def _word_sets(matcher: Any) -> WordSets:
    """What a matcher, or a part of one, needs. Matchers that are not known here need nothing."""
    import libcst.matchers as m

    matcher = _unsaved(matcher)
    if isinstance(matcher, str):
        return frozenset({words_of(matcher)})
    if isinstance(matcher, m.MatchMetadataIfTrue):
        origins: Iterable[str] = getattr(matcher.func, "origins", ("",))
        return frozenset(map(words_of, origins))
    if isinstance(matcher, m.OneOf | m.TypeOf):
        return _bounded_sets(frozenset().union(*map(_word_sets, matcher.options)), _ANY)
    if isinstance(matcher, m.AllOf):
        return _all(matcher.options)
    if isinstance(matcher, list | tuple):
        return _all(matcher)
    if isinstance(matcher, m.AtLeastN):
        return _word_sets(matcher.matcher) if matcher.n else _ANY
    return _all(vars(matcher).values()) if isinstance(matcher, m.BaseMatcherNode) else _ANY


def _all(matchers: Iterable[Any]) -> WordSets:
    return reduce(_all_of_both, map(_word_sets, matchers), _ANY)


def _all_of_both(one: WordSets, other: WordSets) -> WordSets:
    return _bounded_sets(frozenset(mine | theirs for mine in one for theirs in other), one)


def _bounded_sets(ways: WordSets, instead: WordSets) -> WordSets:
    """Fewer words let more files through, which costs time alone."""
    return ways if len(ways) <= _MOST_WAYS else instead


def _unsaved(matcher: Any) -> Any:
    """The matcher in what `SaveMatchedNode` makes, whose class has no public name; any other as it is."""
    import libcst.matchers as m

    made: Any = m.SaveMatchedNode(m.Name(), "any")
    while isinstance(matcher, type(made)):
        matcher = matcher.matcher
    return matcher
