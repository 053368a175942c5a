"""Answers as text, one line each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from trainlint.report.characters import quoted, sentence, without_commands
from trainlint_probe.judging.answers import Answer, State

_MOST_CALLS = 4
"""Lines of a chain that the text shows, the innermost."""


def as_text(answers: Sequence[Answer], note: str, *, unicode: bool) -> str:
    """One line for each claim, and one that counts them."""
    lines = [_line(answer, unicode=unicode) for answer in answers]
    counts = Counter(answer.state for answer in answers)
    told = ", ".join(f"{counts[state]} {state.value}" for state in State if counts[state])
    total = f"{len(answers)} claim{'' if len(answers) == 1 else 's'}: {told or 'none'}"
    lines += [sentence(part, unicode=unicode) for part in (f"{total}.", note) if part]
    return without_commands("".join(f"{line}\n" for line in lines))


def _line(answer: Answer, *, unicode: bool) -> str:
    place = f"{quoted(answer.path)}{f':{answer.line}' if answer.line else ''}" if answer.path else ""
    told = " ".join(word for word in (place, answer.kind) if word)
    text = ": ".join(word for word in (answer.state.value, told, answer.reason) if word)
    if answer.chain and answer.state is not State.INVALID:
        arrow = " → " if unicode else " -> "
        cut = "... " if len(answer.chain) > _MOST_CALLS else ""
        text += f" [{cut}{arrow.join(answer.chain[-_MOST_CALLS:])}]"
    return sentence(text, unicode=unicode)
