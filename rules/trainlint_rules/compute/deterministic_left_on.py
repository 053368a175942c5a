"""TRN407."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.analysis.conditions.choices import is_chosen
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant, last_name
from trainlint.finding import Finding, Heat, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers

_SWITCHES = ("use_deterministic_algorithms", "set_deterministic")
_SEEDING = frozenset(
    "init_seeds init_seed set_seed set_seeds set_random_seed seed_everything setup_seed fix_seed fix_random_seed "
    "fix_seeds seed_torch seed_all set_global_seed init_random_seed".split()
)
"""Functions of a project that seed all generators, and often switch more."""
_TRAINS = lazy(r"\.backward\(|\.fit\(|Trainer\(|train_one_epoch\(|\.train\(\)|def train")
_LIGHTNING = lazy(r"^(lightning|pytorch_lightning)\.")


class DeterministicLeftOn(Rule):
    """Deterministic algorithms are switched on for each training run, whether or not it must be repeatable

    ## Why
    cuDNN and PyTorch leave their fastest algorithms aside where these add up in a changing order: backward passes of
    convolutions, scatters, interpolation, cumulative sums. `use_deterministic_algorithms(True)` raises errors besides
    where no other algorithm exists, and fills new tensors with NaN. Training then runs slower in each step, for a
    property that only a comparison of two runs needs. A seed alone keeps runs as alike as most people want.

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

    ## Stays silent
    Behind an option or any other test than one of the machine; where the value comes from elsewhere; in functions
    that are called after determinism, as nobody calls these by accident; in tests and benchmarks; in code that does
    not train. For options that are on by default there is a finding only below the default confidence.

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
    severity = Severity.ADVICE
    heat_matters = False
    triggers = Triggers(
        calls=_SEEDING | {"use_deterministic_algorithms", "set_deterministic", "Trainer"},
        assignments=frozenset({"deterministic"}),
    )

    def check(self, site: Site) -> Iterator[Finding]:
        """Find switches of determinism that each run turns on."""
        if is_test_path(site.path) or is_chosen(site.file, site.block) or site.heat.heat is Heat.RARE:
            return
        what = _switched_on(site)
        if what is None or _said_before(site):
            return
        confidence = _confidence(site)
        yield self.finding(
            site,
            f"{what} keeps each training run to deterministic algorithms, the slower ones; put it behind an option",
            confidence=confidence,
        )


def _switched_on(site: Site) -> str | None:
    """What switches determinism on here, by a literal; None for anything else."""
    node = site.node
    if not isinstance(node, ast.Call):
        return _stored(site)
    name, origin = last_name(node.func), site.origin(node.func) or ""
    if name in _SWITCHES:
        given = argument(node, "mode", 0)
        named = origin.startswith("torch.") and constant(given) is True
        return f"`{ast.unparse(node.func)}`" if named and constant(argument(node, "warn_only")) is not True else None
    if constant(argument(node, "deterministic")) is not True:
        return None
    if name == "Trainer":
        return "`deterministic=True`" if _LIGHTNING.match(origin) else None
    return f"`{name}(..., deterministic=True)`"


def _stored(site: Site) -> str | None:
    statement = site.statement
    if not isinstance(statement, ast.Assign) or constant(statement.value) is not True:
        return None
    for target in statement.targets:
        origin = site.origin(target) or ""
        if origin.startswith("torch.backends.cudnn."):
            return f"`{ast.unparse(target)} = True`"
    return None


def _said_before(site: Site) -> bool:
    """Whether another switch stands above in the same function: one finding is enough."""
    line = site.statement.lineno
    above = [
        *(other for name in _SWITCHES for other in site.file.outline.calls.get(name, ())),
        *site.file.outline.stores.get("deterministic", ()),
    ]
    return any(
        place.block is site.block and place.statement.lineno < line and _switched_on(Site(site.file, place)) is not None
        for place in above
    )


def _confidence(site: Site) -> float:
    """Sure where the file trains; a helper must be called from somewhere, and looks like one that each run calls."""
    function = site.function
    seeds = function is not None and re.search(r"seed", function.name, re.IGNORECASE) is not None
    if function is not None and seeds and site.heat.heat is Heat.UNKNOWN:
        if function.name not in site.file.outline.calls:
            return 0.5
    if site.file.says(_TRAINS):
        return 0.8
    if function is None or site.heat.heat is Heat.UNKNOWN:
        return 0.5
    return 0.72 if seeds else 0.5
