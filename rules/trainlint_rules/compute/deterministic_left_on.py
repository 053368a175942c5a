"""TRN407."""

from __future__ import annotations

import ast

from trainlint.analysis.site import Site
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Severity
from trainlint.rule import Triggers
from trainlint_rules.compute.idioms.switches import (
    DETERMINISTIC,
    LIGHTNING_TRAINER,
    another_stands_above,
    chosen,
    sure_to_train,
    switches_determinism_on,
)

_SEEDING = (
    "init_seeds init_seed set_seed set_seeds set_random_seed seed_everything setup_seed fix_seed fix_random_seed "
    "fix_seeds seed_torch seed_all set_global_seed init_random_seed".split()
)
"""Functions of a project that seed all generators, and often switch more."""


class DeterministicLeftOn(CallRule):
    """Deterministic algorithms are switched on for each training run, whether or not it must be repeatable

    ## Why
    cuDNN and PyTorch leave their fastest algorithms aside where these add up in a changing order: backward passes of
    convolutions, scatters, interpolation, cumulative sums. `use_deterministic_algorithms(True)` raises errors besides
    where no other algorithm exists, and fills new tensors with NaN. Training then runs slower in each step, for a
    property that only a comparison of two runs needs. A seed alone keeps runs as alike as most people want.

    Only values that are written out count, and a helper that the file never calls is a finding of low confidence.

    ## Example
    ```python
    import random

    import numpy as np
    import torch


    def set_seed(seed):
        random.seed(seed)
        np.random.seed(seed)
        torch.manual_seed(seed)
        torch.backends.cudnn.deterministic = True


    def train(model, criterion, optimizer, train_loader):
        set_seed(0)
        for images, labels in train_loader:
            loss = criterion(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import random

    import numpy as np
    import torch


    def set_seed(seed, deterministic=False):
        random.seed(seed)
        np.random.seed(seed)
        torch.manual_seed(seed)
        if deterministic:
            torch.backends.cudnn.deterministic = True


    def train(model, criterion, optimizer, train_loader):
        set_seed(0)
        for images, labels in train_loader:
            loss = criterion(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Confirmed by
    The step's time with the switch off is lower, and a profile names other convolution kernels.

    ## Gain
    PyTorch's notes on reproducibility say that deterministic operations are often slower, without a figure; not
    measured here. Nothing for networks whose layers have one algorithm only, such as linear ones.

    ## References
    - Reproducibility: https://docs.pytorch.org/docs/stable/notes/randomness.html
    - `torch.use_deterministic_algorithms`:
      https://docs.pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html
    """

    code = "TRN407"
    name = "deterministic-left-on"
    preview = True
    severity = Severity.ADVICE
    on = (*_SEEDING, *DETERMINISTIC, *LIGHTNING_TRAINER)
    also = Triggers(assignments=frozenset({"deterministic"}))
    unless = (chosen, another_stands_above)
    message = "`{switch}` keeps every training run on the slower deterministic algorithms"
    help = "put it behind an option"

    def found(self, site: Site) -> Match | None:
        """A switch of determinism that a literal turns on."""
        switch = site.text() if isinstance(site.node, ast.Call) else site.text(site.statement)
        return Match(site, sure_to_train(site), {"switch": switch}) if switches_determinism_on(site) else None
