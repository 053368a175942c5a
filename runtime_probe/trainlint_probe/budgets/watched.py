"""The budget of a whole run: what the process that the probe watches does in the window, whichever thread does it."""

from __future__ import annotations

import torch

from trainlint.evidence.run import Counted
from trainlint_probe.budgets import loading
from trainlint_probe.budgets.account import EVERYWHERE, Account, counted
from trainlint_probe.budgets.on_cuda import OnCuda
from trainlint_probe.watch.steps import Candidate
from trainlint_probe.watch.watching import Watch


class WholeRun:
    """The one account of a run."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch

    def install(self) -> None:
        """Count from now on."""
        account = Account()
        EVERYWHERE.append(account)
        self.watch.read_budget = account.read

    def install_on_machine(self) -> None:
        """Likewise, and watch what a simulated device would tell."""
        lines, patches = self.watch.ledger.lines, self.watch.patches
        loading.install(patches, lines)
        if torch.cuda.is_available():
            on_cuda = OnCuda(lines)
            on_cuda.install(patches)
            on_cuda.waits.start()
        self.install()

    def between(self, clock: Candidate) -> tuple[Counted, ...]:
        """What was counted in the steps of a clock."""
        elapsed = clock.marks[-1].at - clock.marks[0].at
        return counted(clock.first.budget, clock.last.budget, self.watch.directory, elapsed)
