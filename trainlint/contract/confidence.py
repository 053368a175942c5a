"""How sure a finding is: a finding is as sure as its weakest premise, so take the `min` of the premises' levels."""

from __future__ import annotations

from trainlint.finding import Confidence

_CERTAIN_FROM = 0.875
_LIKELY_FROM = 0.7
_POSSIBLE_FROM = 0.4
LEVELS = {"certain": Confidence.CERTAIN, "likely": Confidence.LIKELY, "guess": Confidence.POSSIBLE}
"""How sure it is that an operation runs in each training step, by `trainlint.interpreter.machine.events.Certainty`."""


def level(number: float) -> Confidence:
    """The level of evidence that the analysis gives as a number from 0 to 1.

    CERTAIN begins at 0.875: two doubts of less each (0.87 * 0.8) come out below 0.7, where LIKELY begins.
    """
    number = round(number, 2)  # what was multiplied
    if number >= _CERTAIN_FROM:
        return Confidence.CERTAIN
    if number >= _LIKELY_FROM:
        return Confidence.LIKELY
    return Confidence.POSSIBLE if number >= _POSSIBLE_FROM else Confidence.UNLIKELY


def doubted(*doubts: int) -> Confidence:
    """CERTAIN without a doubt, LIKELY with one, POSSIBLE with two or more. Each is a truth value or a number of doubts.

    For independent doubts about one premise. What is unsure by itself is a premise of its own, for `min`.
    """
    return (Confidence.CERTAIN, Confidence.LIKELY, Confidence.POSSIBLE)[min(sum(doubts), 2)]
