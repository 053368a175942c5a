"""What a run saw of the statements of a file, as plain data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from trainlint.finding import OFTEN, Frequencies, Heat, HeatFact, RelatedPlace
from trainlint.interpreter.machine.events import Link
from trainlint.interpreter.machine.frame import Heat as HeatOfRun
from trainlint.interpreter.machine.frame import Round
from trainlint.interpreter.visits import Visit, Visits

HEATS: Final[Mapping[HeatOfRun, Heat]] = {
    "step": Heat.STEP,
    "evaluation": Heat.EVAL_STEP,
    "rare": Heat.RARE,
    "worker": Heat.WORKER,
    "off": Heat.RARE,
    "cold": Heat.ONCE,
}
_REPEATED: Final[Mapping[Round, Heat]] = {
    "loop": Heat.INNER,
    "batches": Heat.EVAL_STEP,
    "epoch": Heat.EPOCH,
    "seldom": Heat.RARE,
}
_PRESUMED = 0.8
_ONCE: Final = frozenset(
    {"__init__", "main", "setup", "configure_optimizers", "prepare_data", "parse_args", "__post_init__", "build_model"}
)
"""Functions that run once, whoever calls them."""
_IDLE = 0.5
"""What is presumed to run, in a file that no other file imports."""


def chain_of(links: Iterable[Link], path: str) -> tuple[str, ...]:
    """How a place in a file comes to run, as chains of findings are written."""
    return tuple(
        f"{f'line {link.line}' if link.path == path else f'{link.path}:{link.line}'}: {link.words}" for link in links
    )


def frequencies_by_file(visits: Visits, shown: Callable[[Link], Link]) -> dict[str, Frequencies]:
    """How often the statements of each file are executed. `shown` gives a link as users see it."""
    calls: dict[str, dict[int, tuple[RelatedPlace, ...]]] = {}
    for function, links in visits.hot_calls():
        calls.setdefault(function.module.path, {})[function.node.lineno] = tuple(map(_related, map(shown, links)))
    return {path: _of_file(path, visits, calls.get(path, {}), shown) for path in visits.statements}


def _of_file(
    path: str, visits: Visits, calls: Mapping[int, tuple[RelatedPlace, ...]], shown: Callable[[Link], Link]
) -> Frequencies:
    facts: dict[HeatFact, int] = {}
    numbers: dict[Visit, int] = {}
    here = shown(Link(path, 1, "")).path

    def number(visit: Visit) -> int:
        """The place of its fact among those of the file."""
        if visit not in numbers:
            chain = chain_of(tuple(map(shown, visit.way)), here)
            numbers[visit] = facts.setdefault(_fact(visit, visits.round_of(visit), chain), len(facts))
        return numbers[visit]

    lines: dict[int, int] = {}
    parts = {place: number(visit) for place, visit in visits.parts.get(path, {}).items()}
    for (line, column), visit in sorted(visits.statements[path].items()):
        if line in lines:
            parts[line, column] = number(visit)
        else:
            lines[line] = number(visit)
    return Frequencies(tuple(facts), lines, parts, calls, kinds=visits.kinds.get(path, {}))


def _fact(visit: Visit, around: Round, chain: tuple[str, ...]) -> HeatFact:
    if visit.heat == "cold" and visit.level == "orphan" and not around and not _sets_up(visit):
        return HeatFact(Heat.UNKNOWN, 1.0)
    heat = HEATS[visit.heat]
    if around and visit.heat in ("step", "cold"):
        heat = _REPEATED[around]
    sure = _IDLE if visit.idle else _PRESUMED if visit.level == "presumed" else 1.0
    return HeatFact(heat, sure, chain, visit.heat == "off", in_sight=visit.level in ("sure", "framework"))


def _sets_up(visit: Visit) -> bool:
    """Whether a function that nobody calls runs once, by its name."""
    return visit.body is not None and visit.body[0].name in _ONCE


def _related(link: Link) -> RelatedPlace:
    words = f"calls `{link.words.removeprefix('calls ')}`{OFTEN[Heat.STEP]}"
    return RelatedPlace(link.path, link.line, link.column, words)
