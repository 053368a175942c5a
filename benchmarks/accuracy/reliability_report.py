"""The reliability of stated confidence as text, as Markdown and as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.accuracy.reliability import Group, JudgedFlag, bins, calibration_error, groups, interval
from benchmarks.accuracy.score import Figures
from benchmarks.accuracy.tables import share, table

_COLUMNS = ("judged", "stated", "right", "95% interval", "gap", "in exhaustive files")


@dataclass(frozen=True, slots=True)
class Reliability:
    """All that was found out of stated confidence, ready to print."""

    judged: tuple[JudgedFlag, ...]
    thresholds: tuple[tuple[float, Figures], ...]
    shown_from: float
    """The confidence from which findings are shown unless a user says otherwise."""


def as_text(reliability: Reliability, *, markdown: bool = False) -> str:
    """The tables: by stated confidence, at each threshold, by rule, by heat; and the calibration error."""
    judged = reliability.judged
    parts = bins(judged)
    error = calibration_error(parts)
    shown = calibration_error(bins([each for each in judged if each.flag.confidence >= reliability.shown_from]))
    tables: list[tuple[str, Sequence[str], list[tuple[str, ...]]]] = [
        ("Stated confidence", ("confidence", *_COLUMNS), _rows((*parts, Group("all", judged)))),
        (
            "At each threshold (covered issues)",
            ("from", "recall", "look-alikes hit", "strict precision"),
            [
                (f"{threshold:.2f}", share(each.recall), share(each.lookalikes), share(each.precision))
                for threshold, each in reliability.thresholds
            ],
        ),
        ("By rule", ("rule", *_COLUMNS), _rows(groups(judged, lambda flag: flag.code))),
        ("By heat", ("heat", *_COLUMNS), _rows(groups(judged, lambda flag: flag.heat or "-"))),
        (
            "By rule and stated value",
            ("rule and value", *_COLUMNS),
            _rows(groups(judged, lambda flag: f"{flag.code} {flag.confidence:.2f}")),
        ),
    ]
    lines = [
        f"Expected calibration error: {_number(error)}; of the findings that are shown"
        f" (from {reliability.shown_from:.2f}): {_number(shown)}."
    ]
    return (
        "\n\n".join([*(table(title, header, rows, markdown=markdown) for title, header, rows in tables), *lines]) + "\n"
    )


def as_data(reliability: Reliability) -> dict[str, object]:
    """The same as plain data for JSON, with each judged finding. Shares are [part, whole]."""
    return {
        "bins": [_group_data(part) for part in bins(reliability.judged)],
        "calibration_error": calibration_error(bins(reliability.judged)),
        "thresholds": [
            {
                "from": threshold,
                "recall": list(each.recall),
                "lookalikes": list(each.lookalikes),
                "precision": list(each.precision),
            }
            for threshold, each in reliability.thresholds
        ],
        "judged": [
            {
                "repo": each.flag.repo,
                "path": each.flag.path,
                "line": each.flag.line,
                "code": each.flag.code,
                "heat": each.flag.heat,
                "confidence": each.flag.confidence,
                "right": each.right,
                "exhaustive": each.exhaustive,
            }
            for each in reliability.judged
        ],
    }


def _group_data(part: Group) -> dict[str, object]:
    shares = {"right": list(part.right), "right_in_exhaustive_files": list(part.strict)}
    return {"name": part.name, "stated": part.stated, **shares}


def _rows(parts: Sequence[Group]) -> list[tuple[str, ...]]:
    return [_row(part) for part in parts]


def _row(part: Group) -> tuple[str, ...]:
    within = interval(part.right)
    return (
        part.name,
        str(len(part.judged)),
        _number(part.stated),
        share(part.right),
        "-" if within is None else f"{within[0]:.2f} to {within[1]:.2f}",
        "-" if part.gap is None else f"{part.gap:+.2f}",
        share(part.strict),
    )


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
