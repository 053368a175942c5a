"""What libraries warn of, and at which of the user's lines: outdated names tell on themselves."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from trainlint.evidence import Line, Seen, Symptom
from trainlint_probe.watch.lines import shown
from trainlint_probe.watch.watching import Watch


class Warned:
    """Counts the warnings that pass the script's own filters: no filter is changed, and all are shown as before."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.counts: dict[tuple[Line, str, str], int] = {}

    def install(self) -> None:
        """Listen from now on. Python asks for `showwarning` each time, so a script that puts its own in place is heard
        no more, and loses nothing.
        """
        warnings.showwarning = self._listening(warnings.showwarning)

    def seen(self) -> tuple[Seen, ...]:
        """The warnings at user's lines since the start: most come once, long before the window."""
        return tuple(
            Seen(at=at, symptom=Symptom.WARNING, what=category, calls=times, details={"message": message})
            for (at, category, message), times in self.counts.items()
        )

    def _listening(self, show: Callable[..., Any]) -> Callable[..., Any]:
        def showwarning(
            message: Warning | str, category: type[Warning], filename: str, lineno: int, *others: Any, **named: Any
        ) -> Any:
            if self.watch.ledger.lines.is_users(filename) and Path(filename).exists():
                at = Line(shown(filename, self.watch.directory), lineno)
                key = at, category.__name__, str(message).partition("\n")[0]
                self.counts[key] = self.counts.get(key, 0) + 1
            return show(message, category, filename, lineno, *others, **named)

        return showwarning
