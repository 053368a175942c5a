"""What the tests around a place are about, by the names and strings in them, whatever their outcome.

For rules that stay silent where somebody decided about just their subject. How often code runs behind a test, and
which of two branches is meant, is told by conditions.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from enum import auto

from trainlint.analysis.conditions.guards import guards_around
from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.syntax.fast_enum import Choice
from trainlint.analysis.syntax.names import nodes_in
from trainlint.patterns import lazy


class Subject(Choice):
    """What a test may be about."""

    DEVICE = auto()
    MEMORY = auto()
    """Memory and caches that may be released."""
    RANK = auto()
    """Which of several processes this is, or how many there are."""
    SHARES = auto()
    """How data is shared out among processes."""


_WORDS: Mapping[Subject, re.Pattern[str]] = {
    Subject.DEVICE: lazy(r"cuda|gpu|device", re.IGNORECASE),
    Subject.MEMORY: lazy(
        r"(empty|clear|clean|free|flush|release)|(^|_)(mem|memory|vram|cache|gc)($|_)|memory_", re.IGNORECASE
    ),
    Subject.RANK: lazy(r"rank|world_?size|num_procs|process_index|dist", re.IGNORECASE),
    Subject.SHARES: lazy(r"shard|num_replicas|partition|by_node|sampler", re.IGNORECASE),
}


def is_about(word: str, *subjects: Subject) -> bool:
    """Whether a name or a string speaks of one of these subjects."""
    return any(_WORDS[subject].search(word) for subject in subjects)


def asks_about(block: Block, *subjects: Subject) -> bool:
    """Whether a test around a block, out to the module, speaks of one of these subjects."""
    guards = guards_around(block, everywhere=True)
    return any(is_about(word, *subjects) for guard in guards for word in words_in(guard.expression))


def words_in(code: ast.AST) -> Iterator[str]:
    """The names, attributes, keywords and strings of a test or of other code, each by itself."""
    for part in nodes_in(code):
        match part:
            case ast.Name(id=str() as word) | ast.Attribute(attr=str() as word):
                yield word
            case ast.keyword(arg=str() as word) | ast.Constant(value=str() as word):
                yield word
