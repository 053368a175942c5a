"""Interleaved rounds over one tree of files: everybody once, then everybody again."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.speed.contestants import Cache, Contestant
from benchmarks.speed.measure import Failed, run
from benchmarks.speed.results import Runs, Took


class Differs(Exception):
    """trainlint gave two reports on the same files. The message names the ways it ran and the first difference."""


@dataclass(frozen=True, slots=True)
class Rules:
    """How often, and for how long."""

    repeat: int
    """Rounds."""
    patience: float
    """Seconds on one tree after which a contestant is not run again, a quarter of it for who is slow: what takes long
    needs no second run to be known."""
    limit: float
    """Seconds after which a single run is ended."""


@dataclass(slots=True)
class Ring:
    """What happens on one tree."""

    directory: Path
    paths: tuple[str, ...]
    caches: Path
    """A directory for trainlint's caches, outside the tree."""
    tell: Callable[[str], None]
    report: str = ""
    """What trainlint printed, whichever way it ran."""
    reported_by: str = ""
    _took: dict[str, list[Took]] = field(default_factory=dict)
    _reasons: dict[str, str] = field(default_factory=dict)
    _edits: int = 0

    def measure(self, contestants: Sequence[Contestant], rules: Rules) -> tuple[Runs, ...]:
        """Run everybody. Raises Differs where two runs of trainlint do not say the same."""
        for number in range(rules.repeat):
            for contestant in contestants:
                spent = sum(took.wall for took in self._took.get(contestant.name, ()))
                patience = rules.patience / 4 if contestant.slow else rules.patience
                if contestant.name in self._reasons or spent > patience:
                    continue
                if contestant.absent:
                    self._reasons[contestant.name] = contestant.absent
                    continue
                self.tell(f"round {number + 1}: {contestant.title}")
                try:
                    self._took.setdefault(contestant.name, []).append(self.once(contestant, rules.limit))
                except Failed as error:
                    self._reasons[contestant.name] = str(error)
        return tuple(
            Runs(each.name, tuple(self._took.get(each.name, ())), self._reasons.get(each.name, ""))
            for each in contestants
        )

    def once(self, contestant: Contestant, limit: float) -> Took:
        """Run one contestant once. Raises Failed or Differs."""
        command = (*contestant.command, *self._cache_options(contestant, limit), *self.paths)
        ran = run(command, self.directory, limit=limit, cores=contestant.cores, sane=contestant.sane)
        if contestant.ours:
            self._compare(contestant, ran.output)
        return ran.took

    def _cache_options(self, contestant: Contestant, limit: float) -> tuple[str, ...]:
        if contestant.cache is None:
            return ()
        if contestant.cache is Cache.NONE:
            return ("--no-cache",)
        options = ("--cache-dir", str(self.caches))
        if contestant.cache is Cache.EMPTY:
            shutil.rmtree(self.caches, ignore_errors=True)
        elif not self.caches.exists():
            run((*contestant.command, *options, *self.paths), self.directory, limit=limit, sane=contestant.sane)
        if contestant.cache is Cache.EDITED:
            self._edit()
        return options

    def _edit(self) -> None:
        """Add a line of code to the end of the first file, which the report on a clean file says nothing of."""
        self._edits += 1
        with (self.directory / self.paths[0]).open("a", encoding="utf-8") as file:
            file.write(f"\n_EDIT = {self._edits}\n")

    def _compare(self, contestant: Contestant, report: str) -> None:
        if not self.report:
            self.report, self.reported_by = report, contestant.title
        elif report != self.report:
            raise Differs(
                f"in {self.directory.name}, {self.reported_by} and {contestant.title} do not report the same: "
                f"{first_difference(self.report, report)}"
            )


def first_difference(one: str, other: str) -> str:
    """Where two reports part, for people: the first finding or failure that only one of them has."""
    for part in ("findings", "failures"):
        left, right = (json.loads(text)[part] for text in (one, other))
        for kept, lost, who in ((left, right, "only the first"), (right, left, "only the second")):
            for item in kept:
                if item not in lost:
                    return f"{who} has {json.dumps(item, ensure_ascii=False)[:600]}"
    return "the same findings and failures, in another order or with other counts"
