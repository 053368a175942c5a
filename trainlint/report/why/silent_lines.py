"""The rules that report nothing on a line: one line for each reason, and one for those that look for something else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from trainlint.explanation import Hiding
from trainlint.report.characters import sentence
from trainlint.report.words import count, enumerated

if TYPE_CHECKING:
    from rich.text import Text

    from trainlint.explanation import Look
    from trainlint.report.settings import Style

_INDENT = "    "
_OFF = {Hiding.PREVIEW: " (preview)", Hiding.NOT_SELECTED: " (not selected)"}


def silent_lines(looks: Sequence[Look], style: Style) -> Iterator[Text]:
    """Of all looks at a line those that are silent, after an empty line. Nothing where no rule is silent."""
    from rich.text import Text

    from trainlint.report.terminal import wrapped

    lines = [(words, "") for words in _reasons(looks)] + [(words, "dim") for words in _something_else(looks)]
    if lines:
        yield Text()
    for words, accent in lines:
        yield from wrapped(Text(f"  {sentence(words, unicode=style.unicode)}", accent), style, indent=_INDENT)


def _reasons(looks: Sequence[Look]) -> Iterator[str]:
    """As in "TRN216 move-without-effect is silent: a test function defines the class around it"."""
    differing = _answer_differently(looks)
    places: dict[tuple[str, str], list[str]] = {}
    for look in looks:
        if look.silence is not None:
            named = places.setdefault((f"{look.code} {look.name}{_off(look)}", look.silence), [])
            if look.code in differing:
                named.append(f"`{look.text}`")
    rules: dict[tuple[str, str], list[str]] = {}
    for (rule, reason), named in places.items():
        rules.setdefault((f" about {enumerated(named)}" if named else "", reason), []).append(rule)
    for (about, reason), alike in rules.items():
        yield f"{enumerated(alike)} {'is' if len(alike) == 1 else 'are'} silent{about}: {reason}"


def _answer_differently(looks: Sequence[Look]) -> set[str]:
    """The codes of rules that say different things about several places. To look for something else says nothing."""
    answers: dict[str, set[object]] = {}
    for look in looks:
        if not _is_silent(look) or look.silence is not None:
            answers.setdefault(look.code, set()).add(look.silence if _is_silent(look) else look)
    return {code for code, several in answers.items() if len(several) > 1}


def _something_else(looks: Sequence[Look]) -> Iterator[str]:
    """As in "2 other rules look for something else here: TRN203, TRN209"."""
    told = {look.code for look in looks if look.silence is not None or not _is_silent(look)}
    rest = dict.fromkeys(look.code for look in looks if look.code not in told)
    if rest:
        rules = count(len(rest), "other rule" if told else "rule")
        yield f"{rules} {'looks' if len(rest) == 1 else 'look'} for something else here: {', '.join(rest)}"


def _is_silent(look: Look) -> bool:
    return not look.verdicts and not look.failure


def _off(look: Look) -> str:
    return _OFF[look.off] if look.off is not None else ""
