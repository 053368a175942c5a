"""What a round found out, as text: the score of blind labels, the readings, and the table of all rounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from benchmarks.accuracy.reliability import interval
from benchmarks.accuracy.rounds.agreement import Pair, Reading, agreed, kappa, read_figures, right, weighted_right
from benchmarks.accuracy.rounds.reading_form import NOT_ASKED
from benchmarks.accuracy.rounds.record import VERDICTS, BlindFigures, ReadFigures, Round
from benchmarks.accuracy.score import Score, Share, by_scope, figures
from benchmarks.accuracy.tables import interval_text, listing, share, table

MARKER = "rounds"
"""The name of the generated part of docs/accuracy.md."""
_PAGE_HEADER = (
    "round",
    "date",
    "commit",
    "repositories",
    "recall",
    "on the line, in the file, across functions",
    "look-alikes flagged",
    "strict precision",
    "findings that are right",
    "fixes that are right",
    "readers agree",
)


def blind_figures(of: Score) -> BlindFigures:
    """The figures that a round keeps of a score."""
    whole = figures(of)
    scopes = tuple((scope, part.recall) for scope, part in by_scope(of).items() if part.recall.whole)
    return BlindFigures(whole.recall, scopes, whole.lookalikes, whole.precision)


def blind_text(of: BlindFigures, at_findings: Share) -> str:
    """The score of the blind labels as a table; `at_findings` is the recall without related places."""
    rows = [
        ("recall", of.recall),
        ("recall without related places", at_findings),
        *((f"recall, scope {scope}", recall) for scope, recall in of.scopes),
        ("look-alikes flagged", of.lookalikes),
        ("strict precision", of.precision),
    ]
    return _shares("Blind labels", "figure", rows)


def readings_text(of: Sequence[Pair], found: dict[str, int]) -> str:
    """Agreement, shares by rule and level, and each disagreement."""
    counted = read_figures(of)
    weighted = weighted_right(of, found)
    with_fix = [pair for pair in of if pair.first.fix != NOT_ASKED]
    parts = [
        table(
            "Two readers",
            ("of", "agree", "Cohen's kappa", *VERDICTS),
            [
                ("messages", *_agreement(of, lambda reading: reading.message), *map(str, counted.messages)),
                (
                    "help and fixes",
                    *_agreement(with_fix, lambda reading: reading.fix),
                    *map(str, counted.fixes),
                ),
            ],
            markdown=False,
        ),
        _right_of("Right by both readers", "of", {"all": of}),
        "Messages, each rule weighted by its findings: " + ("-" if weighted is None else f"{weighted:.2f}"),
        _right_of("By rule", "rule", _by(of, lambda reading: reading.code)),
        _right_of("By level of confidence", "level", _by(of, lambda reading: reading.confidence)),
    ]
    differ = [pair for pair in of if (pair.first.message, pair.first.fix) != (pair.second.message, pair.second.fix)]
    if differ:
        parts.append(
            listing(f"The readers differ ({len(differ)})", [_difference(each) for each in differ], markdown=False)
        )
    return "\n\n".join(parts) + "\n"


def rounds_table(rounds: Sequence[Round]) -> str:
    """The generated part of docs/accuracy.md."""
    if not rounds:
        return "No round has been scored yet."
    rows = [_page_row(number, each) for number, each in enumerate(rounds, 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (_PAGE_HEADER, ["---"] * len(_PAGE_HEADER), *rows))


def _page_row(number: int, of: Round) -> tuple[str, ...]:
    return (
        str(number),
        of.day.isoformat(),
        of.commit,
        f"{', '.join(f'{repo} at {commit[:7]}' for repo, commit in of.repos)} (seed {of.seed})",
        _estimate(of.blind.recall),
        ", ".join(_scope(of.blind, name) for name in ("line", "file", "interproc")),
        _estimate(of.blind.lookalikes),
        _estimate(of.blind.precision),
        *(("not read",) * 3 if of.read is None else _read_cells(of.read)),
    )


def _read_cells(of: ReadFigures) -> tuple[str, str, str]:
    beyond_chance = "" if of.kappa is None else f", kappa {of.kappa:.2f}"
    return (
        _estimate(Share(of.messages[0], sum(of.messages))),
        _estimate(Share(of.fixes[0], sum(of.fixes))),
        share(of.agreed) + beyond_chance,
    )


def _scope(of: BlindFigures, name: str) -> str:
    return share(dict(of.scopes).get(name, Share(0, 0)))


def _estimate(of: Share) -> str:
    """A share with its interval: "0.70 (7/10), 0.40 to 0.89"."""
    return share(of) if interval(of) is None else f"{share(of)}, {interval_text(of)}"


def _shares(title: str, what: str, rows: Sequence[tuple[str, Share]]) -> str:
    cells = [(name, share(of), interval_text(of)) for name, of in rows]
    return table(title, (what, "share", "95% interval"), cells, markdown=False) + "\n"


def _right_of(title: str, what: str, parts: dict[str, Sequence[Pair]]) -> str:
    rows = []
    for name, part in parts.items():
        message, fix = right(part, lambda pair: pair.message), right(part, lambda pair: pair.fix)
        rows.append((name, share(message), interval_text(message), share(fix), interval_text(fix)))
    return table(title, (what, "message", "95% interval", "help and fix", "95% interval"), rows, markdown=False)


def _by(of: Sequence[Pair], key: Callable[[Reading], str]) -> dict[str, Sequence[Pair]]:
    names = sorted({key(pair.first) for pair in of})
    return {name: [pair for pair in of if key(pair.first) == name] for name in names}


def _agreement(of: Sequence[Pair], verdict: Callable[[Reading], str]) -> tuple[str, str]:
    value = kappa(of, verdict)
    return share(agreed(of, verdict)), "-" if value is None else f"{value:.2f}"


def _difference(of: Pair) -> str:
    first, second = of.first, of.second
    lines = [
        f"{first.repo} {first.path}:{first.line} {first.code} message: {first.message} and {second.message}, "
        f"fix: {first.fix} and {second.fix}"
    ]
    lines += [f"  {which} reader: {each.note}" for which, each in (("first", first), ("second", second)) if each.note]
    return "\n".join(lines)
