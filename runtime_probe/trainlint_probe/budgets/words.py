"""What was spent of a budget, in sentences and lines for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainlint.evidence.run import Counted
from trainlint_probe.budgets.account import DATA_WAIT
from trainlint_probe.budgets.judged import OF_ALL_STEPS, Spending, Use

_MOST_LINES = 10
"""Lines that are shown of one limit."""

_LARGE = 1e6

NO_DEVICE = "not counted, as no GPU is in use"
UNKNOWN_ALLOCATIONS = "not counted, as this allocator does not tell"
NOTHING_ON_IT = "not counted, as the script put nothing on the GPU"
NOT_ON_CUDA = "not counted, as only a CUDA device tells its waits; `--device simulated` counts them without one"
NOTHING_ON_GPU = (
    'nothing was on the GPU, so no wait could be counted; put the model and the batches on the device "cuda"'
)
SIMULATED = "Counted on a simulated GPU."
NOT_SIMULATED = "not counted on a simulated GPU"
BREAKS_UNKNOWN = "not counted, as torch.compile could not run all functions on a CPU"


def exceeded(spending: Spending) -> str:
    """Why a budget fails: each limit that is exceeded, with its lines. It ends without a line feed."""
    lines = [line for use in spending.over for line in use_lines(use)]
    return "\n".join([*lines, *remarks(spending)])


def lines_of(spending: Spending) -> Iterator[str]:
    """All that there is to say: what was used of each limit that could be counted, and the remarks."""
    for use in spending.uses:
        if not use.not_counted:
            yield from use_lines(use)
    yield from remarks(spending)


def in_short(spending: Spending) -> Iterator[str]:
    """What was used of each limit, in a phrase each: "syncs: 1 a step (limit 2)"."""
    for use in spending.uses:
        if use.not_counted:
            yield f"{use.limit}: {use.not_counted}"
        else:
            yield _whole(use)
    if SIMULATED in spending.notes:
        yield "counted on a simulated GPU"


def use_lines(use: Use) -> Iterator[str]:
    """What was used of one limit: a line for the whole, and one for each line of code."""
    yield _whole(use)
    charged = [item for item in use.lines if not item.allowed]
    for item in charged[:_MOST_LINES]:
        yield f"  {_place(item)}: {_what(item)}, {_number(use, item.count)}"
    if len(charged) > _MOST_LINES:
        yield f"  and {len(charged) - _MOST_LINES} more lines"


def _whole(use: Use) -> str:
    return f"{use.limit}: {amount(use, use.used)} (limit {_number(use, use.most)})"


def remarks(spending: Spending) -> list[str]:
    """What else is to be known: what was allowed, what comments silence, and what could not be counted."""
    return [*_allowed(spending.uses), *_ignored(spending.uses), *_not_counted(spending.uses), *spending.notes]


def amount(use: Use, used: float) -> str:
    """How much was used, in words: "2 a step"."""
    if use.limit == DATA_WAIT:
        return f"{_number(use, used)} of the time"
    return _number(use, used) if use.limit in OF_ALL_STEPS else f"{_number(use, used)} a step"


def _number(use: Use, value: float) -> str:
    """A number with its unit: three digits of a share, and of a count three at most behind the point."""
    if use.limit == DATA_WAIT:
        return f"{value:.3g}%"
    return f"{value:.3f}".rstrip("0").rstrip(".") if value < _LARGE else f"{value:g}"


def _place(item: Counted) -> str:
    return f"{item.at.path}:{item.at.line}" if item.at is not None else "no line of your code is known"


def _what(item: Counted) -> str:
    return f"{item.what}, by {item.via}" if item.via else item.what


def _allowed(uses: Iterable[Use]) -> Iterator[str]:
    for use in uses:
        for reason in dict.fromkeys(item.allowed for item in use.lines if item.allowed):
            allowed = sum(item.count for item in use.lines if item.allowed == reason)
            yield f"Allowed: {use.limit}, {amount(use, allowed)} ({reason})."


def _ignored(uses: Iterable[Use]) -> Iterator[str]:
    for use in uses:
        if use.ignored:
            places = ", ".join(dict.fromkeys(_place(item) for item in use.ignored))
            ignored = sum(item.count for item in use.ignored)
            yield f"Ignored by comments: {use.limit}, {amount(use, ignored)} ({places})."


def _not_counted(uses: Iterable[Use]) -> Iterator[str]:
    by_reason: dict[str, list[str]] = {}
    for use in uses:
        if use.not_counted:
            by_reason.setdefault(use.not_counted, []).append(use.limit)
    for reason, names in by_reason.items():
        yield f"{' and '.join(names)}: {reason}."
