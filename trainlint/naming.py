"""How people name rules: by code, by the prefix of a code, by name, or all of them at once."""

from __future__ import annotations

from collections.abc import Iterable

from trainlint.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol, TypeVar

    class Named(Protocol):
        """A rule class or a rule: all that is asked of either is its code and its name."""

        @property
        def code(self) -> str:
            """The prefix of the pack and three digits."""

        @property
        def name(self) -> str:
            """The pattern in kebab case."""

    AnyRule = TypeVar("AnyRule", bound=Named)

ALL = "ALL"
_SELECTOR = lazy(r"([A-Z]{2,8})(\d{0,3})")
_FULL_CODE_DIGITS = 3
_TAKEN_FOR_DIGITS = str.maketrans("oilszb", "011528")
_CLOSE = 10


def rules_called(word: str, rules: Iterable[AnyRule]) -> tuple[AnyRule, ...]:
    """The rules that `word` stands for: a code (TRN201), a prefix of one (TRN2, TRN), a name, or ALL; none if unknown.

    The letters of a code have to be complete, so that "T" does not stand for all that begins with it. The code or name
    of a retired rule stands for those that tell now what it told, of which there may be none.
    """
    upper = word.upper()
    rules = tuple(rules)
    if upper == ALL:
        return rules
    selector = _SELECTOR.fullmatch(upper)
    if selector is None:
        found = tuple(rule for rule in rules if rule.name == word.lower())
    else:
        found = tuple(rule for rule in rules if rule.code.startswith(upper) and pack_of(rule.code) == selector[1])
    return found or _tell_it_now(word, rules)


def _tell_it_now(word: str, rules: tuple[AnyRule, ...]) -> tuple[AnyRule, ...]:
    """The rules that tell now what the retired rule told that a word stands for."""
    from trainlint.retired import successors  # few words stand for retired rules

    told_by = successors(word)
    return tuple(rule for rule in rules if rule.code in told_by)


def pack_of(code: str) -> str:
    """The letters that a code begins with, which its rule pack owns: "TRN" of "TRN201"."""
    return code.rstrip("0123456789")


def exactness(word: str) -> int:
    """How narrowly a word points at rules: ALL least, each further digit more, a full code or a name most.

    That of a retired rule points at several, and so less narrowly than the code of one of these.
    """
    upper = word.upper()
    if upper == ALL:
        return 0
    selector = _SELECTOR.fullmatch(upper)
    digits = len(selector[2]) if selector else _FULL_CODE_DIGITS
    return digits if digits == _FULL_CODE_DIGITS and _is_retired(word) else 1 + digits


def _is_retired(word: str) -> bool:
    from trainlint.retired import retired_code  # most runs name no single rule

    return retired_code(word) is not None


def names_one_rule(word: str) -> bool:
    """Whether the word can stand for a single rule only: a full code or a name."""
    return exactness(word) == 1 + _FULL_CODE_DIGITS


def covers(wide: str, narrow: str) -> bool:
    """Whether all that the code `narrow` stands for is among what the code `wide` stands for."""
    wide, narrow = wide.upper(), narrow.upper()
    return wide == ALL or (narrow.startswith(wide) and pack_of(wide) == pack_of(narrow))


def nearest(word: str, choices: Iterable[str]) -> str | None:
    """The choice most like the word, whatever its case, or None when none is close."""
    import difflib  # costs 8 ms, and only a mistake needs it

    by_folded = {choice.lower(): choice for choice in choices}
    folded = word.lower()
    for length in range(1, len(folded)):
        digits = folded[:length] + folded[length:].translate(_TAKEN_FOR_DIGITS)
        if digits in by_folded:
            return by_folded[digits]
    # All codes of a pack look alike: with more than one wrong digit, nobody can tell which one was meant.
    has_digits = any(map(str.isdigit, word))
    found = difflib.get_close_matches(folded, by_folded, n=_CLOSE, cutoff=0.82 if has_digits else 0.6)
    if has_digits:  # of codes that are equally close, the one that begins alike is of the same topic
        found.sort(key=lambda choice: -_begins_alike(choice, folded))
    return by_folded[found[0]] if found else None


def _begins_alike(one: str, other: str) -> int:
    """How many characters two words have in common at their beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (left, right) in pairs if left != right), min(len(one), len(other)))


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """The end of a sentence that offers the nearest choice, as in `; did you mean "select"?`, or nothing."""
    found = nearest(word, choices)
    return f'; did you mean "{found}"?' if found else ""


def is_known(word: str, rules: Iterable[Named]) -> bool:
    """Whether a word stands for rules, or for one that is retired."""
    return bool(rules_called(word, rules)) or _is_retired(word)


def words_for(rules: Iterable[Named]) -> tuple[str, ...]:
    """All full codes and names, as choices for `nearest`."""
    return tuple(word for rule in rules for word in (rule.code, rule.name))


def unknown_rule(word: str, rules: Iterable[Named]) -> str:
    """The sentence that a word stands for no rule, with the nearest that would."""
    from trainlint.retired import retired_notes  # only a mistake needs it

    if notes := retired_notes([word]):
        return notes[0]
    return f'"{word}" is no rule\'s code or name{did_you_mean(word, words_for(rules))}'
