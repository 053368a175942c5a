"""What watching costs a step: blocks of steps in turn with everything in place and with everything taken out.

The steps come after the window and are those of the same training, so nothing is estimated: what the machine does
meanwhile meets both kinds of blocks alike, and shows as the width of the interval.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from math import sqrt
from statistics import fmean, stdev
from time import perf_counter

from trainlint.evidence import Interval

_STEPS, _STEPS_OF_LONG = 5, 2
_LONG_MS = 50.0
_FEWEST, _MOST = 4, 16
_SECONDS = 2.0
"""What all blocks together should take."""
_TOO_LONG_S = 6.0
"""Where the fewest blocks would take longer, nothing is measured: of steps that long, watching is a trifle."""
_STUDENT = {4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365}
_STUDENT_OF_MORE = 2.306
"""What Student's distribution exceeds 1 time in 40, by the number of pairs: so the interval holds 95 of 100."""


def blocks_for(step_ms: float) -> tuple[int, int]:
    """How many pairs of blocks, and how many steps each has; no pair where they would take too long."""
    steps = _STEPS_OF_LONG if step_ms > _LONG_MS else _STEPS
    pair_s = 2 * steps * step_ms / 1e3
    if _FEWEST * pair_s > _TOO_LONG_S:
        return 0, steps
    return max(_FEWEST, min(_MOST, int(_SECONDS / pair_s) if pair_s else _MOST)), steps


def differences(
    switch: Callable[[bool], None], pairs: int, steps: int, found: list[float]
) -> Generator[bool, None, None]:
    """Yields while a step is to run; `found` gets the milliseconds that a watched step took longer, pair by pair.

    `switch` puts everything in place, or takes it out. At the end it is in place.
    """
    try:
        for pair in range(pairs):
            times: dict[bool, float] = {}
            for is_watched in (True, False) if pair % 2 else (False, True):
                switch(is_watched)
                began = perf_counter()
                for _ in range(steps):
                    yield True
                times[is_watched] = (perf_counter() - began) * 1e3 / steps
            found.append(times[True] - times[False])
    finally:
        switch(True)


def saved_without(switch: Callable[[bool], None], step_ms: float) -> Generator[bool, None, Interval | None]:
    """Yields while a step is to run; returns the milliseconds that a step takes less without what `switch` takes out.

    None where that could not be measured, or not be told from noise.
    """
    pairs, steps = blocks_for(step_ms)
    found: list[float] = []
    if pairs:
        yield from differences(switch, pairs, steps, found)
    saved = interval_of(found)
    return saved if saved is not None and saved.low > 0 else None


def interval_of(found: list[float]) -> Interval | None:
    """Where the mean of what was found lies; None where too little was."""
    if len(found) < _FEWEST:
        return None
    margin = _STUDENT.get(len(found), _STUDENT_OF_MORE) * stdev(found) / sqrt(len(found))
    return Interval(fmean(found) - margin, fmean(found) + margin)
