"""What each word of an ignore comment stands for, among the rules that are installed and those that ran."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from trainlint.naming import names_one_rule, pack_of, rules_called

if TYPE_CHECKING:
    from trainlint.catalogue import AnyRule, InstalledRule
    from trainlint.finding import Finding
    from trainlint.suppress.comments import Directive, Word

UNUSED_IGNORE = "TRN002"
UNKNOWN_CODE = "TRN003"
ABOUT_IGNORES = frozenset((UNUSED_IGNORE, UNKNOWN_CODE))


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One word of an ignore comment, or the whole comment where it silences everything."""

    directive: Directive
    word: Word | None
    codes: frozenset[str]
    """The codes of the rules that it silences."""
    ours: bool
    """Whether nobody but trainlint can be meant, so that it may be called unused or unknown."""

    def silences(self, finding: Finding) -> bool:
        """Whether it covers a finding that stands where it reaches. What is said of ignores must be named in full."""
        if finding.code in ABOUT_IGNORES and (self.word is None or not names_one_rule(self.word.text)):
            return False
        return finding.code in self.codes


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The rules that are installed, as far as known, and the codes of those that ran on this file."""

    known: tuple[AnyRule, ...]
    ran: frozenset[str]
    packs: frozenset[str]
    """The letters that codes of installed rules begin with."""
    complete: bool
    """Whether `known` holds every installed rule."""

    def is_rule(self, word: str) -> bool:
        """Whether a word that does not look like a code stands for rules."""
        return bool(rules_called(word, self.known)) and word != "all"

    def entries(self, directive: Directive) -> list[Entry]:
        """What a directive stands for, word by word."""
        if not directive.words:
            # Empty brackets name no rule; no brackets mean them all.
            codes = frozenset(rule.code for rule in self.known if directive.words is None)
            return [Entry(directive, None, codes, ours=directive.of_trainlint)]
        return [self._entry(directive, word) for word in directive.words]

    def codes(self, words: Sequence[str]) -> frozenset[str]:
        """The codes of the rules that the words of a comment silence; of all rules where it has none."""
        if not words:
            return frozenset(rule.code for rule in self.known)
        old_codes = tuple(word.upper() for word in words)
        return frozenset(
            [rule.code for word in words for rule in rules_called(word, self.known)]
            + [rule.code for rule in self.known if _is_aliased(rule, old_codes)]
        )

    def is_judged(self, entry: Entry) -> bool:
        """Whether all rules that it silences ran, so that silencing nothing means that it is not needed.

        Preview rules need not have run where it silences others too. What trainlint says of itself does not count.
        """
        if not entry.codes:
            return entry.word is None
        if entry.word and names_one_rule(entry.word.text):
            return entry.codes <= self.ran
        expected = [rule for rule in self.known if not rule.of_engine and not rule.preview]
        silenced = {rule.code for rule in expected} & entry.codes
        return self.complete and bool(silenced) and silenced <= self.ran

    def _entry(self, directive: Directive, word: Word) -> Entry:
        codes, aliased = _codes_of_word(word.text, self.known)
        ours = directive.of_trainlint or bool(codes) or pack_of(word.text.upper()) in self.packs
        return Entry(directive, word, codes | aliased, ours)


@lru_cache(256)  # files have the same few words
def _codes_of_word(word: str, known: tuple[AnyRule, ...]) -> tuple[frozenset[str], frozenset[str]]:
    """The codes of the rules that a word stands for, and of those that have it as the code of another tool."""
    codes = frozenset(rule.code for rule in rules_called(word, known))
    return codes, frozenset(rule.code for rule in known if _is_aliased(rule, (word.upper(),)))


def _is_aliased(rule: AnyRule, words: tuple[str, ...]) -> bool:
    """Whether a rule covers a code of another tool that begins with one of the words, as flake8 reads them."""
    return any(alias.startswith(words) for alias in rule.aliases)


def vocabulary(known: Sequence[AnyRule] | None, ran: Sequence[InstalledRule]) -> Vocabulary:
    """The vocabulary of a run. Rules that ran are known, whether listed or not."""
    return _vocabulary(tuple(known) if known is not None else None, tuple(ran))


@lru_cache(8)  # all files of a run share it, as a rule
def _vocabulary(known: tuple[AnyRule, ...] | None, ran: tuple[InstalledRule, ...]) -> Vocabulary:
    rules: tuple[AnyRule, ...] = tuple({rule.code: rule for rule in (*(known or ()), *ran)}.values())
    packs = frozenset(pack_of(rule.code) for rule in rules)
    return Vocabulary(rules, frozenset(rule.code for rule in ran), packs, complete=known is not None)
