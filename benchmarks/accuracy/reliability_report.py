"""How often findings of each level are right, as text, as Markdown and as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.accuracy.reliability import Group, JudgedFlag, by_level, groups
from benchmarks.accuracy.score import Figures
from benchmarks.accuracy.tables import interval_text, share, table
from trainlint.finding import Confidence

_COLUMNS = ("judged", "right", "95% interval", "in exhaustive files")


@dataclass(frozen=True, slots=True)
class Reliability:
    """What was found, ready to print."""

    judged: tuple[JudgedFlag, ...]
    from_levels: tuple[tuple[Confidence, Figures], ...]
    """The figures, were only findings from a level on shown."""


def as_text(reliability: Reliability, *, markdown: bool = False) -> str:
    """The tables: by level, from each level on, by rule, by heat."""
    judged = reliability.judged
    tables: list[tuple[str, Sequence[str], list[tuple[str, ...]]]] = [
        ("By level", ("level", *_COLUMNS), _rows((*by_level(judged), Group("all", judged)))),
        (
            "From each level on (covered issues)",
            ("from", "recall", "look-alikes hit", "strict precision"),
            [
                (least.label, share(each.recall), share(each.lookalikes), share(each.precision))
                for least, each in reliability.from_levels
            ],
        ),
        ("By rule", ("rule", *_COLUMNS), _rows(groups(judged, lambda flag: flag.code))),
        ("By heat", ("heat", *_COLUMNS), _rows(groups(judged, lambda flag: flag.heat or "-"))),
        (
            "By rule and level",
            ("rule and level", *_COLUMNS),
            _rows(groups(judged, lambda flag: f"{flag.code} {flag.confidence.label}")),
        ),
    ]
    return "\n\n".join(table(title, header, rows, markdown=markdown) for title, header, rows in tables) + "\n"


def as_data(reliability: Reliability) -> dict[str, object]:
    """The same as plain data for JSON, with each judged finding. Shares are [part, whole]."""
    return {
        "levels": [_group_data(part) for part in by_level(reliability.judged)],
        "from_levels": [
            {
                "from": least.label,
                "recall": list(each.recall),
                "lookalikes": list(each.lookalikes),
                "precision": list(each.precision),
            }
            for least, each in reliability.from_levels
        ],
        "judged": [
            {
                "repo": each.flag.repo,
                "path": each.flag.path,
                "line": each.flag.line,
                "code": each.flag.code,
                "heat": each.flag.heat,
                "confidence": each.flag.confidence.label,
                "right": each.right,
                "exhaustive": each.exhaustive,
            }
            for each in reliability.judged
        ],
    }


def _group_data(part: Group) -> dict[str, object]:
    return {"name": part.name, "right": list(part.right), "right_in_exhaustive_files": list(part.strict)}


def _rows(parts: Sequence[Group]) -> list[tuple[str, ...]]:
    return [_row(part) for part in parts]


def _row(part: Group) -> tuple[str, ...]:
    return (
        part.name,
        str(len(part.judged)),
        share(part.right),
        interval_text(part.right),
        share(part.strict),
    )
